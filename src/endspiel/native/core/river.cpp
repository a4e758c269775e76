// River endgames in buckets; see endgame/river/game.py and buckets.py.
#include "export.h"
#include "layout.h"

namespace {

typedef int64_t Int;

// Sums of mass, mass times place and mass times place squared over the points before each.
struct Sums {
  const double *mass, *first, *second;

  // Cost of one cluster of the points i to j - 1.
  double spread(Int i, Int j) const {
    const double sum = first[j] - first[i], mean = sum / (mass[j] - mass[i]);
    const double cost = second[j] - second[i] - mean * sum;
    return 0 > cost ? 0 : cost;
  }
};

struct Range {
  Int low, high, earliest, latest;  // of points, and of the starts to be tried for them
};

}  // namespace

// Weight of all pairs that share no card, and wins less losses, by buckets: [K0, K1].
//
// Pair by pair: differences of sums over whole ranges would leave rounding where nothing meets.
// `work` has space for two rows.
EXPORT void meet_hands(const HeldHands* one, const HeldHands* two, Int count, double* work,
                       double* met, double* won) {
  double *row = work, *beaten = work + count;
  const Int others = two->mask_size;
  Int below = 0, level = 0;  // others that are weaker, and those that are no stronger
  for (Int i = 0; i < one->mask_size; i++) {
    const Int strength = one->strength[i];
    while (below < others && two->strength[below] < strength) below++;
    if (level < below) level = below;
    while (level < others && two->strength[level] == strength) level++;
    for (Int k = 0; k < 2 * count; k++) work[k] = 0;
    for (Int j = 0; j < others; j++) {
      const double weight = one->mask[i] & two->mask[j] ? 0 : two->weight[j];
      const Int bucket = two->bucket[j];
      row[bucket] += weight;
      if (j < below)
        beaten[bucket] += weight;
      else if (j >= level)
        beaten[bucket] -= weight;
    }
    const Int to = one->bucket[i] * count;
    const double weight = one->weight[i];
    for (Int k = 0; k < count; k++) {
      met[to + k] += weight * row[k];
      won[to + k] += weight * beaten[k];
    }
  }
}

// Where the last of k + 1 clusters of the first j points begins: starts [most, n + 1], zeroed. Sums
// are [3, n + 1]; `least` and `best` have space for a row.
//
// It begins no earlier for more points, so the best start of a middle j bounds those on either side
// of it: n log n costs a cluster in place of n^2.
EXPORT void last_starts(const double* sums, Int n, Int most, double* least, double* best,
                        Int* starts) {
  const Sums of{sums, sums + n + 1, sums + 2 * (n + 1)};
  const double infinite = __builtin_inf();
  least[0] = infinite;
  for (Int j = 1; j <= n; j++) least[j] = of.spread(0, j);
  for (Int k = 1; k < most; k++) {
    Int* start = starts + k * (n + 1);
    for (Int j = 0; j <= n; j++) best[j] = infinite;
    Range waiting[64];
    waiting[0] = {k + 1, n, k, n - 1};
    for (int count = 1; count;) {
      const Range at = waiting[--count];
      if (at.low > at.high) continue;
      const Int j = (at.low + at.high) / 2, last = at.latest < j - 1 ? at.latest : j - 1;
      double smallest = infinite;
      Int found = 0;
      for (Int i = at.earliest; i <= last; i++) {
        const double cost = least[i] + of.spread(i, j);
        if (cost < smallest) smallest = cost, found = i;
      }
      best[j] = smallest, start[j] = found;
      waiting[count++] = {at.low, j - 1, at.earliest, found};
      waiting[count++] = {j + 1, at.high, found, at.latest};
    }
    double* const spare = least;
    least = best, best = spare;
  }
}
