// The tables of many boards for a batch, filled board by board, and averages taken out of it; see
// gpu/tables.py for the words.
#include "export.h"
#include "strengths.h"

namespace {

constexpr uint16_t ABSENT = 0xFFFF;  // a place that a hand does not have
constexpr Int BANKS = 8;             // of slots: the lists of so many cards start in different ones
constexpr int LANES = 16;

// A player's hands on a board, weakest first, and where the list of each card starts.
struct Ordered {
  uint16_t hands[HANDS];
  int count;
  Int starts[CARDS];
};

// A board's hands: their strengths, both cards numbered among those that the board leaves.
struct Table {
  const Slots& shape;
  Int width;
  uint16_t strength[HANDS];
  uint8_t live[HANDS][2];
};

// The first place in a bank that is not used; its bank is used from then on.
inline Int free_bank(Int at, int& used) {
  while (used >> at % BANKS & 1) at++;
  used |= 1 << at % BANKS;
  return at;
}

void number_cards(const uint8_t* board, Int board_cards, const uint8_t* cards, Table& table) {
  uint8_t number[CARDS];
  for (int card = 0, next = 0; card < CARDS; card++) {
    bool gone = false;
    for (Int i = 0; i < board_cards; i++) gone |= board[i] == card;
    number[card] = (uint8_t)next;
    next += !gone;
  }
  for (int hand = 0; hand < HANDS; hand++)
    for (int side = 0; side < 2; side++) table.live[hand][side] = number[cards[2 * hand + side]];
}

// The hands held, weakest first, equals in the order given.
void rank(const uint16_t* strength, const uint8_t* held, const Int* order, Ordered& side) {
  uint16_t hands[HANDS];
  side.count = 0;
  for (int i = 0; i < HANDS; i++)
    if (held[order[i]]) hands[side.count++] = (uint16_t)order[i];
  sort_by_strength(strength, hands, side.count, side.hands);
}

// Where the lists of a player's hands with each card start, and how long they are.
void place_lists(const Table& table, Ordered& side, uint32_t* out) {
  const Int cards = table.shape.cards;
  for (Int card = 0; card < cards; card++) out[card] = 0;
  for (int i = 0; i < side.count; i++)
    for (int which = 0; which < 2; which++) out[table.live[side.hands[i]][which]]++;
  Int at = 0;
  for (Int card = 0, used = 0; card < cards; card++) {
    int taken = card % BANKS ? (int)used : 0;
    at = free_bank(at, taken);
    used = taken;
    side.starts[card] = at;
    const uint32_t length = out[card];
    out[card] = (uint32_t)at | length << 16;
    at += length + 1;
  }
}

// A player's hands by place, and the slots that their reaches go to.
void lay_down(const Table& table, const Ordered& own, int16_t* hands, uint16_t* scatter) {
  const Slots& shape = table.shape;
  const Int width = table.width;
  for (Int rank = 0; rank < width; rank++) {
    const Int place = shape.place[rank];
    hands[place] = -1;
    scatter[place] = scatter[width + place] = (uint16_t)shape.spill;
    scatter[2 * width + place] = (uint16_t)shape.main[rank];
  }
  Int next[CARDS];
  for (Int card = 0; card < shape.cards; card++) next[card] = own.starts[card];
  for (int rank = 0; rank < own.count; rank++) {
    const Int place = shape.place[rank], hand = own.hands[rank];
    hands[place] = (int16_t)hand;
    for (int side = 0; side < 2; side++)
      scatter[side * width + place] = (uint16_t)next[table.live[hand][side]]++;
  }
}

// The slots of the other's sums that each hand reads: by one walk up both lists.
void gather(const Table& table, const Ordered& own, const Ordered& other, uint16_t* out) {
  const Slots& shape = table.shape;
  const Int width = table.width;
  for (Int i = 0; i < 8 * width; i++) out[i] = (uint16_t)shape.main[0];
  Int slot[CARDS];  // after the other's hands so far, by card
  for (Int card = 0; card < shape.cards; card++) slot[card] = other.starts[card];
  int met = 0;
  const auto pass = [&] {
    for (int side = 0; side < 2; side++) slot[table.live[other.hands[met]][side]]++;
    met++;
  };
  const auto mark = [&](int rank, int card_row, int step, int main_row) {
    const Int place = shape.place[rank];
    for (int side = 0; side < 2; side++)
      out[(card_row + step * side) * width + place] = (uint16_t)slot[table.live[own.hands[rank]][side]];
    if (main_row >= 0) out[main_row * width + place] = (uint16_t)shape.main[met];
  };
  for (int first = 0, last; first < own.count; first = last) {
    const uint16_t level = table.strength[own.hands[first]];
    while (met < other.count && table.strength[other.hands[met]] < level) pass();
    for (last = first; last < own.count && table.strength[own.hands[last]] == level; last++)
      mark(last, 0, 2, 4);
    while (met < other.count && table.strength[other.hands[met]] == level) pass();
    for (int rank = first; rank < last; rank++) mark(rank, 1, 2, 5);
  }
  while (met < other.count) pass();
  for (int rank = 0; rank < own.count; rank++) mark(rank, 6, 1, -1);
}

// The place of each hand of the other, or ABSENT.
void find_same(const Table& table, const Ordered& own, const Ordered& other, uint16_t* out) {
  uint16_t place[HANDS];
  for (int hand = 0; hand < HANDS; hand++) place[hand] = ABSENT;
  for (int rank = 0; rank < other.count; rank++)
    place[other.hands[rank]] = (uint16_t)table.shape.place[rank];
  for (Int at = 0; at < table.width; at++) out[at] = ABSENT;
  for (int rank = 0; rank < own.count; rank++)
    out[table.shape.place[rank]] = place[own.hands[rank]];
}

bool alike(const Ordered& one, const Ordered& two) {
  if (one.count != two.count) return false;
  for (int i = 0; i < one.count; i++)
    if (one.hands[i] != two.hands[i]) return false;
  return true;
}

template <typename Entry>
void copy(const Entry* from, Entry* to, Int count) {
  for (Int i = 0; i < count; i++) to[i] = from[i];
}

}  // namespace

