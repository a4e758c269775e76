// Fixed-point numbers packed without loss; kernels/packing.py explains the format.
#include "bit_planes.h"
#include "export.h"
#include "layout.h"

namespace {

typedef int64_t Int;
constexpr float LARGEST = 0x1p30f;  // numbers whose differences fit into 32 bits once folded
constexpr int PLAIN = 64, RUN = 128;   // in a first byte: numbers, not steps; rows without a change
constexpr int LONGEST_RUN = 256 - RUN;
constexpr int BITS = 8;  // of a number that a word of planes has
constexpr int SHORT = 2 * BITS;  // numbers of so many bits are packed at one go, as nearly all are
constexpr int WIDEST = 32;

constexpr uint64_t FIRST_BYTES[] = {  // of a word, by how many
    0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, ~0ull};

inline int least_of(int a, int b) { return a < b ? a : b; }
inline int most_of(int a, int b) { return a > b ? a : b; }

INLINE uint64_t load_word(const uint8_t* at) {
  uint64_t word;
  __builtin_memcpy(&word, at, sizeof word);
  return word;
}

INLINE void store_word(uint8_t* at, uint64_t word) { __builtin_memcpy(at, &word, sizeof word); }

// Write the bits of numbers of at most 16 each, without a branch that may go either way; returns
// where they end.
INLINE uint8_t* put_short_planes(uint8_t* to, const Numbers& numbers, Widths wide) {
  const ShortPlanes planes = short_planes_of(numbers);
  store_word(to, planes.first[0]);
  store_word(to + BITS, planes.next[0]);
  to += wide.low;  // over what was written behind the lower lanes' bits
  store_word(to, planes.first[1]);
  store_word(to + BITS, planes.next[1]);
  return to + wide.high;
}

// Write the bits of numbers whose lower and upper lanes have so many; returns where they end.
uint8_t* put_planes(uint8_t* to, const Numbers& numbers, Widths wide) {
  uint64_t upper[WIDEST / BITS];
  for (int bit = 0; bit < most_of(wide.low, wide.high); bit += BITS) {
    const TwoWords planes = planes_of(numbers, bit);
    store_word(to + bit, planes[0]);
    upper[bit / BITS] = planes[1];
  }
  to += wide.low;
  for (int bit = 0; bit < wide.high; bit += BITS) store_word(to + bit, upper[bit / BITS]);
  return to + wide.high;
}

// Numbers whose lower and upper lanes have so many bits, at most 16.
INLINE Numbers short_planes(const uint8_t* at, Widths wide) {
  const int low = least_of(wide.low, BITS), high = least_of(wide.high, BITS);
  const uint8_t* upper = at + wide.low;
  ShortPlanes planes{{load_word(at), load_word(upper)},
                     {load_word(at + low), load_word(upper + high)}};
  planes.first &= TwoWords{FIRST_BYTES[low], FIRST_BYTES[high]};
  planes.next &= TwoWords{FIRST_BYTES[wide.low - low], FIRST_BYTES[wide.high - high]};
  return from_short_planes(planes);
}

// Eight bits of eight lanes that have so many in all, from a bit on.
inline uint64_t load_planes(const uint8_t* at, int wide, int bit) {
  return load_word(at + least_of(bit, wide)) & FIRST_BYTES[most_of(least_of(wide - bit, BITS), 0)];
}

// Numbers whose lower and upper lanes have so many bits.
Numbers planes(const uint8_t* at, Widths wide) {
  Numbers numbers{};
  for (int bit = 0; bit < most_of(wide.low, wide.high); bit += BITS) {
    const TwoWords words{load_planes(at, wide.low, bit),
                         load_planes(at + wide.low, wide.high, bit)};
    numbers = with_planes(numbers, words, bit);
  }
  return numbers;
}

// Where packed bytes are written, and in how many rows so far nothing changed.
struct Writer {
  uint8_t* to;
  int still;
};

INLINE void put_run(Writer& w) {
  *w.to++ = (uint8_t)(RUN + w.still - 1);
  w.still = 0;
}

// Append a row of `count` numbers, as steps or, where these are shorter, as they are.
INLINE void put_row(Writer& w, const Numbers& numbers, Numbers steps, int count) {
  Widths wide = widths_of(steps);
  if (wide.low + wide.high == 0) {
    if (++w.still == LONGEST_RUN) put_run(w);
    return;
  }
  if (w.still > 0) put_run(w);
  const Widths plain = widths_of(numbers);
  const bool low_as = plain.low < wide.low, high_as = plain.high < wide.high;
  steps = choose_halves(low_as, high_as, numbers, steps);
  wide = {least_of(wide.low, plain.low), least_of(wide.high, plain.high)};
  *w.to++ = (uint8_t)(wide.low + (low_as ? PLAIN : 0));
  if (count > HALF) *w.to++ = (uint8_t)(wide.high + (high_as ? PLAIN : 0));
  if (most_of(wide.low, wide.high) <= SHORT)
    w.to = put_short_planes(w.to, steps, wide);
  else
    w.to = put_planes(w.to, steps, wide);
}

}  // namespace

