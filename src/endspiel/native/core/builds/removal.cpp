// Card removal: how much of a range each hand leaves to be held against it.
//
// Hands of one higher card are neighbors, by their lower card: a row. Sums over a row go through
// sixteen lanes, which are added up in halves, so that every build gives the same digits.
#include "export.h"
#include "simd.h"
#include "strengths.h"

namespace {

constexpr int BLOCKS = 4, PADDED = BLOCKS * LANES;  // of a row
constexpr int LAST = CARDS - 1, LAST_ROW = HANDS - LAST;

template <typename Number>
struct Row {
  static constexpr int HELD = 4 * W / (int)sizeof(Number), COUNT = LANES / HELD;
  typedef Number Part __attribute__((vector_size(4 * W)));
  typedef Number AnyPart __attribute__((vector_size(4 * W), aligned(sizeof(Number)), may_alias));
  typedef int32_t Bits __attribute__((vector_size(4 * W)));
  typedef int32_t AnyBits __attribute__((vector_size(4 * W), aligned(4), may_alias));
  Part part[COUNT];
};

#define EACH(Number) for (int p = 0; p < Row<Number>::COUNT; p++)

template <typename Number>
INLINE Row<Number> read(const Number* at) {
  Row<Number> row;
  EACH(Number) row.part[p] = *(const typename Row<Number>::AnyPart*)(at + p * Row<Number>::HELD);
  return row;
}

template <typename Number>
INLINE void write(Number* at, const Row<Number>& row) {
  EACH(Number) *(typename Row<Number>::AnyPart*)(at + p * Row<Number>::HELD) = row.part[p];
}

// The first lanes of a row, zero in place of the others.
template <typename Number>
INLINE Row<Number> first_lanes(Row<Number> row, int lanes) {
  typedef typename Row<Number>::Bits Bits;
  constexpr int WORDS = sizeof(Number) / 4;
  static const struct Ones {
    int32_t words[4 * LANES];
    constexpr Ones() : words() {
      for (int i = 0; i < 2 * LANES; i++) words[i] = -1;
    }
  } ones;
  const int32_t* at = ones.words + 2 * LANES - lanes * WORDS;
  EACH(Number) {
    const Bits kept = *(const typename Row<Number>::AnyBits*)(at + p * W);
    row.part[p] = (typename Row<Number>::Part)((Bits)row.part[p] & kept);
  }
  return row;
}

template <typename Number>
INLINE void add(Row<Number>& to, const Row<Number>& row) {
  EACH(Number) to.part[p] += row.part[p];
}

// A register with the entries that lie `half` further on.
template <int half, typename Part, int... I>
INLINE Part moved(Part part, Places<I...>) {
  return __builtin_shufflevector(part, part, ((I + half) % (int)sizeof...(I))...);
}

// The sum of sixteen lanes: the upper half onto the lower, four times.
template <typename Number>
INLINE Number folded(Row<Number> row) {
  constexpr int HELD = Row<Number>::HELD;
  constexpr typename Upto<HELD>::type all{};
  for (int half = Row<Number>::COUNT / 2; half; half /= 2)
    for (int p = 0; p < half; p++) row.part[p] += row.part[p + half];
  auto sum = row.part[0];
  if constexpr (HELD > 8) sum += moved<8>(sum, all);
  if constexpr (HELD > 4) sum += moved<4>(sum, all);
  if constexpr (HELD > 2) sum += moved<2>(sum, all);
  return sum[0] + sum[1];
}

template <typename Number>
void fill_left(const Number* weights, Number* left) {
  Number last[PADDED] = {}, of_row[PADDED] = {}, by_card[PADDED];
  for (int low = 0; low < LAST; low++) last[low] = weights[LAST_ROW + low];
  Row<Number> columns[BLOCKS] = {}, all = {};
  for (int high = 1, first = 0; high < CARDS; first += high, high++) {
    const Number* row = high == LAST ? last : weights + first;
    Row<Number> sum = {};
    for (int b = 0; b < BLOCKS; b++) {
      const int lanes = high - b * LANES;
      if (lanes <= 0) break;
      Row<Number> held = read(row + b * LANES);
      if (lanes < LANES) held = first_lanes(held, lanes);
      add(columns[b], held);
      add(sum, held);
    }
    of_row[high] = folded(sum);
  }
  for (int b = 0; b < BLOCKS; b++) {
    add(columns[b], read(of_row + b * LANES));
    write(by_card + b * LANES, columns[b]);
    add(all, columns[b]);
  }
  const Number total = folded(all) * Number(.5);
  const typename Row<Number>::Part none = {};
  for (int high = 1, first = 0; high < CARDS; first += high, high++) {
    const Number *row = high == LAST ? last : weights + first, rest = total - by_card[high];
    Number* to = high == LAST ? last : left + first;  // what runs over the end is written again
    for (int low = 0; low < high; low += LANES) {
      Row<Number> held = read(row + low);
      const Row<Number> taken = read(by_card + low);
      EACH(Number) {
        held.part[p] = (rest - taken.part[p]) + held.part[p];
        held.part[p] = held.part[p] > none ? held.part[p] : none;
      }
      write(to + low, held);
    }
  }
  for (int low = 0; low < LAST; low++) left[LAST_ROW + low] = last[low];
}

}  // namespace

// What each hand leaves of ranges [ranges, 1326], in 32 or in 64 bits.
BOARD_KERNEL(fill_unblocked_float)(const float* ranges, Int count, float* left) {
  for (Int at = 0; at < count; at++) fill_left(ranges + at * HANDS, left + at * HANDS);
}

BOARD_KERNEL(fill_unblocked_double)(const double* ranges, Int count, double* left) {
  for (Int at = 0; at < count; at++) fill_left(ranges + at * HANDS, left + at * HANDS);
}