// Fill in the tables of boards from one to another; strengths count on the last street.
EXPORT void fill_tables(const StrengthTables* strengths, const Dealt* dealt, const Int* order,
                        const uint8_t* cards, const Slots* shape, const Filled* out, Int first,
                        Int last) {
  const Int boards = out->end_size / 2, board_cards = dealt->cards_size / boards;
  const Int width = shape->place_size;
  Table table{*shape, width, {}, {}};
  Ordered sides[2];
  for (Int b = first; b < last; b++) {
    const uint8_t* board = dealt->cards + b * board_cards;
    if (dealt->last) strengths_on(*strengths, board, board_cards, table.strength);
    number_cards(board, board_cards, cards, table);
    for (int p = 0; p < 2; p++) {
      rank(table.strength, dealt->held + (p * boards + b) * HANDS, order, sides[p]);
      place_lists(table, sides[p], out->lists + (p * boards + b) * shape->cards);
    }
    const bool same = alike(sides[0], sides[1]);
    for (int p = 0; p < 2; p++) {
      const Int at = p * boards + b;
      if (p && same) {
        copy(out->hand + b * width, out->hand + at * width, width);
        copy(out->same + b * width, out->same + at * width, width);
        copy(out->scatter + b * 3 * width, out->scatter + at * 3 * width, 3 * width);
        copy(out->gather + b * 8 * width, out->gather + at * 8 * width, 8 * width);
      } else {
        lay_down(table, sides[p], out->hand + at * width, out->scatter + at * 3 * width);
        gather(table, sides[p], sides[1 - p], out->gather + at * 8 * width);
        find_same(table, sides[p], sides[1 - p], out->same + at * width);
      }
      out->end[at] = (uint16_t)shape->main[sides[p].count];
    }
  }
}

// The most hands that a player holds on a board, and slots that their card lists take: [2].
EXPORT void most_held(const Dealt* dealt, Int* most) {
  const Int rows = dealt->held_size / HANDS, boards = rows / 2;
  const Int board_cards = boards ? dealt->cards_size / boards : 0;
  most[0] = most[1] = 0;
  for (Int row = 0; row < rows; row++) {
    const uint8_t *held = dealt->held + row * HANDS, *board = dealt->cards + row % boards * board_cards;
    uint8_t counts[CARDS] = {};
    Int hands = 0, at = 0;
    bool dead[CARDS] = {};
    for (int high = 0, first = 0; high < CARDS; first += high, high++) {
      uint8_t own = 0;
      for (int low = 0; low < high; low++) {
        const uint8_t one = held[first + low] != 0;
        counts[low] = (uint8_t)(counts[low] + one);
        own = (uint8_t)(own + one);
      }
      counts[high] = own;
      hands += own;
    }
    for (Int i = 0; i < board_cards; i++) dead[board[i]] = true;
    int used = 0, number = 0;
    for (int card = 0; card < CARDS; card++) {
      if (dead[card]) continue;
      if (number++ % BANKS == 0) used = 0;
      at = free_bank(at, used) + counts[card] + 1;
    }
    most[0] = hands > most[0] ? hands : most[0];
    most[1] = at > most[1] ? at : most[1];
  }
}

