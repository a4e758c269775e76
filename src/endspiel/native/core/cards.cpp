// Hand strengths, the hands that boards leave, and what hands beat; see cards/strength_tables.py.
#include <cstdlib>
#include <cstring>
#include "export.h"
#include "strengths.h"

namespace {

enum { HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH };

// The highest ranks of a set, four bits each, highest first.
Int top_ranks(Int ranks, int number) {
  Int packed = 0;
  int found = 0;
  for (int rank = RANKS - 1; rank >= 0; rank--)
    if (ranks >> rank & 1 && found < number) packed = packed << 4 | rank, found++;
  return packed;
}

// The rank that tops the best straight in a set of ranks, -1 where there is none.
int straight_top(Int ranks) {
  for (int low = 8; low >= 0; low--)
    if ((ranks >> low & 31) == 31) return low + 4;
  constexpr Int wheel = 0b1000000001111;  // A 2 3 4 5
  return (ranks & wheel) == wheel ? 3 : -1;
}

// The value of a kind of hand: its category in the bits from 20 on, then ranks that break ties.
Int value_of(Int category, Int ranks) { return (category << 20) + ranks; }

// The value of the best five cards of a multiset of ranks [13], flushes aside.
Int rank_value(const uint8_t* counts) {
  Int present = 0, paired = 0, tripled = 0, quad = -1;  // sets; the best rank held four times
  for (int rank = 0; rank < RANKS; rank++) {
    const Int bit = Int(1) << rank;
    if (counts[rank] >= 1) present |= bit;
    if (counts[rank] >= 2) paired |= bit;
    if (counts[rank] >= 3) tripled |= bit;
    if (counts[rank] == 4) quad = rank;
  }
  if (quad >= 0) return value_of(QUADS, (quad << 4) + top_ranks(present & ~(Int(1) << quad), 1));
  const Int trips = top_ranks(tripled, 1), no_trips = ~(Int(1) << trips);
  if (tripled && paired & no_trips)
    return value_of(FULL_HOUSE, (trips << 4) + top_ranks(paired & no_trips, 1));
  const int top = straight_top(present);
  if (top >= 0) return value_of(STRAIGHT, top);
  if (tripled) return value_of(TRIPS, (trips << 8) + top_ranks(present & no_trips, 2));
  if (paired & (paired - 1)) {
    const Int pairs = top_ranks(paired, 2);
    const Int rest = present & ~(Int(1) << (pairs >> 4)) & ~(Int(1) << (pairs & 15));
    return value_of(TWO_PAIR, (pairs << 4) + top_ranks(rest, 1));
  }
  if (paired) return value_of(PAIR, (top_ranks(paired, 1) << 12) + top_ranks(present & ~paired, 3));
  return value_of(HIGH_CARD, top_ranks(present, 5));
}

inline double positive(double x) { return x > 0 ? x : 0; }

// Weight that each hand of positive strength beats and ties: one walk from weak to strong. Of the
// weight passed so far, a hand meets all but what holds one of its own two cards.
void walk(const uint16_t* strengths, const double* weights, const uint8_t* cards, double* win,
          double* tie) {
  uint16_t order[HANDS];
  const int count = by_strength(strengths, order);
  double passed = 0, with[CARDS] = {};  // the part of passed that holds each card
  for (int start = 0, end; start < count; start = end) {
    for (end = start; end < count && strengths[order[end]] == strengths[order[start]]; end++) {
      const Int hand = order[end];
      win[hand] = passed - with[cards[2 * hand]] - with[cards[2 * hand + 1]];
    }
    for (int at = start; at < end; at++) {
      const Int hand = order[at];
      passed += weights[hand];
      with[cards[2 * hand]] += weights[hand];
      with[cards[2 * hand + 1]] += weights[hand];
    }
    for (int at = start; at < end; at++) {
      const Int hand = order[at];
      const double met = passed - with[cards[2 * hand]] - with[cards[2 * hand + 1]];
      tie[hand] = positive(met + weights[hand] - win[hand]);
      win[hand] = positive(win[hand]);
    }
  }
}

// What one hand beats and ties, opponent by opponent.
void compare(Int hand, const uint16_t* strengths, const double* weights, const uint8_t* cards,
             double* win, double* tie) {
  const int low = cards[2 * hand], high = cards[2 * hand + 1];
  win[hand] = tie[hand] = 0;
  for (int other = 0; other < HANDS; other++) {
    const int a = cards[2 * other], b = cards[2 * other + 1];
    if (strengths[other] == 0 || a == low || a == high || b == low || b == high) continue;
    win[hand] += weights[other] * (strengths[hand] > strengths[other]);
    tie[hand] += weights[other] * (strengths[hand] == strengths[other]);
  }
}

bool hits(const uint8_t* hand, const uint8_t* board, Int cards) {
  bool hit = false;
  for (Int c = 0; c < cards; c++) hit |= board[c] == hand[0] || board[c] == hand[1];
  return hit;
}

}  // namespace

