// How hands on a flop stand on the river; see reproduce/nlfh_outlook.py.
#include "export.h"
#include "strengths.h"

// Add the runouts after which each hand's equity is in each bin [1326, bins]; own cards block none.
// The deck's cards are the first ones.
EXPORT void count_outlooks(const StrengthTables* t, const uint8_t* flop, Int deck, Int bins,
                           Int* counts) {
  uint16_t strengths[HANDS];
  int levels[STRENGTHS + 2];  // hands of each strength, then those below it
  const Int hands = deck * (deck - 1) / 2;
  const auto dealt = [=](Int card) {
    return card == flop[0] || card == flop[1] || card == flop[2];
  };
  for (Int turn = 0; turn < deck; turn++)
    for (Int river = 0; river < turn; river++) {
      if (dealt(turn) || dealt(river)) continue;
      const uint8_t board[] = {flop[0], flop[1], flop[2], (uint8_t)river, (uint8_t)turn};
      strengths_on(*t, board, 5, strengths);
      for (int& level : levels) level = 0;
      for (Int hand = 0; hand < hands; hand++) levels[strengths[hand] + 1]++;
      levels[1] = 0;  // strength 0 is that of hands the board has a card of
      for (int level = 1; level < STRENGTHS + 2; level++) levels[level] += levels[level - 1];
      const int live = levels[STRENGTHS + 1];
      for (Int hand = 0; hand < hands; hand++) {
        if (strengths[hand] == 0) continue;
        const int halves = levels[strengths[hand]] + levels[strengths[hand] + 1] - 1;
        counts[hand * bins + halves * (int)bins / (2 * live)]++;
      }
    }
}
