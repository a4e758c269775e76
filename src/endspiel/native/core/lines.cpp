// The best divisions of a line into intervals; see abstraction/thresholds.py.
#include <stdint.h>
#include "export.h"

namespace {

typedef int64_t Int;
constexpr double FAR = __builtin_inf();

// Levels that weigh something, and sums over those before each: weight, weight times level.
struct Line {
  const Int *levels, *mass, *moment;

  // Weight times distance to the median over places first..last.
  double spread(Int first, Int last) const {
    const Int half = mass[first] + (mass[last + 1] - mass[first] + 1) / 2;
    Int low = first, high = last;
    while (low < high) {
      const Int middle = (low + high) / 2;
      const bool enough = mass[middle + 1] >= half;
      high = enough ? middle : high;
      low = enough ? low : middle + 1;
    }
    const Int under = levels[low] * (mass[low] - mass[first]) - (moment[low] - moment[first]);
    const Int over = moment[last + 1] - moment[low] - levels[low] * (mass[last + 1] - mass[low]);
    return (double)(under + over);
  }
};

}  // namespace

// Errors [most] of 1, 2, ... intervals, and where the last of them to each place starts [most, count],
// zeros so far. Sums have an entry more than levels; `best` has space for two rows of them.
//
// Where the last interval begins never falls as the line grows, so places are done from the middle
// outward, each bounded by its neighbors on both sides.
EXPORT void divide_line(const Int* levels, const Int* mass, const Int* moment, Int count, Int most,
                        double* best, double* errors, int32_t* starts) {
  const Line line{levels, mass, moment};
  double* better = best + count;
  for (Int place = 0; place < count; place++) best[place] = line.spread(0, place);
  errors[0] = best[count - 1];
  Int whole = 1;
  while (whole < count) whole *= 2;
  for (Int k = 1; k < most; k++) {
    int32_t* row = starts + k * count;
    for (Int place = 0; place < count; place++) better[place] = place < k ? 0 : FAR;
    for (Int place = 0; place < k; place++) row[place] = (int32_t)place;  // an interval each
    for (Int step = whole; step; step /= 2)
      for (Int place = step - 1; place < count; place += 2 * step) {
        if (place < k) continue;
        Int low = place - step >= 0 ? row[place - step] : 0;
        Int high = place + step < count ? row[place + step] : place;
        low = low > k ? low : k;
        high = high < place ? high : place;
        for (Int start = low; start <= high; start++) {
          const double error = best[start - 1] + line.spread(start, place);
          if (error < better[place]) better[place] = error, row[place] = (int32_t)start;
        }
      }
    for (Int place = 0; place < count; place++) best[place] = better[place];
    errors[k] = best[count - 1];
  }
}
