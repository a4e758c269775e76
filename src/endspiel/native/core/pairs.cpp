// Pairs of hands up to suits and order; see cards/preflop.py.
#include "export.h"
#include "strengths.h"

// Number the classes in the order in which their first pairs come; how many there are. Pairs that
// share a card are passed over; no more classes than there is space for are written down.
EXPORT Int number_pairs(const int32_t* renamed, Int renamings, const uint8_t* shared, Int space,
                        int32_t* number, uint8_t* forward, int32_t* pairs) {
  Int found = 0;
  for (int i = 0; i < HANDS; i++)
    for (int j = i + 1; j < HANDS; j++) {
      if (shared[i * HANDS + j]) continue;
      int first = i, second = j;
      bool in_order = true;
      for (Int at = 0; at < renamings; at++) {
        const int a = renamed[at * HANDS + i], b = renamed[at * HANDS + j];
        const int low = a < b ? a : b, high = a < b ? b : a;
        if (low > first || (low == first && high >= second)) continue;
        first = low, second = high, in_order = a < b;
      }
      if (first == i && second == j) {
        if (found < space) pairs[2 * found] = i, pairs[2 * found + 1] = j;
        number[i * HANDS + j] = (int32_t)found++;
      }
      number[i * HANDS + j] = number[j * HANDS + i] = number[first * HANDS + second];
      forward[i * HANDS + j] = in_order, forward[j * HANDS + i] = !in_order;
    }
  return found;
}
