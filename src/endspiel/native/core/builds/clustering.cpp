// Nearest centers, medians, seeds and samples of clustering; see abstraction/clustering_kernels.py.
//
// Sums over coordinates run through four rows of sixteen lanes, then through eight lanes, then one by
// one, each step with one rounding. So every build gives the same digits, which decide between
// centers that are equally near.
#include "export.h"
#include "layout.h"
#include "simd.h"

namespace {

typedef int64_t Int;
constexpr uint16_t DEAD = 0xFFFF;  // in place of a parent or bucket, for points that count nowhere
constexpr int EIGHT = 8, ROWS = 4;
constexpr float FAR = __builtin_inff();
typedef float Half __attribute__((vector_size(4 * EIGHT)));

// Several numbers as floats. (Compilers take the general conversion apart, number by number.)
template <typename Lanes, typename Number>
INLINE Lanes converted(const Number* at) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Lanes) == sizeof(__m512) && sizeof(Number) == 1)
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)at)));
  if constexpr (sizeof(Lanes) == sizeof(__m512) && sizeof(Number) == 2)
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)at)));
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(Lanes) == sizeof(__m256) && sizeof(Number) == 1)
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)at)));
  if constexpr (sizeof(Lanes) == sizeof(__m256) && sizeof(Number) == 2)
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)at)));
#endif
  Lanes found;
  for (int i = 0; i < (int)(sizeof(Lanes) / sizeof(float)); i++) found[i] = (float)at[i];
  return found;
}

// One number or several, wherever they lie, as floats.
template <typename Lanes, typename Number>
INLINE Lanes read(const Number* at) {
  if constexpr (sizeof(Lanes) == sizeof(float)) {
    return (float)*at;
  } else if constexpr (sizeof(Number) == sizeof(float)) {
    Lanes found;
    __builtin_memcpy(&found, at, sizeof found);
    return found;
  } else {
    return converted<Lanes>(at);
  }
}

// Magnitudes: without the sign bits.
template <typename Lanes>
INLINE Lanes positive(Lanes x) {
  if constexpr (sizeof(Lanes) == sizeof(float)) {
    return __builtin_fabsf(x);
  } else {
    typedef int32_t Bits __attribute__((vector_size(sizeof(Lanes))));
    return (Lanes)((Bits)x & 0x7FFFFFFF);
  }
}

INLINE Half multiply_add(Half a, Half b, Half c) {
#if defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int part = 0; part < EIGHT; part += W)
    put((float*)&c + part, multiply_add_part(get((float*)&a + part), get((float*)&b + part),
                                             get((float*)&c + part)));
  return c;
#endif
}

// The sum of eight lanes: the upper half onto the lower, three times.
INLINE float folded(Half x) {
  auto four = __builtin_shufflevector(x, x, 0, 1, 2, 3);
  four += __builtin_shufflevector(x, x, 4, 5, 6, 7);
  four += __builtin_shufflevector(four, four, 2, 3, 0, 1);
  return four[0] + four[1];
}

// The sum of sixteen lanes likewise.
INLINE float folded(Vector v) {
  float x[LANES];
  store(x, v);
  return folded(read<Half>(x) + read<Half>(x + EIGHT));
}

