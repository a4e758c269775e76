// A best response along all lines of a street on one board; see kernels/response.py.
#include <math.h>
#include "export.h"
#include "simd.h"
#include "strengths.h"

namespace {

// The reach of some hands together, and of those that hold each card.
struct Met {
  double total = 0, by_card[CARDS] = {};

  void add(const BoardHands& hands, Int hand, double reach) {
    total += reach;
    by_card[hands.low[hand]] += reach;
    by_card[hands.high[hand]] += reach;
  }
  double without(const BoardHands& hands, Int hand) const {
    return total - by_card[hands.low[hand]] - by_card[hands.high[hand]];
  }
};

// The stake times the reach of all hands that share no card with each.
void fold(const BoardHands& hands, const float* reach, float stake, float* out) {
  Met met;
  for (Int hand = 0; hand < hands.low_size; hand++) met.add(hands, hand, reach[hand]);
  for (Int hand = 0; hand < hands.low_size; hand++)
    out[hand] = (float)(stake * (met.without(hands, hand) + reach[hand]));
}

// The stake times the reach of worse hands less that of better ones, by one walk up and down. A
// hand that shares a card with this one is never met, so it is taken off whichever side it is.
void show(const BoardHands& hands, const float* reach, float stake, float* out) {
  const Int groups = hands.ends_size;
  Met worse, better;
  for (Int group = 0; group < groups; group++) {
    const Int first = group ? hands.ends[group - 1] : 0;
    for (Int hand = first; hand < hands.ends[group]; hand++)
      out[hand] = (float)(stake * worse.without(hands, hand));
    for (Int hand = first; hand < hands.ends[group]; hand++) worse.add(hands, hand, reach[hand]);
  }
  for (Int group = groups - 1; group >= 0; group--) {
    const Int first = group ? hands.ends[group - 1] : 0;
    for (Int hand = first; hand < hands.ends[group]; hand++)
      out[hand] = (float)(out[hand] - stake * better.without(hands, hand));
    for (Int hand = first; hand < hands.ends[group]; hand++) better.add(hands, hand, reach[hand]);
  }
}

INLINE void copy(const float* from, float* __restrict to, Int count) {
  __builtin_memcpy(to, from, sizeof(float) * count);
}

}  // namespace

// The other player's reach [N, H] at every node, from that of the lines [L, H].
BOARD_KERNEL(reach_down)
(const StreetLines* lines, const BoardHands* hands, const float* table, const float* entering,
 float* reach) {
  const Int count = hands->low_size;
  for (Int node = 0; node < lines->kind_size; node++) {
    const Int parent = lines->parent[node], row = lines->row[node];
    float* __restrict to = reach + node * count;
    if (parent < 0) {
      copy(entering + lines->entry[node] * count, to, count);
    } else if (row < 0) {
      copy(reach + parent * count, to, count);
    } else {
      const float* from = reach + parent * count;
      for (Int hand = 0; hand < count; hand++)
        to[hand] = from[hand] * table[row + hands->bucket[hand]];
    }
  }
}

// The responder's best value with each hand, at every node and at the lines that lead here.
BOARD_KERNEL(values_up)
(const StreetLines* lines, const BoardHands* hands, const float* reach, const float* leaving,
 float* value, float* entering) {
  const Int count = hands->low_size;
  for (Int node = 0; node < lines->kind_size; node++)
    for (Int hand = 0; hand < count; hand++)
      value[node * count + hand] = lines->mine[node] ? -INFINITY : 0;
  for (Int node = lines->kind_size - 1; node >= 0; node--) {
    const Int kind = lines->kind[node], parent = lines->parent[node];
    const float *reached = reach + node * count, stake = lines->stake[node];
    float* own = value + node * count;
    if (kind == kinds::FOLD) {
      fold(*hands, reached, stake, own);
    } else if (kind == kinds::SHOWDOWN) {
      show(*hands, reached, stake, own);
    } else if (kind == kinds::CHANCE) {
      copy(leaving + lines->leaving[node] * count, own, count);
    }
    float* __restrict above = value + parent * count;
    if (parent < 0) {
      copy(own, entering + lines->entry[node] * count, count);
    } else if (lines->mine[parent]) {
      for (Int hand = 0; hand < count; hand++)
        above[hand] = own[hand] > above[hand] ? own[hand] : above[hand];
    } else {
      for (Int hand = 0; hand < count; hand++) above[hand] += own[hand];
    }
  }
}
