// One line on many flops: ranges by bucket, values of buckets by hand, and players who are all in.
// See values/many_flops.py.
#include "export.h"
#include "layout.h"
#include "simd.h"

namespace {

typedef int64_t Int;
constexpr int HANDS = 1326, PADDED = 1344;  // up to whole vectors
constexpr int ROWS = 4;    // ranges at a time
constexpr int CHUNK = 32;  // of the other's hands at a time, so that theirs stay in the cache
typedef int16_t Shorts __attribute__((vector_size(2 * W)));
typedef int16_t AnyShorts __attribute__((vector_size(2 * W), aligned(2), may_alias));

// Sixteen small whole numbers.
INLINE Vector widened(const int16_t* at) {
  Vector v;
  EACH_PART v.part[p] = __builtin_convertvector((Shorts)*(const AnyShorts*)(at + p * W), Register);
  return v;
}

// The hands of ranges [rows, 1326] that are not faint, in order, and what each run-out of them
// weighs; how many there are.
int weigh(const float* theirs, int rows, float faint, float run_outs, int* others,
          float (*weights)[ROWS]) {
  float least[ROWS];
  for (int r = 0; r < rows; r++) {
    float most = theirs[r * HANDS];
    for (int hand = 1; hand < HANDS; hand++)
      most = theirs[r * HANDS + hand] > most ? theirs[r * HANDS + hand] : most;
    least[r] = faint * most;
  }
  int count = 0;
  for (int hand = 0; hand < HANDS; hand++) {
    bool counts = false;
    for (int r = 0; r < rows; r++) {
      const float weight = theirs[r * HANDS + hand];
      weights[count][r] = weight > least[r] ? weight / run_outs : 0;
      counts |= weight > least[r];
    }
    others[count] = hand;
    count += counts;
  }
  return count;
}

// Add what hands win of some ranges, hand by hand of the other: won [rows, PADDED].
template <int rows>
void add_won(const int16_t* wins, const int* others, const float (*weights)[ROWS], int count,
             float* won) {
  int16_t end[LANES];  // the last hands of a row, beyond which another's begin
  for (int first = 0; first < HANDS; first += LANES) {
    const bool ends = first + LANES > HANDS;
    Vector sums[rows];
    for (int r = 0; r < rows; r++) sums[r] = load(won + r * PADDED + first);
    for (int i = 0; i < count; i++) {
      const int16_t* at = wins + others[i] * HANDS + first;
      if (ends) {
        for (int lane = 0; lane < LANES; lane++) end[lane] = first + lane < HANDS ? at[lane] : 0;
        at = end;
      }
      const Vector against = widened(at);
      for (int r = 0; r < rows; r++) sums[r] = sums[r] + fill(weights[i][r]) * against;
    }
    for (int r = 0; r < rows; r++) store(won + r * PADDED + first, sums[r]);
  }
}

}  // namespace

// What hands win of ranges [ranges, 1326] where both are all in, by the run-outs that they win less
// those that they lose [1326 others, 1326].
BOARD_KERNEL(run_out)(const float* theirs, Int ranges, const int16_t* wins, double faint,
                      Int run_outs, float* found) {
  constexpr void (*add[])(const int16_t*, const int*, const float (*)[ROWS], int, float*) = {
      add_won<1>, add_won<2>, add_won<3>, add_won<4>};
  int others[HANDS + 1];
  float weights[HANDS + 1][ROWS], won[ROWS * PADDED];
  for (Int row = 0; row < ranges; row += ROWS) {
    const int rows = ranges - row < ROWS ? (int)(ranges - row) : ROWS;
    const int count = weigh(theirs + row * HANDS, rows, (float)faint, (float)run_outs, others, weights);
    for (int i = 0; i < rows * PADDED; i++) won[i] = 0;
    for (int start = 0; start < count; start += CHUNK) {
      const int held = count - start < CHUNK ? count - start : CHUNK;
      add[rows - 1](wins, others + start, weights + start, held, won);
    }
    for (int r = 0; r < rows; r++)
      for (int hand = 0; hand < HANDS; hand++)
        found[(row + r) * HANDS + hand] = won[r * PADDED + hand];
  }
}

// A range [flops, lines, 1326] by bucket, scaled, and the part of all pairs that each bucket has:
// into columns of two tables whose rows are that wide.
BOARD_KERNEL(read_ranges)(const NearBuckets* where, const float* coming, const float* left, Int lines,
                          Int buckets, float* ranges, Int range_width, float* pairs,
                          Int pair_width) {
  const Int near = where->near, flops = where->buckets_size / (HANDS * near);
  for (Int row = 0; row < flops * lines; row++) {
    const int16_t* bucket = where->buckets + row / lines * HANDS * near;
    const float* share = where->shares + row / lines * HANDS * near;
    float *read = ranges + row * range_width, *met = pairs + row * pair_width;
    for (Int b = 0; b < buckets; b++) read[b] = met[b] = 0;
    float dealt = 0, pair = 0;
    for (int hand = 0; hand < HANDS; hand++) {
      const float weight = coming[row * HANDS + hand];
      if (weight == 0) continue;
      const float both = weight * left[row * HANDS + hand];
      dealt += weight;
      pair += both;
      for (Int n = hand * near; n < (hand + 1) * near; n++) {
        read[bucket[n]] += weight * share[n];
        met[bucket[n]] += both * share[n];
      }
    }
    const float least = 1e-30f, scale = (float)buckets / (dealt > least ? dealt : least);
    const float whole = pair > least ? pair : least;
    for (Int b = 0; b < buckets; b++) read[b] *= scale, met[b] /= whole;
  }
}

// Weights that hands leave [flops, lines, 1326], times what their buckets are worth
// [flops, lines, buckets].
BOARD_KERNEL(spread_values)(const NearBuckets* where, const float* worth, Int lines, Int buckets,
                            float* left) {
  const Int near = where->near, flops = where->buckets_size / (HANDS * near);
  for (Int row = 0; row < flops * lines; row++) {
    const int16_t* bucket = where->buckets + row / lines * HANDS * near;
    const float* share = where->shares + row / lines * HANDS * near;
    const float* own = worth + row * buckets;
    for (int hand = 0; hand < HANDS; hand++) {
      float value = 0;
      for (Int n = hand * near; n < (hand + 1) * near; n++) value += own[bucket[n]] * share[n];
      left[row * HANDS + hand] *= value;
    }
  }
}