// Where the hands of boards lie on the boards above, and the other way round: tables of two players,
// full of ABSENT so far.
EXPORT void fill_links(const BoardLinks* links, const int16_t* own, const int16_t* upper,
                       const uint16_t* permutations, uint16_t* above, uint16_t* below) {
  const Int boards = links->parent_size, images = links->child_size, uppers = links->uppers;
  const Int width = links->width, upper_width = links->upper_width;
  uint16_t place[HANDS];
  for (int p = 0; p < 2; p++) {
    Int over = -1;
    for (Int i = 0; i < images; i++) {
      const Int b = links->child[i], row = p * boards + b;
      const uint16_t* moved = permutations + links->relabeling[i] * HANDS;
      if (links->parent[b] != over) {
        over = links->parent[b];
        const int16_t* hands = upper + (p * uppers + over) * upper_width;
        for (int hand = 0; hand < HANDS; hand++) place[hand] = ABSENT;
        for (Int at = 0; at < upper_width; at++)
          if (hands[at] >= 0) place[hands[at]] = (uint16_t)at;
      }
      uint16_t* to = below + (p * images + i) * upper_width;
      for (Int at = 0; at < width; at++) {
        const int hand = own[row * width + at];
        if (hand < 0) continue;
        above[row * width + at] = place[hand];
        if (place[moved[hand]] != ABSENT) to[place[moved[hand]]] = (uint16_t)at;
      }
    }
  }
}

// Tables of some boards as kernels read them, two hands a thread; slots counted in bytes:
// [halves, boards, 3, threads, 8].
EXPORT void pack_tables(const uint16_t* scatter, const uint16_t* gather, const uint16_t* same,
                        Int boards, Int threads, Int bytes, Int halves, uint16_t* out, Int first,
                        Int last) {
  const Int width = 2 * threads;
  for (Int p = 0; p < halves; p++)
    for (Int b = first; b < last; b++) {
      const uint16_t* scattered = scatter + ((1 - p) * boards + b) * 3 * width;
      const uint16_t* gathered = gather + (p * boards + b) * 8 * width;
      const uint16_t* alike = same + (p * boards + b) * width;
      uint16_t* to = out + (p * boards + b) * 3 * threads * 8;
      for (Int t = 0; t < threads; t++)
        for (Int two = 0; two < 2; two++) {
          const Int at = 2 * t + two;
          uint16_t *head = to + t * 8, *tail = to + ((1 + two) * threads + t) * 8;
          for (int i = 0; i < 3; i++)
            head[3 * two + i] = (uint16_t)(bytes * scattered[i * width + at]);
          head[6 + two] = alike[at];
          for (int i = 0; i < 8; i++) tail[i] = (uint16_t)(bytes * gathered[i * width + at]);
        }
    }
}

// Averages of boards [boards, all rows, width] from a row on, by hand [boards, width], into tiles of
// sixteen hands [tiles, rows, 16], times a factor.
EXPORT void fill_averages(const float* kept, Int all_rows, const int16_t* hands, Int boards, Int width,
                          const Int* start, const int32_t* lanes, Int first, double factor,
                          float* out, Int rows) {
  const float scale = (float)factor;
  int place[HANDS] = {}, at[LANES];
  for (Int b = 0; b < boards; b++) {
    for (Int i = 0; i < width; i++)
      if (hands[b * width + i] >= 0) place[hands[b * width + i]] = (int)i;
    for (Int tile = start[b]; tile < start[b + 1]; tile++) {
      for (int lane = 0; lane < LANES; lane++) {
        const int hand = lanes[tile * LANES + lane];
        at[lane] = hand >= 0 ? place[hand] : -1;
      }
      for (Int row = 0; row < rows; row++) {
        const float* from = kept + (b * all_rows + first + row) * width;
        float* to = out + (tile * rows + row) * LANES;
        for (int lane = 0; lane < LANES; lane++) to[lane] = at[lane] >= 0 ? scale * from[at[lane]] : 0;
      }
    }
  }
}
