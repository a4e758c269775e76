// What hands may become: equities on river boards, and counts of next-round buckets; see
// abstraction/features.py.
#include <cstring>
#include "export.h"
#include "halves.h"

namespace {

// Halves of a hand {low < high} by all hands' strengths on a board of some cards. The weaker hands
// are counted in one straight pass, then those that cannot be are taken out again: those that hit
// the board, of strength 0, count as weaker, and some share a card with the hand.
Int halves_of(const uint16_t* strength, Int board_cards, int low, int high) {
  const uint16_t mine = strength[high * (high - 1) / 2 + low];
  int weaker = 0, level = 0;
  for (int hand = 0; hand < HANDS; hand++) {
    weaker += strength[hand] < mine;
    level += strength[hand] == mine;
  }
  const int left = CARDS - (int)board_cards;
  weaker -= HANDS - left * (left - 1) / 2;
  const int hole[2] = {low, high};
  for (const int own : hole)
    for (int card = 0; card < CARDS; card++) {
      if (card == own || (own == high && card == low)) continue;  // the hand itself only once
      const int big = card > own ? card : own, small = card > own ? own : card;
      const uint16_t other = strength[big * (big - 1) / 2 + small];
      if (!other) continue;
      weaker -= other < mine;
      level -= other == mine;
    }
  return 2 * weaker + level;
}

}  // namespace

// Halves of all hands on a river board, DEAD where they hit it.
EXPORT void fill_halves(const StrengthTables* t, const uint8_t* board, const uint8_t* cards,
                        uint16_t* out) {
  halves_on(*t, board, cards, out);
}

// Halves of the hand {low < high} on a board.
EXPORT Int hand_halves(const StrengthTables* t, const uint8_t* board, Int board_cards, Int low,
                       Int high) {
  uint16_t strength[HANDS];
  strengths_on(*t, board, board_cards, strength);
  return halves_of(strength, board_cards, (int)low, (int)high);
}

// How many of its 46 river cards put the hand {low < high} into each bin of equity.
EXPORT void count_hand_rivers(const StrengthTables* t, const uint8_t* turn, Int low, Int high,
                              const uint8_t* bins, uint8_t* out, Int num_bins) {
  uint16_t strength[HANDS];
  memset(out, 0, (size_t)num_bins);
  each_river(turn, [&](const uint8_t* board) {
    if (board[RIVER - 1] == low || board[RIVER - 1] == high) return;
    strengths_on(*t, board, RIVER, strength);
    out[bins[halves_of(strength, RIVER, (int)low, (int)high)]]++;
  });
}

// How many of its river cards put each hand into each bin of equity, by turn board [turns, 4].
EXPORT void count_rivers(const StrengthTables* t, const uint8_t* turns, Int count,
                         const uint8_t* cards, const uint8_t* bins, uint8_t* out, Int num_bins) {
  uint16_t halves[HANDS];
  memset(out, 0, (size_t)(count * HANDS * num_bins));
  for (Int row = 0; row < count; row++, out += HANDS * num_bins)
    each_river(turns + 4 * row, [&](const uint8_t* board) {
      halves_on(*t, board, cards, halves);
      for (int hand = 0; hand < HANDS; hand++)
        if (halves[hand] != DEAD) out[hand * num_bins + bins[halves[hand]]]++;
    });
}

// The same of the turns of a flop, by the turn card: [52, 1326, bins], added to. A board is valued
// once for both of its last cards.
EXPORT void count_flop_rivers(const StrengthTables* t, const uint8_t* flop, const uint8_t* left,
                              Int count, const uint8_t* cards, const uint8_t* bins, uint8_t* out,
                              Int num_bins) {
  uint16_t halves[HANDS];
  each_run_out(flop, left, count, [&](const uint8_t* board) {
    halves_on(*t, board, cards, halves);
    uint8_t* first = out + board[3] * HANDS * num_bins;
    uint8_t* second = out + board[4] * HANDS * num_bins;
    for (int hand = 0; hand < HANDS; hand++)
      if (halves[hand] != DEAD) {
        const Int into = hand * num_bins + bins[halves[hand]];
        first[into]++, second[into]++;
      }
  });
}

// How often hands of each bucket of the turn end with each number of halves: [buckets, levels],
// added to.
EXPORT void count_river_halves(const StrengthTables* t, const uint8_t* turns, const Int* weight,
                               Int count, const uint8_t* cards, const uint16_t* buckets, Int* out,
                               Int levels) {
  uint16_t halves[HANDS];
  for (Int row = 0; row < count; row++, buckets += HANDS)
    each_river(turns + 4 * row, [&](const uint8_t* board) {
      halves_on(*t, board, cards, halves);
      for (int hand = 0; hand < HANDS; hand++)
        if (halves[hand] != DEAD) out[buckets[hand] * levels + halves[hand]] += weight[row];
    });
}

// Buckets of all hands on a river board, and on each river of a turn board: rows of `out` by card.
EXPORT void fill_river_buckets(const RiverLimits* levels, const uint16_t* nodes,
                               const uint16_t* halves, uint16_t* out) {
  river_buckets(*levels, nodes, halves, out);
}

EXPORT void fill_rivers(const StrengthTables* t, const RiverLimits* levels, const uint8_t* turn,
                        const uint8_t* cards, const uint16_t* nodes, uint16_t* out) {
  uint16_t halves[HANDS];
  each_river(turn, [&](const uint8_t* board) {
    halves_on(*t, board, cards, halves);
    river_buckets(*levels, nodes, halves, out + board[RIVER - 1] * HANDS);
  });
}

// How many of its 47 turn cards put each hand into each bucket of the turn, by the rows [flops, 52]
// of turn boards and of relabelings: [flops, 1326, buckets].
EXPORT void count_turns(const int32_t* rows, const uint8_t* relabelings, Int flops,
                        const uint8_t* cards, const uint16_t* relabeled, const uint16_t* buckets,
                        uint8_t* __restrict out, Int num_buckets) {
  memset(out, 0, (size_t)(flops * HANDS * num_buckets));
  for (Int flop = 0; flop < flops; flop++, out += HANDS * num_buckets)
    for (int turn = 0; turn < CARDS; turn++) {
      const Int row = rows[flop * CARDS + turn];
      if (row < 0) continue;
      const uint16_t* moved = relabeled + relabelings[flop * CARDS + turn] * HANDS;
      for (int hand = 0; hand < HANDS; hand++) {
        const uint16_t bucket = buckets[row * HANDS + moved[hand]];
        if (bucket != DEAD && cards[2 * hand] != turn && cards[2 * hand + 1] != turn)
          out[hand * num_buckets + bucket]++;
      }
    }
}

// How often each class of starting hands falls into each bucket of the flop: added to.
EXPORT void count_flops(const uint16_t* buckets, const Int* weight, Int flops, const Int* classes,
                        Int* out, Int num_buckets) {
  for (Int row = 0; row < flops; row++, buckets += HANDS)
    for (int hand = 0; hand < HANDS; hand++)
      if (buckets[hand] != DEAD) out[classes[hand] * num_buckets + buckets[hand]] += weight[row];
}
