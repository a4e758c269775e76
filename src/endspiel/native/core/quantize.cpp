// Strategies in a few bits a row; see blueprint/quantize.py.
#include <stdint.h>
#include "export.h"

typedef int64_t Int;

// Round rows of probabilities [rows, actions] by largest remainders, the first of equal ones, to
// parts that add up to `steps`. `left_over` has space for a row.
EXPORT void round_rows(const double* probabilities, Int rows, Int actions, Int steps,
                       double* left_over, Int* parts) {
  for (Int row = 0; row < rows; row++, probabilities += actions, parts += actions) {
    double total = 0;
    for (Int a = 0; a < actions; a++) total += probabilities[a];
    Int missing = steps;
    for (Int a = 0; a < actions; a++) {
      const double share = probabilities[a] / total * (double)steps;
      const Int whole = (Int)share, part = whole < missing ? whole : missing;
      parts[a] = part;
      left_over[a] = share > 0 ? share - (double)part : -1;
      missing -= part;
    }
    for (; missing > 0; missing--) {
      Int best = 0;
      double most = left_over[0];
      for (Int a = 1; a < actions; a++) {
        best = left_over[a] > most ? a : best;
        most = left_over[a] > most ? left_over[a] : most;
      }
      parts[best]++;
      left_over[best] -= 1;
    }
  }
}

// Numbers of points by their parts [rows, actions], from how many points of i + 1 parts sum to less
// than j: before [actions, steps + 2].
EXPORT void number_points(const Int* parts, Int rows, Int actions, Int steps, const Int* before,
                          uint32_t* codes) {
  for (Int row = 0; row < rows; row++, parts += actions) {
    Int rest = steps, code = 0;
    for (Int a = 0; a < actions - 1; a++) {
      // Points with a smaller part here: what follows them sums to more than it does now.
      const Int* of_rest = before + (actions - 2 - a) * (steps + 2);
      code += of_rest[rest + 1] - of_rest[rest - parts[a] + 1];
      rest -= parts[a];
    }
    codes[row] = (uint32_t)code;
  }
}

// Write codes into a zeroed stream from a bit on.
EXPORT void pack_codes(const uint32_t* codes, Int count, Int bits, Int begin, uint8_t* stream) {
  for (Int i = 0, bit = begin; i < count; i++, bit += bits) {
    uint8_t* at = stream + (bit >> 3);
    for (uint64_t word = uint64_t(codes[i]) << (bit & 7); word; word >>= 8) *at++ |= (uint8_t)word;
  }
}

// Whether every code of every span [spans, 4] (first bit, bits, codes, grid) is less than the size of
// its grid.
EXPORT int codes_fit(const uint8_t* stream, const Int* spans, Int count, const Int* sizes) {
  for (Int span = 0; span < count; span++, spans += 4) {
    const Int begin = spans[0], bits = spans[1];
    const uint64_t size = (uint64_t)sizes[spans[3]], mask = (uint64_t(1) << bits) - 1;
    const uint8_t* at = stream + (begin >> 3);
    uint64_t word = *at++ >> (begin & 7);
    Int held = 8 - (begin & 7);
    for (Int i = 0; i < spans[2]; i++) {
      for (; held < bits; held += 8) word |= uint64_t(*at++) << held;
      if ((word & mask) >= size) return 0;
      word >>= bits;
      held -= bits;
    }
  }
  return 1;
}
