// What pairs of buckets are worth by the pairs of their parents; see
// arena/estimators/blueprint_values_tables.py.
#include "export.h"
#include "simd.h"

typedef int64_t Int;

// Add up rows [rows, width] of chips at folds and at showdowns, times the chances J and W of the pairs,
// by the parents of the rows and of the columns: out [2, parents of rows, parents of columns] J V and
// J S, whose halves lie `apart`. The sums of a row's parent go through `total` [2, width].
BOARD_KERNEL(add_end_values)(const float* folded, const float* met, const float* chance,
                             const float* showdown, Int width, const Int* first_row, Int row_parents,
                             const Int* first_column, Int column_parents, float* total, float* out,
                             Int apart) {
  float *__restrict value = total, *__restrict stakes = total + width;
  for (Int parent = 0; parent < row_parents; parent++) {
    for (Int column = 0; column < 2 * width; column++) total[column] = 0;
    for (Int row = first_row[parent]; row < first_row[parent + 1]; row++) {
      const float *likely = chance + row * width, *stake = met + row * width;
      const float *paid = folded + row * width, *won = showdown + row * width;
      for (Int column = 0; column < width; column++) {
        value[column] += likely[column] * paid[column] + won[column] * stake[column];
        stakes[column] += likely[column] * stake[column];
      }
    }
    float* to = out + parent * column_parents;
    for (Int other = 0; other < column_parents; other++) {
      float all = to[other], shown = to[apart + other];
      for (Int column = first_column[other]; column < first_column[other + 1]; column++) {
        all += value[column];
        shown += stakes[column];
      }
      to[other] = all, to[apart + other] = shown;
    }
  }
}
