// Sixteen 32-bit whole numbers in registers, beside the sixteen floats of simd.h. They wrap around
// as machine numbers do.
#pragma once
#include "simd.h"

namespace {

constexpr int HALF = LANES / 2;
typedef uint32_t IntRegister __attribute__((vector_size(4 * W)));
typedef int32_t SignedRegister __attribute__((vector_size(4 * W)));
typedef uint32_t Four __attribute__((vector_size(16)));  // lanes
typedef uint64_t TwoWords __attribute__((vector_size(16)));

struct Numbers {
  IntRegister part[PARTS];
};

INLINE IntRegister repeated_number(uint32_t x) { return IntRegister{} + x; }

// All bits of the lanes before a count.
INLINE Numbers first_lanes(int count) {
  IntRegister places;
  for (int i = 0; i < W; i++) places[i] = (uint32_t)i;
  Numbers n;
  EACH_PART n.part[p] = (IntRegister)((SignedRegister)places < SignedRegister{} + (count - p * W));
  return n;
}

INLINE Vector keep(Vector v, const Numbers& lanes) {
  EACH_PART v.part[p] = (Register)((IntRegister)v.part[p] & lanes.part[p]);
  return v;
}

INLINE Numbers keep(Numbers n, const Numbers& lanes) {
  EACH_PART n.part[p] &= lanes.part[p];
  return n;
}

// All bits of the lanes that are NaN or not within -bound to bound, besides those of `lanes`.
INLINE Numbers lanes_beyond(Vector v, float bound, Numbers lanes) {
  EACH_PART {
    const Register size = (Register)((IntRegister)v.part[p] & 0x7fffffffu);
    lanes.part[p] |= ~(IntRegister)(size <= repeated(bound));
  }
  return lanes;
}

// All bits of the lanes that are above zero.
INLINE Numbers lanes_above_zero(Vector v) {
  Numbers n;
  EACH_PART n.part[p] = (IntRegister)(v.part[p] > Register{});
  return n;
}

// Floats of moderate size as the nearest whole numbers, halves as even ones.
INLINE Numbers nearest(Vector v) {
  Numbers n;
#if defined(__AVX512F__)
  EACH_PART n.part[p] = (IntRegister)_mm512_cvtps_epi32(v.part[p]);
#elif defined(__AVX2__)
  EACH_PART n.part[p] = (IntRegister)_mm256_cvtps_epi32(v.part[p]);
#elif defined(__SSE2__)
  EACH_PART n.part[p] = (IntRegister)_mm_cvtps_epi32(v.part[p]);
#elif defined(__ARM_NEON)
  EACH_PART n.part[p] = (IntRegister)vcvtnq_s32_f32(v.part[p]);
#else
  EACH_PART for (int i = 0; i < W; i++)
    n.part[p][i] = (uint32_t)(int32_t)__builtin_rintf(v.part[p][i]);
#endif
  return n;
}

INLINE Vector to_floats(const Numbers& n) {
  Vector v;
  EACH_PART v.part[p] = __builtin_convertvector((SignedRegister)n.part[p], Register);
  return v;
}

// Numbers as floats, with the signs of others: zeros may be negative.
INLINE Vector to_floats(const Numbers& n, Vector signs) {
  Vector v = to_floats(n);
  EACH_PART {
    const IntRegister sign = (IntRegister)signs.part[p] & 0x80000000u;
    v.part[p] = (Register)((IntRegister)v.part[p] | sign);
  }
  return v;
}

// Sixteen bytes.
INLINE Numbers load_bytes(const uint8_t* at) {
  Numbers n;
#if defined(__AVX512F__)
  n.part[0] = (IntRegister)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)at));
#elif defined(__AVX2__)
  const __m128i bytes = _mm_loadu_si128((const __m128i*)at);
  n.part[0] = (IntRegister)_mm256_cvtepu8_epi32(bytes);
  n.part[1] = (IntRegister)_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8));
#else
  EACH_PART for (int i = 0; i < W; i++) n.part[p][i] = at[p * W + i];
#endif
  return n;
}

// Write numbers below 256 as sixteen bytes.
INLINE void store_bytes(uint8_t* at, const Numbers& n) {
#if defined(__AVX512F__)
  _mm_storeu_si128((__m128i*)at, _mm512_cvtepi32_epi8((__m512i)n.part[0]));
#elif defined(__AVX2__)
  const __m256i both = _mm256_packs_epi32((__m256i)n.part[0], (__m256i)n.part[1]);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);
  const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(both, both), order);
  _mm_storeu_si128((__m128i*)at, _mm256_castsi256_si128(bytes));
#else
  EACH_PART for (int i = 0; i < W; i++) at[p * W + i] = (uint8_t)n.part[p][i];
#endif
}

INLINE int32_t last_of(const Numbers& n) { return (int32_t)n.part[PARTS - 1][W - 1]; }

template <int... I>
INLINE IntRegister moved(IntRegister numbers, IntRegister before, Places<I...>) {
  return __builtin_shufflevector(numbers, before, (I ? I - 1 : 2 * W - 1)...);
}

