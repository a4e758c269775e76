// Sixteen floats as one, two or four machine registers: the same text for every instruction set.
//
// Operations have one rounding each and happen in the order in which they are written, so that
// every build gives the same digits. The files are compiled with -ffp-contract=off.
#pragma once
#include <stdint.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 16  // floats of a register
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
#define INLINE static inline __attribute__((always_inline))

namespace {

constexpr int LANES = 16, W = WIDTH, PARTS = LANES / W;
typedef float Register __attribute__((vector_size(4 * W)));
typedef float Unaligned __attribute__((vector_size(4 * W), aligned(4), may_alias));

struct Vector {
  Register part[PARTS];
};

INLINE Register get(const float* at) { return *(const Unaligned*)at; }
INLINE void put(float* at, Register value) { *(Unaligned*)at = value; }
INLINE Register repeated(float value) { return Register{} + value; }

// a * b + c with one rounding. Processors without such an instruction ask the C library for it.
INLINE Register multiply_add_part(Register a, Register b, Register c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_NEON)
  return vfmaq_f32(c, a, b);
#else
  Register out;
  for (int i = 0; i < W; i++) out[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return out;
#endif
}

// a > b ? a : b, as the instruction of x86 has it.
INLINE Register larger_part(Register a, Register b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#elif defined(__SSE2__)
  return _mm_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}

// Entries of a row by their places, zero for a place of -1.
INLINE Register gather_part(const float* row, const int32_t* places) {
#if defined(__AVX512F__)
  const __m512i at = _mm512_loadu_si512(places);
  const __mmask16 held = _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512());
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), held, at, row, 4);
#elif defined(__AVX2__)
  const __m256i at = _mm256_loadu_si256((const __m256i*)places);
  const __m256i held = _mm256_cmpgt_epi32(at, _mm256_set1_epi32(-1));
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), row, at, _mm256_castsi256_ps(held), 4);
#else
  Register out;
  for (int i = 0; i < W; i++) out[i] = places[i] >= 0 ? row[places[i]] : 0.f;
  return out;
#endif
}

#define EACH_PART for (int p = 0; p < PARTS; p++)

INLINE Vector load(const float* at) {
  Vector v;
  EACH_PART v.part[p] = get(at + p * W);
  return v;
}

INLINE void store(float* at, Vector v) { EACH_PART put(at + p * W, v.part[p]); }

INLINE Vector fill(float x) {
  Vector v;
  EACH_PART v.part[p] = repeated(x);
  return v;
}

INLINE Vector operator+(Vector a, Vector b) {
  EACH_PART a.part[p] = a.part[p] + b.part[p];
  return a;
}

INLINE Vector operator-(Vector a, Vector b) {
  EACH_PART a.part[p] = a.part[p] - b.part[p];
  return a;
}

INLINE Vector operator*(Vector a, Vector b) {
  EACH_PART a.part[p] = a.part[p] * b.part[p];
  return a;
}

INLINE Vector operator/(Vector a, Vector b) {
  EACH_PART a.part[p] = a.part[p] / b.part[p];
  return a;
}

INLINE Vector larger(Vector a, Vector b) {
  EACH_PART a.part[p] = larger_part(a.part[p], b.part[p]);
  return a;
}

INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
  EACH_PART a.part[p] = multiply_add_part(a.part[p], b.part[p], c.part[p]);
  return a;
}

INLINE Vector choose_positive(Vector test, Vector yes, Vector no) {
  EACH_PART yes.part[p] = test.part[p] > Register{} ? yes.part[p] : no.part[p];
  return yes;
}

INLINE Vector gather(const float* row, const int32_t* places) {
  Vector v;
  EACH_PART v.part[p] = gather_part(row, places + p * W);
  return v;
}

INLINE void add_to(float* at, Vector value) { store(at, load(at) + value); }
INLINE void prefetch(const void* at) { __builtin_prefetch(at, 0, 2); }

// Transposition: rows that are `bit` apart trade halves of every 2 * bit entries.
template <int... I>
struct Places {};
template <int N, int... I>
struct Upto : Upto<N - 1, N - 1, I...> {};
template <int... I>
struct Upto<0, I...> {
  typedef Places<I...> type;
};

template <int bit, int... I>
INLINE Register lower(Register a, Register b, Places<I...>) {
  return __builtin_shufflevector(a, b, ((I & bit) ? I - bit + W : I)...);
}

template <int bit, int... I>
INLINE Register upper(Register a, Register b, Places<I...>) {
  return __builtin_shufflevector(a, b, ((I & bit) ? I + W : I + bit)...);
}

template <int bit>
INLINE void trade(Register* rows) {
  constexpr typename Upto<W>::type all{};
  for (int i = 0; i < W; i++) {
    if (i & bit) continue;
    const Register a = rows[i], b = rows[i + bit];
    rows[i] = lower<bit>(a, b, all);
    rows[i + bit] = upper<bit>(a, b, all);
  }
}

INLINE void transpose(Register* rows) {  // [W][W]
  trade<1>(rows);
  trade<2>(rows);
  if constexpr (W > 4) trade<4>(rows);
  if constexpr (W > 8) trade<8>(rows);
}

// Sixteen rows of sixteen, picked by number, transposed and laid side by side.
INLINE void transpose_rows(const float* from, const int64_t* rows, float* to) {
  for (int i = 0; i < PARTS; i++)
    for (int j = 0; j < PARTS; j++) {
      Register block[W];
      for (int k = 0; k < W; k++) block[k] = get(from + rows[i * W + k] * LANES + j * W);
      transpose(block);
      for (int k = 0; k < W; k++) put(to + (j * W + k) * LANES + i * W, block[k]);
    }
}

// Sixteen rows that lie side by side, transposed, each times its scale added to a row by number.
// Numbers may repeat: rows are added in order.
INLINE void add_transposed(const float* from, const int64_t* rows, const float* scales, float* to) {
  for (int i = 0; i < PARTS; i++)
    for (int j = 0; j < PARTS; j++) {
      Register block[W];
      for (int k = 0; k < W; k++) block[k] = get(from + (i * W + k) * LANES + j * W);
      transpose(block);
      for (int k = 0; k < W; k++) {
        float* place = to + rows[j * W + k] * LANES + i * W;
        put(place, multiply_add_part(block[k], repeated(scales[j * W + k]), get(place)));
      }
    }
}

}  // namespace