// Every multiset of `cards` ranks [rows, 13], the counts of the lowest rank changing first; how many
// they are. Nothing is written beyond `rows`.
EXPORT Int rank_counts(Int cards, uint8_t* counts, Int rows) {
  uint8_t now[RANKS] = {};
  Int found = 0;
  for (;;) {
    int left = (int)cards;
    for (int rank = 0; rank < RANKS; rank++) left -= now[rank];
    if (left == 0) {
      if (found < rows) memcpy(counts + RANKS * found, now, RANKS);
      found++;
    }
    int rank = 0;  // the next multiset of at most `cards` cards
    while (rank < RANKS && (left <= 0 || now[rank] == 4)) {
      left += now[rank];
      now[rank++] = 0;
    }
    if (rank == RANKS) return found;
    now[rank]++;
  }
}

// Values of multisets of ranks [rows, 13].
EXPORT void rank_values(const uint8_t* counts, Int rows, Int* out) {
  for (Int i = 0; i < rows; i++) out[i] = rank_value(counts + RANKS * i);
}

// Values of sets of five or more ranks of one suit.
EXPORT void flush_values(const Int* sets, Int count, Int* out) {
  for (Int i = 0; i < count; i++) {
    const int top = straight_top(sets[i]);
    out[i] = top >= 0 ? value_of(STRAIGHT_FLUSH, top) : value_of(FLUSH, top_ranks(sets[i], 5));
  }
}

// Give each row of a perfect hash the first offset at which all its columns fall on free slots; 0
// where a row finds none. The search moves on from row to row: single columns would else begin it
// at the start each time.
EXPORT int place_rows(const Int* starts, const Int* columns, const Int* row_order, Int rows,
                      uint16_t* offsets, Int slots) {
  uint8_t* used = (uint8_t*)calloc((size_t)slots, 1);
  if (!used) return 0;
  const Int mask = slots - 1;
  bool all = true;
  for (Int r = 0, next = 0; r < rows && all; r++) {
    const Int row = row_order[r], begin = starts[row], end = starts[row + 1];
    bool placed = begin == end;
    for (Int step = 0; step < slots && !placed; step++) {
      const Int offset = (next + step) & mask;
      bool free_slots = true;
      for (Int at = begin; at < end; at++) free_slots &= !used[(columns[at] + offset) & mask];
      if (!free_slots) continue;
      for (Int at = begin; at < end; at++) used[(columns[at] + offset) & mask] = 1;
      offsets[row] = (uint16_t)offset;
      next = offset + 1;
      placed = true;
    }
    all = placed;
  }
  free(used);
  return all;
}

// Strengths of hands [count, n], as many cards as the tables are for.
EXPORT void hand_strengths(const StrengthTables* t, const uint8_t* hands, Int count, Int n,
                           uint16_t* out) {
  for (Int i = 0; i < count; i++) out[i] = hand_strength(*t, hands + i * n, n);
}

// The strength of one hand, 0 where a card is none or comes twice.
EXPORT int checked_strength(const Evaluator* e, const uint8_t* cards) {
  uint64_t seen = 0;
  for (Int c = 0; c < e->num_cards; c++) {
    if (cards[c] >= CARDS) return 0;
    const uint64_t bit = uint64_t(1) << cards[c];
    if (seen & bit) return 0;
    seen |= bit;
  }
  return hand_strength(e->tables, cards, e->num_cards);
}

EXPORT void board_strengths(const StrengthTables* t, const uint8_t* board, Int cards,
                            uint16_t* out) {
  strengths_on(*t, board, cards, out);
}