// What each lane adds to the one before it, folded to 0, 1, 2, ...: -1 becomes 1, 1 becomes 2, -2
// becomes 3. `before` stands before the first lane.
INLINE Numbers folded_steps(const Numbers& n, int32_t before) {
  constexpr typename Upto<W>::type all{};
  Numbers folded;
  EACH_PART {
    const IntRegister earlier = p ? n.part[p ? p - 1 : 0] : repeated_number((uint32_t)before);
    const IntRegister steps = n.part[p] - moved(n.part[p], earlier, all);
    folded.part[p] = steps << 1 ^ (IntRegister)((SignedRegister)steps >> 31);
  }
  return folded;
}

// `yes` in the lower eight lanes if `low` and in the upper ones if `high`, `no` elsewhere.
INLINE Numbers choose_halves(bool low, bool high, const Numbers& yes, const Numbers& no) {
  Numbers n;
#if defined(__AVX512F__)
  const __mmask16 chosen = (__mmask16)((low ? 0xff : 0) | (high ? 0xff00 : 0));
  n.part[0] = (IntRegister)_mm512_mask_mov_epi32((__m512i)no.part[0], chosen, (__m512i)yes.part[0]);
#elif defined(__AVX2__)
  const __m256i mask[] = {_mm256_set1_epi32(-(int)low), _mm256_set1_epi32(-(int)high)};
  EACH_PART {
    const __m256i chosen = (__m256i)yes.part[p], other = (__m256i)no.part[p];
    n.part[p] = (IntRegister)_mm256_blendv_epi8(other, chosen, mask[p]);
  }
#else
  EACH_PART {
    const IntRegister mask = repeated_number(0u - (uint32_t)(p * W < HALF ? low : high));
    n.part[p] = (yes.part[p] & mask) | (no.part[p] & ~mask);
  }
#endif
  return n;
}

// Bits of the longest number of the lower eight lanes, and of the upper ones; no sign.
struct Widths {
  int low, high;
};

INLINE int width_of(uint32_t x) { return 63 ^ __builtin_clzll((uint64_t)x << 1 | 1); }

// The bits that any of the lower eight lanes has, and above them those of the upper ones.
INLINE uint64_t bits_of_halves(const Numbers& n) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
  const __m256i low = _mm512_castsi512_si256((__m512i)n.part[0]);
  const __m256i high = _mm512_extracti64x4_epi64((__m512i)n.part[0], 1);
#else
  const __m256i low = (__m256i)n.part[0], high = (__m256i)n.part[1];
#endif
  const __m256i mixed = _mm256_unpacklo_epi32(low, high) | _mm256_unpackhi_epi32(low, high);
  const TwoWords both =
      (TwoWords)(_mm256_castsi256_si128(mixed) | _mm256_extracti128_si256(mixed, 1));
#else
  const Four low = n.part[0] | n.part[1], high = n.part[2] | n.part[3];
  const TwoWords both = (TwoWords)(__builtin_shufflevector(low, high, 0, 4, 1, 5) |
                                   __builtin_shufflevector(low, high, 2, 6, 3, 7));
#endif
  return both[0] | both[1];
}

INLINE bool any(const Numbers& n) { return bits_of_halves(n) != 0; }

INLINE Widths widths_of(const Numbers& n) {
  const uint64_t longest = bits_of_halves(n);
  return {width_of((uint32_t)longest), width_of((uint32_t)(longest >> 32))};
}

// Lanes so many places earlier in the same half (of fewer lanes, in the same register), else zeros.
template <int by, int... I>
INLINE IntRegister earlier_in_half(IntRegister n, Places<I...>) {
  return __builtin_shufflevector(n, IntRegister{}, (I % HALF >= by ? I - by : W)...);
}

// The numbers whose folded steps these are; the lower half is the numbers themselves if `low`, and
// the upper half if `high`.
INLINE Numbers sums_of_steps(const Numbers& folded, int32_t before, bool low, bool high) {
  constexpr typename Upto<W>::type all{};
  Numbers sums, lower, upper;
  EACH_PART {
    const IntRegister one = folded.part[p] >> 1 ^ (IntRegister{} - (folded.part[p] & 1));
    const IntRegister two = one + earlier_in_half<1>(one, all);
    const IntRegister four = two + earlier_in_half<2>(two, all);
    if constexpr (W == 4)
      sums.part[p] = p % 2 ? four + sums.part[p % 2 ? p - 1 : p][3] : four;
    else
      sums.part[p] = four + earlier_in_half<4>(four, all);
  }
  EACH_PART lower.part[p] = sums.part[p] + (uint32_t)before;
  lower = choose_halves(low, low, folded, lower);
  const uint32_t middle = lower.part[(HALF - 1) / W][(HALF - 1) % W];
  EACH_PART upper.part[p] = sums.part[p] + middle;
  upper = choose_halves(high, high, folded, upper);
  return choose_halves(true, false, lower, upper);
}

}  // namespace
