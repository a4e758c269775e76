// How buckets of two hands meet on river boards; see blueprint/joint_kernels.py.
#include "export.h"
#include "halves.h"

namespace {

constexpr int LIVE = 1081;     // hands that a river board leaves
constexpr int WITH_CARD = 46;  // of them, those with any one card

// A river board's hands, weakest first, and their buckets numbered among those there are.
struct Met {
  uint16_t strength[HANDS], order[HANDS];
  int hands, buckets;
  Int used[LIVE];        // ascending
  int32_t local[HANDS];  // number of each hand's bucket
  int32_t* pairs;        // halves by bucket of the first hand and of the second
};

// Number the buckets of a board. `place` [sizes] holds zeros before and after.
void number_buckets(Met& met, const uint16_t* buckets, int32_t* place, Int size) {
  for (int at = 0; at < met.hands; at++) place[buckets[met.order[at]]] = 1;
  int count = 0;
  for (Int bucket = 0; bucket < size; bucket++)
    if (place[bucket]) {
      met.used[count] = bucket;
      place[bucket] = count++;
    }
  for (int at = 0; at < met.hands; at++) met.local[met.order[at]] = place[buckets[met.order[at]]];
  for (int at = 0; at < count; at++) place[met.used[at]] = 0;
  met.buckets = count;
}

// Halves of all pairs of hands, those that share a card included: one walk, weak to strong.
void count_all(Met& met) {
  const int count = met.buckets;
  for (int at = 0; at < count * count; at++) met.pairs[at] = 0;
  // By bucket: hands before the level, those up to its end, and those of the level.
  int32_t before[LIVE] = {}, after[LIVE] = {}, held[LIVE] = {};
  for (int start = 0, end; start < met.hands; start = end) {
    const uint16_t level = met.strength[met.order[start]];
    for (end = start; end < met.hands && met.strength[met.order[end]] == level; end++) {
      held[met.local[met.order[end]]]++;
      after[met.local[met.order[end]]]++;
    }
    for (int at = start; at < end; at++) {
      const int32_t bucket = met.local[met.order[at]], hands = held[bucket];
      if (hands == 0) continue;  // counted with an earlier hand of its bucket
      held[bucket] = 0;
      int32_t* row = met.pairs + bucket * count;
      for (int other = 0; other < count; other++) row[other] += hands * (before[other] + after[other]);
    }
    for (int at = start; at < end; at++) {
      const int32_t bucket = met.local[met.order[at]];
      before[bucket] = after[bucket];
    }
  }
}

// Take away the pairs of hands that share a card, and each hand with itself.
void drop_shared(Met& met, const uint8_t* cards) {
  const int count = met.buckets;
  int with[CARDS] = {};
  int32_t level_of[CARDS][WITH_CARD], bucket_of[CARDS][WITH_CARD];
  for (int place = 0; place < met.hands; place++) {  // weakest first, so each card's hands are too
    const int hand = met.order[place];
    const int32_t bucket = met.local[hand], level = met.strength[hand];
    int32_t* row = met.pairs + bucket * count;
    row[bucket]--;
    for (int side = 0; side < 2; side++) {
      const int card = cards[2 * hand + side], at = with[card]++;
      level_of[card][at] = level, bucket_of[card][at] = bucket;
      for (int lower = 0; lower < at; lower++) {
        const int32_t other = bucket_of[card][lower];
        const bool level_too = level_of[card][lower] == level;
        row[other] -= level_too ? 1 : 2;
        if (level_too) met.pairs[other * count + bucket]--;
      }
    }
  }
}

}  // namespace

// Add the halves of all pairs of hands on all river cards of turn boards [boards, 4], by the buckets
// [boards, 1326] of the turn, to counts [size, size]. `place` [size] holds zeros, `pairs` has space
// for all pairs of hands that a board leaves.
BOARD_KERNEL(count_turn_boards)(const StrengthTables* t, const RiverLimits* levels,
                                const uint8_t* turns, const Int* weight, Int boards,
                                const uint8_t* cards, const uint16_t* nodes, int32_t* place,
                                int32_t* pairs, Int* out, Int size) {
  Met met;
  met.pairs = pairs;
  uint16_t halves[HANDS], buckets[HANDS];
  for (Int row = 0; row < boards; row++)
    each_river(turns + 4 * row, [&](const uint8_t* board) {
      strengths_on(*t, board, RIVER, met.strength);
      met.hands = by_strength(met.strength, met.order);
      halves_in_order(met.strength, met.order, met.hands, cards, halves);
      river_buckets(*levels, nodes + row * HANDS, halves, buckets);
      number_buckets(met, buckets, place, size);
      count_all(met);
      drop_shared(met, cards);
      for (int at = 0; at < met.buckets; at++) {
        Int* to = out + met.used[at] * size;
        const int32_t* from = met.pairs + at * met.buckets;
        for (int other = 0; other < met.buckets; other++)
          to[met.used[other]] += weight[row] * (Int)from[other];
      }
    });
}
