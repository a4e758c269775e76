// Numbers side by side: as many at a time as a register holds, then half as many, at last one by one.
//
// No sum may run along a span but `dot`'s, so that every build adds in the same order.
#pragma once
#include "simd.h"

namespace {

typedef int64_t Int;

template <typename Number, int N>
struct Several {
  typedef Number Held __attribute__((vector_size(N * sizeof(Number))));
};
template <typename Number>
struct Several<Number, 1> {
  typedef Number Held;
};
template <typename Number, int N>
using Held = typename Several<Number, N>::Held;
template <typename Number>
constexpr int FULL = 4 * W / (int)sizeof(Number);  // of a register

template <int N, typename Number>
INLINE Held<Number, N> read(const Number* at) {
  Held<Number, N> value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

template <typename Number, typename Value>
INLINE void write(Number* at, const Value& value) {
  __builtin_memcpy(at, &value, sizeof value);
}

// How many are worked on at once, as a type.
template <int N>
struct Count {
  constexpr operator int() const { return N; }
};

template <typename Number, int N = FULL<Number>, typename Work>
INLINE void along(Int length, const Work& work, Int k = 0) {
  for (; k + N <= length; k += N) work(k, Count<N>{});
  constexpr int fewer = N * sizeof(Number) > 16 ? N / 2 : 1;
  if constexpr (N > 1) along<Number, fewer>(length, work, k);
}

// The sum of products, through eight sums that are added up in halves.
INLINE double dot(const double* a, const double* b, Int length) {
  constexpr int SUMS = 8, N = FULL<double>;
  Held<double, N> parts[SUMS / N] = {};
  Int k = 0;
  for (; k + SUMS <= length; k += SUMS)
    for (int p = 0; p < SUMS / N; p++)
      parts[p] += read<N>(a + k + p * N) * read<N>(b + k + p * N);
  double sums[SUMS];
  for (int p = 0; p < SUMS / N; p++) write(sums + p * N, parts[p]);
  for (int i = 0; k + i < length; i++) sums[i] += a[k + i] * b[k + i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace
