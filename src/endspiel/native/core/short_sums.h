// Regrets and averages of 16 bits: whole numbers, of which those of a tile's decision share a step.
//
// A step is a power of two, as small as the decision's largest number allows; below zero a number
// counts sixteen of them, for regrets that are played by need more digits than those that are not.
// What lies between two numbers becomes one of them by dither: the more often the upper one, the
// nearer it is, so that what is less than a step is not lost, and sums neither stall nor drift. The
// dither follows from the row's place and a count of iterations, whichever thread rounds.
#pragma once
#include "simd_ints.h"

namespace {

typedef int64_t Int;
// A power p says that a step is 2^(p - 142): numbers then go up to 2^(p - 127). Below the least, a
// step is no normal float.
constexpr int32_t LEAST_POWER = 16, MOST_POWER = 255;
constexpr float COARSE = 16;                    // steps that one means in a number below zero
constexpr int32_t MANTISSA = 23;                // bits of a float after the first
constexpr int32_t NEARLY_TWO = 0x800;           // from 2 less this part on, the next power is taken
constexpr uint32_t THRESHOLDS = 256, BY_ROW = 37, OF_AVERAGES = 128;

// What is added to numbers before they are rounded to the nearest: from -1/2 to 1/2, 256 parts in the
// order of a sequence by the golden ratio. Sixteen lanes in a row lie about evenly; so do those that
// a lane gets in a row of iterations.
struct Dither {
  float part[THRESHOLDS + LANES];

  constexpr Dither() : part() {
    for (uint32_t i = 0; i < THRESHOLDS + LANES; i++)
      part[i] = ((float)(i * 159 % THRESHOLDS) + 0.5f) / (float)THRESHOLDS - 0.5f;
  }
};
constexpr Dither DITHERS;

// Stored rows of a tile, from where its sequence 0 would lie, and the powers of its decisions. Floats
// have no powers and no dither.
template <typename Number>
struct Rows {
  Number* at;
  uint8_t* powers;
  uint32_t dither;
};

INLINE float float_of_bits(int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

INLINE int32_t bits_of_float(float x) {
  int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

INLINE float step_of(uint8_t power) { return float_of_bits((power - 15) << MANTISSA); }

INLINE float steps_in_one(uint8_t power) { return float_of_bits((269 - power) << MANTISSA); }

// The least power by which a size fits.
INLINE uint8_t power_of(float size) {
  const int32_t power = ((bits_of_float(size) + NEARLY_TWO) >> MANTISSA) + 1;
  return (uint8_t)(power < LEAST_POWER ? LEAST_POWER : power > MOST_POWER ? MOST_POWER : power);
}

// How much of the numbers' range sums take.
INLINE Vector size_of(Vector v) { return larger(v, v * fill(-1 / COARSE)); }

INLINE float largest_lane(Vector v) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps(v.part[0]);
#else
  Register most = v.part[0];
  for (int p = 1; p < PARTS; p++) most = larger_part(most, v.part[p]);
  float found = most[0];
  for (int i = 1; i < W; i++) found = most[i] > found ? most[i] : found;
  return found;
#endif
}

// Whether any lane is above zero.
INLINE bool any_positive(Vector v) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(v.part[0], Register{}, _CMP_GT_OQ) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(v.part[0], Register{}, _CMP_GT_OQ),
                                         _mm256_cmp_ps(v.part[1], Register{}, _CMP_GT_OQ))) != 0;
#else
  return any(lanes_above_zero(v));
#endif
}

// Where the dither of a tile begins, by the place of its first row and the count of iterations.
INLINE uint32_t dither_of(Int place, uint32_t count) {
  uint32_t mixed = (uint32_t)place * 0x9E3779B9u;
  mixed = (mixed ^ mixed >> 15) * 0x85EBCA77u;
  return (mixed >> 16) + count;
}

INLINE Vector load(const int16_t* at) {
  Vector v;
#if defined(__AVX512F__)
  v.part[0] = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i*)at)));
#elif defined(__AVX2__)
  EACH_PART v.part[p] =
      _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)(at + p * W))));
#elif defined(__SSE2__)
  for (int h = 0; h < 2; h++) {
    const __m128i eight = _mm_loadu_si128((const __m128i*)(at + h * HALF));
    v.part[2 * h] = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(eight, eight), 16));
    v.part[2 * h + 1] = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpackhi_epi16(eight, eight), 16));
  }
#else
  EACH_PART for (int i = 0; i < W; i++) v.part[p][i] = (float)at[p * W + i];
#endif
  return v;
}

// Write numbers that fit as sixteen of 16 bits.
INLINE void store_shorts(int16_t* at, const Numbers& n) {
#if defined(__AVX512F__)
  _mm256_storeu_si256((__m256i*)at, _mm512_cvtepi32_epi16((__m512i)n.part[0]));
#elif defined(__AVX2__)
  const __m256i mixed = _mm256_packs_epi32((__m256i)n.part[0], (__m256i)n.part[1]);
  _mm256_storeu_si256((__m256i*)at, _mm256_permute4x64_epi64(mixed, 0xD8));
#elif defined(__SSE2__)
  for (int h = 0; h < 2; h++)
    _mm_storeu_si128((__m128i*)(at + h * HALF),
                     _mm_packs_epi32((__m128i)n.part[2 * h], (__m128i)n.part[2 * h + 1]));
#else
  EACH_PART for (int i = 0; i < W; i++) at[p * W + i] = (int16_t)n.part[p][i];
#endif
}

// Write a row of a tile, rounded to whole steps.
INLINE void store_rounded(const Rows<int16_t>& rows, Int row, Vector v, Vector steps) {
  const float* dither = DITHERS.part + (rows.dither + (uint32_t)row * BY_ROW) % THRESHOLDS;
  const Vector scale = choose_positive(v, steps, steps * fill(1 / COARSE));
  store_shorts(rows.at + row * LANES, nearest(multiply_add(v, scale, load(dither))));
}

// Let the power of a decision fit its new sums; the sizes are the largest of each lane.
INLINE Vector fit_power(uint8_t& power, Vector sizes) {
  power = power_of(largest_lane(sizes));
  return fill(steps_in_one(power));
}

}  // namespace
