// Products of reaches that are mostly zero with a matrix; see blueprint/train_products.py.
//
// A row's sums are in the order of its entries, a product and a sum rounded each, so that every build
// gives the same digits.
#include <stddef.h>
#include "export.h"
#include "layout.h"
#include "simd.h"

namespace {

using namespace products;
typedef int64_t Int;
constexpr int VECTORS = COLUMNS / LANES;
constexpr uintptr_t LINE = 64;  // bytes of a cache line
static_assert(COLUMNS % LANES == 0, "columns are whole vectors");

// Copy columns of the rows from one to another of a matrix side by side; zeros follow the last ones.
void pack(const float* matrix, Int width, Int low, Int high, Int left, int count, float* to) {
  for (Int row = low; row < high; row++, to += COLUMNS)
    for (int c = 0; c < COLUMNS; c++) to[c] = c < count ? matrix[row * width + left + c] : 0;
}

// Add the entries [count] of a row, times the rows of a packed matrix where they stand.
INLINE void add_entries(const uint16_t* places, const float* values, Int count, const float* packed,
                        float* to) {
  Vector sums[VECTORS];
  for (int v = 0; v < VECTORS; v++) sums[v] = load(to + v * LANES);
  for (Int i = 0; i < count; i++) {
    const float* row = packed + (size_t)places[i] * COLUMNS;
    const Vector value = fill(values[i]);
    for (int v = 0; v < VECTORS; v++) sums[v] = sums[v] + value * load(row + v * LANES);
  }
  for (int v = 0; v < VECTORS; v++) store(to + v * LANES, sums[v]);
}

}  // namespace

// How many reaches of each row are not zero; rows of the plan begin at their sequences [rows].
BOARD_KERNEL(count_entries)(const float* plan, const Int* seqs, Int rows, Int width, Int* counts) {
  for (Int t = 0; t < rows; t++) {
    const float* reach = plan + seqs[t];
    int32_t count = 0;
    for (Int k = 0; k < width; k++) count += reach[k] != 0;
    counts[t] = count;
  }
}

// The entries of each row, tile by tile, times a stake, and where those of a tile end:
// ends [rows, tiles + 1]. There is space for one entry more than there are.
BOARD_KERNEL(compress_rows)(const float* plan, const Int* seqs, const float* stakes, Int rows,
                            Int width, uint16_t* places, float* values, Int* ends) {
  Int at = 0;
  for (Int t = 0; t < rows; t++) {
    const float *reach = plan + seqs[t], stake = stakes[t];
    *ends++ = at;
    for (Int first = 0; first < width; first += TILE) {
      const Int count = width - first < TILE ? width - first : TILE;
      for (Int k = 0; k < count; k++) {
        places[at] = (uint16_t)k;
        values[at] = stake * reach[first + k];
        at += reach[first + k] != 0;
      }
      *ends++ = at;
    }
  }
}

// Add the products of compressed rows with a matrix [width, width] to their sequences. `space` takes
// some columns of a tile, and a line more.
BOARD_KERNEL(multiply_rows)(const uint16_t* places, const float* values, const Int* ends, Int rows,
                            const float* matrix, Int width, const Int* seqs, float* space, float* out) {
  float* packed = (float*)(((uintptr_t)space + LINE - 1) & ~(LINE - 1));
  const Int tiles = (width + TILE - 1) / TILE;
  for (Int at = 0; at < tiles; at++) {
    const Int low = at * TILE, high = low + TILE < width ? low + TILE : width;
    for (Int left = 0; left < width; left += COLUMNS) {
      const int count = width - left < COLUMNS ? (int)(width - left) : COLUMNS;
      pack(matrix, width, low, high, left, count, packed);
      float last[COLUMNS] = {};
      for (Int t = 0; t < rows; t++) {
        const Int first = ends[t * (tiles + 1) + at], end = ends[t * (tiles + 1) + at + 1];
        if (first == end) continue;
        float* target = out + seqs[t] + left;
        if (count == COLUMNS) {
          add_entries(places + first, values + first, end - first, packed, target);
        } else {
          for (int c = 0; c < count; c++) last[c] = target[c];
          add_entries(places + first, values + first, end - first, packed, last);
          for (int c = 0; c < count; c++) target[c] = last[c];
        }
      }
    }
  }
}