// The hands of both players on boards [boards, cards], of those on the boards above them: in the
// order that they have there, in order of strength where they show down.
EXPORT void hands_left(const StrengthTables* t, const uint8_t* of_hand, const uint8_t* cards,
                       Int boards, Int board_cards, const Int* parent, const BoardSide* first,
                       const BoardSide* second, int show_down) {
  const BoardSide* sides[2] = {first, second};
  uint16_t strength[HANDS] = {};
  uint16_t order[HANDS];
  Int mark[HANDS], begin[2] = {};
  int count = 0;
  for (int i = 0; i < HANDS; i++) mark[i] = -1;
  for (Int b = 0; b < boards; b++) {
    const uint8_t* board = cards + b * board_cards;
    if (show_down) strengths_on(*t, board, board_cards, strength), count = by_strength(strength, order);
    for (int p = 0; p < 2; p++) {
      const BoardSide& side = *sides[p];
      const Int from = side.start[parent[b]], until = side.start[parent[b] + 1];
      Int to = begin[p];
      for (Int i = from; i < until; i++) {
        const Int hand = side.above[i];
        if (show_down)
          mark[hand] = 2 * b + p;
        else if (!hits(of_hand + 2 * hand, board, board_cards))
          side.left[to++] = hand;
      }
      for (int i = 0; i < count; i++)
        if (mark[order[i]] == 2 * b + p) side.left[to++] = order[i];
      side.end[b] = to;
      begin[p] += until - from;
    }
  }
}

// Add what every hand beats and ties against weights on each board [boards, 5]; hands that are
// blocked nearly everywhere are compared one by one, for their sums are small.
EXPORT void add_masses(const StrengthTables* t, const uint8_t* boards, Int count,
                       const double* weights, const uint8_t* cards, const Int* blocked,
                       Int num_blocked, double* win, double* tie) {
  uint16_t strengths[HANDS];
  double board_win[HANDS] = {}, board_tie[HANDS] = {};
  for (Int b = 0; b < count; b++) {
    strengths_on(*t, boards + 5 * b, 5, strengths);
    walk(strengths, weights, cards, board_win, board_tie);
    for (Int i = 0; i < num_blocked; i++)
      compare(blocked[i], strengths, weights, cards, board_win, board_tie);
    for (int hand = 0; hand < HANDS; hand++)
      if (strengths[hand]) win[hand] += board_win[hand], tie[hand] += board_tie[hand];
  }
}

// Half pots won by the first of two hands [4] over all boards [boards, 5].
EXPORT Int count_halves(const StrengthTables* t, const uint8_t* hands, const uint8_t* boards,
                        Int count) {
  Int halves = 0;
  uint8_t both[14];
  uint16_t found[2];
  for (Int b = 0; b < count; b++) {
    for (int p = 0; p < 2; p++) {
      both[7 * p] = hands[2 * p], both[7 * p + 1] = hands[2 * p + 1];
      for (int c = 0; c < 5; c++) both[7 * p + 2 + c] = boards[5 * b + c];
    }
    for (int p = 0; p < 2; p++) found[p] = hand_strength(*t, both + 7 * p, 7);
    halves += 2 * (found[0] > found[1]) + (found[0] == found[1]);
  }
  return halves;
}

// The first of hands [count, n] that holds a card twice, -1 where none does.
EXPORT Int first_repeat(const uint8_t* hands, Int count, Int n) {
  for (Int i = 0; i < count; i++) {
    uint64_t seen = 0;
    for (Int c = 0; c < n; c++) {
      const uint64_t bit = uint64_t(1) << hands[i * n + c];
      if (seen & bit) return i;
      seen |= bit;
    }
  }
  return -1;
}

// How many of all hands of n cards have each strength: counts [7463], added to.
EXPORT void count_strengths(const StrengthTables* t, Int n, Int* counts) {
  uint8_t cards[7];
  for (Int c = 0; c < n; c++) cards[c] = (uint8_t)c;
  for (;;) {
    counts[hand_strength(*t, cards, n)]++;
    Int at = n - 1;
    while (at >= 0 && cards[at] == CARDS - n + at) at--;
    if (at < 0) return;
    for (cards[at]++; at + 1 < n; at++) cards[at + 1] = (uint8_t)(cards[at] + 1);
  }
}