// The sum of lengths times what `of` makes of the coordinates from a place on.
template <typename Of>
INLINE float weighted(const float* length, Int gaps, const Of& of) {
  Int at = 0;
  float total = 0;
  if (gaps >= ROWS * LANES) {
    Vector sums[ROWS] = {};
    for (; at + ROWS * LANES <= gaps; at += ROWS * LANES)
      for (int r = 0; r < ROWS; r++)
        EACH_PART {
          const Int from = at + r * LANES + p * W;
          sums[r].part[p] = multiply_add_part(of(from, Register{}), get(length + from), sums[r].part[p]);
        }
    total = folded((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
  if (gaps - at >= EIGHT) {
    Half sum = {total};
    for (; at + EIGHT <= gaps; at += EIGHT)
      sum = multiply_add(of(at, Half{}), read<Half>(length + at), sum);
    total = folded(sum);
  }
  for (; at < gaps; at++) total = __builtin_fmaf(of(at, 0.f), length[at], total);
  return total;
}

// Weighted L1 distance.
template <typename Number>
INLINE float apart(const Number* point, const Number* center, const float* length, Int gaps) {
  return weighted(length, gaps, [&](Int at, auto kind) {
    typedef decltype(kind) Lanes;
    return positive(read<Lanes>(point + at) - read<Lanes>(center + at));
  });
}

// Weighted sum of coordinates: two points are at least as far apart as their sums.
INLINE float projected(const float* point, const float* length, Int gaps) {
  return weighted(length, gaps, [&](Int at, auto kind) { return read<decltype(kind)>(point + at); });
}

// The first of ascending numbers that is not below a value (or above, where equal ones are too low).
template <typename Number>
INLINE Int first_from(const Number* numbers, Int count, Number value, bool beyond) {
  Int low = 0, high = count;
  while (low < high) {
    const Int middle = (low + high) / 2;
    const bool under = beyond ? numbers[middle] <= value : numbers[middle] < value;
    low = under ? middle + 1 : low;
    high = under ? high : middle;
  }
  return low;
}

// The nearest of centers that ascend by their sums, searched outward from the point's own sum.
Int nearest(const float* point, const float* centers, const float* sums, Int count,
            const float* length, Int gaps, float* how_far) {
  const float own = projected(point, length, gaps);
  Int above = first_from(sums, count, own, false), under = above - 1, best = -1;
  float least = FAR;
  for (;;) {
    const float up = above < count ? sums[above] - own : FAR;
    const float down = under >= 0 ? own - sums[under] : FAR;
    if ((up < down ? up : down) >= least) break;
    const Int at = up < down ? above++ : under--;
    const float far = apart(point, centers + at * gaps, length, gaps);
    if (far < least) least = far, best = at;
  }
  *how_far = least;
  return best;
}

// Coordinates as floats.
template <typename Count>
INLINE void widen(const Count* from, Int gaps, float* point) {
  Int gap = 0;
  for (; gap + EIGHT <= gaps; gap += EIGHT) {
    const Half eight = read<Half>(from + gap);
    __builtin_memcpy(point + gap, &eight, sizeof eight);
  }
  for (; gap < gaps; gap++) point[gap] = (float)from[gap];
}

template <typename Count>
void give_points(const Count* points, Int count, const float* length, Int gaps, const float* centers,
                 const float* sums, Int held, float* point, int32_t* labels, float* far) {
  for (Int i = 0; i < count; i++) {
    widen(points + i * gaps, gaps, point);
    labels[i] = (int32_t)nearest(point, centers, sums, held, length, gaps, far + i);
  }
}

template <typename Count>
void give_children(const Count* points, const uint16_t* parents, Int count, const float* length,
                   Int gaps, const Family& family, float* point, uint16_t* labels, float* far) {
  for (Int i = 0; i < count; i++) {
    if (parents[i] == DEAD) {
      labels[i] = DEAD, far[i] = 0;
      continue;
    }
    widen(points + i * gaps, gaps, point);
    const Int start = family.first[parents[i]], held = family.first[parents[i] + 1] - start;
    const Int best = nearest(point, family.centers + start * gaps, family.sums + start, held, length,
                             gaps, far + i);
    labels[i] = family.number[start + best];
  }
}

// Draw seeds by weight times distance to the nearest seed before; how many there are.
template <typename Count>
Int draw(const Count* points, const Int* weight, Int count, const float* length, Int gaps,
         double* far, const double* draws, Int wanted, double* reached, Int* seeds) {
  const auto chance = [&](Int i) { return (double)weight[i] * (far[i] == (double)FAR ? 1 : far[i]); };
  for (Int at = 0; at < wanted; at++) {
    double total = 0;
    for (Int i = 0; i < count; i++) reached[i] = total = total + chance(i);
    if (total <= 0) return at;
    Int seed = first_from(reached, count, draws[at] * total, true);
    seed = seed < count ? seed : count - 1;
    while (chance(seed) <= 0) seed--;  // rounding at the end of the sum
    seeds[at] = seed;
    for (Int i = 0; i < count; i++) {
      const double own = apart(points + i * gaps, points + seed * gaps, length, gaps);
      far[i] = own < far[i] ? own : far[i];
    }
  }
  return wanted;
}

}  // namespace

// Give every point its nearest center. Points take one byte a coordinate or two; `point` has space
// for one.
BOARD_KERNEL(assign_points)(const void* points, Int bytes, Int count, const float* length, Int gaps,
                            const float* centers, const float* sums, Int held, float* point,
                            int32_t* labels, float* far) {
  if (bytes == 1)
    give_points((const uint8_t*)points, count, length, gaps, centers, sums, held, point, labels, far);
  else
    give_points((const uint16_t*)points, count, length, gaps, centers, sums, held, point, labels, far);
}

// Give every point the nearest among the children of its parent.
BOARD_KERNEL(assign_children)(const void* points, Int bytes, const uint16_t* parents, Int count,
                              const float* length, Int gaps, const Family* family, float* point,
                              uint16_t* labels, float* far) {
  if (bytes == 1)
    give_children((const uint8_t*)points, parents, count, length, gaps, *family, point, labels, far);
  else
    give_children((const uint16_t*)points, parents, count, length, gaps, *family, point, labels, far);
}

// Draw seeds, `far` [count] being lowered to the distance to the nearest: into seeds [wanted + 1],
// whose last place says how many they are. `reached` has space for a number of each point.
BOARD_KERNEL(draw_seeds)(const void* points, Int bytes, const Int* weight, Int count,
                         const float* length, Int gaps, double* far, const double* draws, Int wanted,
                         double* reached, Int* seeds) {
  seeds[wanted] = bytes == 1 ? draw((const uint8_t*)points, weight, count, length, gaps, far, draws,
                                    wanted, reached, seeds)
                             : draw((const uint16_t*)points, weight, count, length, gaps, far, draws,
                                    wanted, reached, seeds);
}
