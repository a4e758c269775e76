// Tables behind hand strength, filled at the first use; see cards/strength_tables.py.
#include <stdlib.h>
#include "export.h"
#include "strengths.h"

namespace {

enum { HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH };

int top_rank(Int ranks) { return 31 - __builtin_clz((unsigned)ranks); }

// The highest ranks of a set, four bits each, highest first.
Int top_ranks(Int ranks, int number) {
  Int packed = 0;
  for (int found = 0; ranks && found < number; found++) {
    const int rank = top_rank(ranks);
    packed = packed << 4 | rank;
    ranks ^= Int(1) << rank;
  }
  return packed;
}

// The rank that tops the best straight in a set of ranks, -1 where there is none.
int straight_top(Int ranks) {
  const Int lows = ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 & ranks >> 4;
  if (lows) return top_rank(lows) + 4;
  constexpr Int wheel = 0b1000000001111;  // A 2 3 4 5
  return (ranks & wheel) == wheel ? 3 : -1;
}

// The value of a kind of hand: its category in the bits from 20 on, then ranks that break ties.
Int value_of(Int category, Int ranks) { return (category << 20) + ranks; }

// The value of the best five cards of a multiset of ranks [13], flushes aside.
Int rank_value(const uint8_t* counts) {
  Int present = 0, paired = 0, tripled = 0, quad = -1;  // sets; the best rank held four times
  for (int rank = 0; rank < RANKS; rank++) {
    const Int bit = Int(1) << rank;
    if (counts[rank] >= 1) present |= bit;
    if (counts[rank] >= 2) paired |= bit;
    if (counts[rank] >= 3) tripled |= bit;
    if (counts[rank] == 4) quad = rank;
  }
  if (quad >= 0) return value_of(QUADS, (quad << 4) + top_ranks(present & ~(Int(1) << quad), 1));
  const Int trips = top_ranks(tripled, 1), no_trips = ~(Int(1) << trips);
  if (tripled && paired & no_trips)
    return value_of(FULL_HOUSE, (trips << 4) + top_ranks(paired & no_trips, 1));
  const int top = straight_top(present);
  if (top >= 0) return value_of(STRAIGHT, top);
  if (tripled) return value_of(TRIPS, (trips << 8) + top_ranks(present & no_trips, 2));
  if (paired & (paired - 1)) {
    const Int pairs = top_ranks(paired, 2);
    const Int rest = present & ~(Int(1) << (pairs >> 4)) & ~(Int(1) << (pairs & 15));
    return value_of(TWO_PAIR, (pairs << 4) + top_ranks(rest, 1));
  }
  if (paired) return value_of(PAIR, (top_ranks(paired, 1) << 12) + top_ranks(present & ~paired, 3));
  return value_of(HIGH_CARD, top_ranks(present, 5));
}

// The value of a set of five or more ranks of one suit.
Int flush_value(Int ranks) {
  const int top = straight_top(ranks);
  return top >= 0 ? value_of(STRAIGHT_FLUSH, top) : value_of(FLUSH, top_ranks(ranks, 5));
}

// Use every multiset of `cards` ranks [13], at most four of each.
template <class Use>
void each_multiset(Int cards, Use use) {
  uint8_t counts[RANKS] = {};
  Int left = cards;
  for (;;) {
    if (left == 0) use(counts);
    int rank = 0;  // the next multiset of at most `cards` cards
    while (rank < RANKS && (left <= 0 || counts[rank] == 4)) {
      left += counts[rank];
      counts[rank++] = 0;
    }
    if (rank == RANKS) return;
    counts[rank]++;
    left--;
  }
}

int ascending(const void* a, const void* b) {
  const Int x = *(const Int*)a, y = *(const Int*)b;
  return (x > y) - (x < y);
}

// The strength of a value: its place among those of five cards, from 1 on.
uint16_t strength_of(const Int* values, Int value) {
  Int below = 0;  // values known to be smaller
  for (Int step = 4096; step > 0; step >>= 1)
    below += below + step <= STRENGTHS && values[below + step - 1] < value ? step : 0;
  return (uint16_t)(below + 1);
}

struct Hand {
  uint32_t row, column;
  uint16_t strength;
};

// A perfect hash while it is made. Rows with most hands are placed first, each at the first offset
// at which all its hands fall on free slots. The search moves on from row to row: single hands would
// else begin it at the start each time.
struct Hash {
  Int slots;
  const Hand* hands;  // in order of their rows
  const Int* begin;   // the first hand of each row
  uint64_t* used;     // [slots / 64] a bit for each slot
  Int next = 0;       // where the search begins