// Round values to whole numbers of 1 / scale, no less than `least`, and pack them; returns how many
// bytes that takes, or -1 where a value is too large. `before` [rows] is space.
EXPORT Int NAMED(pack, BUILD)(float* values, const PackedShape* shape, double scale, double least,
                              int32_t* before, uint8_t* out) {
  const Vector up = fill((float)scale), down = fill(1.f / (float)scale), floor = fill((float)least);
  const Int rows = shape->rows;
  Writer writer{out, 0};
  for (Int b = 0; b < shape->hands_size; b++) {
    Numbers beyond{};
    Int left = shape->hands[b];
    for (Int row = 0; row < rows; row++) before[row] = 0;
    for (Int t = shape->starts[b]; t < shape->starts[b + 1]; t++, left -= LANES) {
      const int count = (int)(left < LANES ? left : LANES);
      const Numbers lanes = first_lanes(count);
      for (Int row = 0; row < rows; row++) {
        float* at = values + (t * rows + row) * LANES;
        const Vector value = keep(larger(floor, load(at)), lanes) * up;  // NaN stays NaN
        beyond = lanes_beyond(value, LARGEST, beyond);
        const Numbers numbers = nearest(value);
        store(at, to_floats(numbers, value) * down);
        const Numbers steps = keep(folded_steps(numbers, before[row]), lanes);
        before[row] = last_of(numbers);
        put_row(writer, numbers, steps, count);
      }
    }
    if (any(beyond)) return -1;
  }
  if (writer.still > 0) put_run(writer);
  return writer.to - out;
}

// Fill in the values that bytes say. `before` [rows] is space.
BOARD_KERNEL(unpack)(const uint8_t* at, const PackedShape* shape, double scale, int32_t* before,
                     float* to) {
  const Vector down = fill(1.f / (float)scale);
  const Int rows = shape->rows;
  int still = 0;
  for (Int b = 0; b < shape->hands_size; b++) {
    Int left = shape->hands[b];
    for (Int row = 0; row < rows; row++) before[row] = 0;
    for (Int t = shape->starts[b]; t < shape->starts[b + 1]; t++, left -= LANES) {
      const int count = (int)(left < LANES ? left : LANES);
      const Numbers lanes = first_lanes(count);
      for (Int row = 0; row < rows; row++) {
        float* place = to + (t * rows + row) * LANES;
        if (still == 0 && *at >= RUN) still = *at++ - RUN + 1;
        if (still > 0) {
          still--;
          store(place, keep(fill((float)before[row]) * down, lanes));
          continue;
        }
        const int low = *at++, high = count > HALF ? *at++ : 0;
        const Widths wide{low & (PLAIN - 1), high & (PLAIN - 1)};
        const bool is_short = most_of(wide.low, wide.high) <= SHORT;
        const Numbers steps = is_short ? short_planes(at, wide) : planes(at, wide);
        at += wide.low + wide.high;
        const Numbers numbers = sums_of_steps(steps, before[row], low >= PLAIN, high >= PLAIN);
        before[row] = last_of(numbers);
        store(place, keep(to_floats(numbers) * down, lanes));
      }
    }
  }
}
