// How all hands fare against one, or against all that a deck has; see arena/estimators/shares.py and
// reproduce/nlfh_outlook.py.
#include "export.h"
#include "halves.h"

// 1 where a hand beats the one on a river board, -1 where it loses.
BOARD_KERNEL(showdowns)(const StrengthTables* t, const uint8_t* board, Int hand, double* ahead) {
  uint16_t strength[HANDS];
  strengths_on(*t, board, RIVER, strength);
  const uint16_t mine = strength[hand];
  for (int other = 0; other < HANDS; other++)
    ahead[other] = strength[other] ? (strength[other] > mine) - (strength[other] < mine) : 0;
}

// Rivers on which each hand beats the one less those on which it loses, by turn: [52, 1326], added to.
BOARD_KERNEL(turn_showdowns)(const StrengthTables* t, const uint8_t* flop, const uint8_t* left,
                           Int count, Int hand, int8_t* ahead) {
  uint16_t strength[HANDS];
  int8_t signs[HANDS];
  each_run_out(flop, left, count, [&](const uint8_t* board) {
    strengths_on(*t, board, RIVER, strength);
    const uint16_t mine = strength[hand];
    for (int other = 0; other < HANDS; other++) {
      const uint16_t theirs = strength[other];
      signs[other] = (int8_t)((theirs > mine) - (theirs < mine && theirs > 0));
    }
    int8_t *first = ahead + board[3] * HANDS, *second = ahead + board[4] * HANDS;
    for (int other = 0; other < HANDS; other++) first[other] = (int8_t)(first[other] + signs[other]);
    for (int other = 0; other < HANDS; other++) second[other] = (int8_t)(second[other] + signs[other]);
  });
}

// Run-outs of a flop after which the equity of each hand of a deck is in each of some bins, the cards
// of a hand blocking none of the others: counts [1326, bins], added to.
BOARD_KERNEL(count_outlooks)(const StrengthTables* t, const uint8_t* flop, const uint8_t* left,
                           Int count, Int hands, Int bins, Int* counts) {
  uint16_t strength[HANDS];
  static_assert(HANDS < 1 << 15, "halves of hands fit into 16 bits");
  uint16_t below[STRENGTHS + 2];  // hands of each strength, then those below it
  each_run_out(flop, left, count, [&](const uint8_t* board) {
    strengths_on(*t, board, RIVER, strength);
    for (int level = 0; level < STRENGTHS + 2; level++) below[level] = 0;
    for (Int hand = 0; hand < hands; hand++) below[strength[hand] + 1]++;
    below[1] = 0;  // strength 0 is that of hands that the board has a card of
    for (int level = 1; level < STRENGTHS + 2; level++)
      below[level] = (uint16_t)(below[level] + below[level - 1]);
    const Int live = below[STRENGTHS + 1];
    for (Int hand = 0; hand < hands; hand++)
      if (strength[hand]) {
        const Int halves = below[strength[hand]] + below[strength[hand] + 1] - 1;
        counts[hand * bins + halves * bins / (2 * live)]++;
      }
  });
}