  // Of 64 slots from one on, those that are used.
  uint64_t used_from(Int slot) const {
    const Int word = (slot & (slots - 1)) >> 6, bit = slot & 63;
    const uint64_t low = used[word] >> bit;
    return bit == 0 ? low : low | used[(word + 1) & ((slots >> 6) - 1)] << (64 - bit);
  }

  bool place(Int row, uint16_t* offset, uint16_t* table) {
    const Int mask = slots - 1;
    for (Int step = 0; step < slots; step += 64) {
      uint64_t taken = 0;  // offsets from next + step on that do not do
      for (Int at = begin[row]; at < begin[row + 1]; at++)
        taken |= used_from(hands[at].column + next + step);
      if (taken == ~uint64_t(0)) continue;
      const Int found = (next + step + __builtin_ctzll(~taken)) & mask;
      for (Int at = begin[row]; at < begin[row + 1]; at++) {
        const Int slot = (hands[at].column + found) & mask;
        table[slot] = hands[at].strength;
        used[slot >> 6] |= uint64_t(1) << (slot & 63);
      }
      *offset = (uint16_t)found;
      next = found + 1;
      return true;
    }
    return false;
  }
};

}  // namespace

// Values of all five-card hands up to suits, ascending [7462].
EXPORT void class_values(Int* values) {
  Int* end = values;
  each_multiset(5, [&](const uint8_t* counts) { *end++ = rank_value(counts); });
  for (Int ranks = 0; ranks < 1 << RANKS; ranks++)
    if (__builtin_popcount((unsigned)ranks) == 5) *end++ = flush_value(ranks);
  qsort(values, (size_t)(end - values), sizeof(Int), ascending);
}

// Strengths of flushes by their set of ranks [8192], 0 for fewer than five.
EXPORT void flush_strengths(const Int* values, uint16_t* out) {
  for (Int ranks = 0; ranks < 1 << RANKS; ranks++)
    out[ranks] = __builtin_popcount((unsigned)ranks) < 5 ? 0 : strength_of(values, flush_value(ranks));
}

// Strengths of hands without a flush in a perfect hash: offsets [1 << row_bits] and slots
// [1 << slot_bits], which is 0 before; 0 where a row of the hash finds no offset.
EXPORT int plain_strengths(Int cards, Int factor, Int row_bits, Int slot_bits, const Int* values,
                           uint16_t* offsets, uint16_t* slots) {
  const Int rows = Int(1) << row_bits, most = Int(1) << slot_bits;
  Hand* found = (Hand*)malloc((size_t)most * sizeof(Hand));
  Hand* sorted = (Hand*)malloc((size_t)most * sizeof(Hand));
  Int* begin = (Int*)calloc((size_t)rows + 2, sizeof(Int));
  uint64_t* used = (uint64_t*)calloc((size_t)most / 64, sizeof(uint64_t));
  bool placed = found && sorted && begin && used;
  if (placed) {
    Int hands = 0;
    each_multiset(cards, [&](const uint8_t* counts) {
      uint32_t number = 0;
      for (int rank = RANKS - 1; rank >= 0; rank--) number = 5 * number + counts[rank];
      const uint32_t key = number * (uint32_t)factor;
      if (hands < most)
        found[hands] = {key >> (32 - row_bits), key & (uint32_t)(most - 1),
                        strength_of(values, rank_value(counts))};
      hands++;
    });
    placed = hands <= most;
    for (Int i = 0; i < hands && placed; i++) begin[found[i].row + 2]++;
    Int largest = 0;
    for (Int row = 0; row < rows && placed; row++) {
      if (begin[row + 2] > largest) largest = begin[row + 2];
      begin[row + 2] += begin[row + 1];
    }
    for (Int i = 0; i < hands && placed; i++) sorted[begin[found[i].row + 1]++] = found[i];
    Hash hash = {most, sorted, begin, used};
    for (Int size = largest; size > 0 && placed; size--)
      for (Int row = 0; row < rows && placed; row++)
        if (begin[row + 1] - begin[row] == size) placed = hash.place(row, offsets + row, slots);
  }
  free(found);
  free(sorted);
  free(begin);
  free(used);
  return placed;
}
