// The suit-isomorphic index; cards/isomorphism.py explains the numbering, isomorphism_tables.py the
// tables.
//
// What there is one of per suit is packed into four lanes of 16 bits: as a set, card
// 4 * rank + suit is bit 16 * suit + rank, and "lower cards of the suit" is a mask.
#include <cmath>
#include "export.h"
#include "layout.h"

namespace {

typedef int64_t Int;
typedef uint64_t Lanes;
constexpr int CARDS = 52, RANKS = 13, SUITS = 4;
constexpr Lanes LANE = 0xFFFF;
constexpr int KEY_BITS = 40;  // a suit's key is its shape's code above this many bits of its own index
constexpr Int SLOT = 6;       // key (-1 if empty), offset, four strides
constexpr Lanes HASH_FACTOR = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio

inline int count_bits(Lanes x) {
#if defined(__POPCNT__) || !defined(__x86_64__)
  return __builtin_popcountll(x);
#else  // an older processor's compiler would call a function
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return (int)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
#endif
}

inline int lane_of(Int card) { return 16 * (int)(card & 3); }
inline Lanes bit_of(Int card) { return Lanes(1) << (lane_of(card) + (card >> 2)); }
inline Lanes below(Int card) { return bit_of(card) - (Lanes(1) << lane_of(card)); }
inline Int binomial(const RankSets& sets, Int n, Int k) { return sets.binomial[n * (RANKS + 1) + k]; }

// C(n, k) for k = 1..4, exact while it stays below 2^60.
inline Int choose(Int n, int k) {
  Int value = n;
  if (k > 1) value = value * (n - 1) >> 1;
  if (k > 2) value = value * (n - 2) / 3;
  if (k > 3) value = value * (n - 3) >> 2;
  return value;
}

// The largest n with C(n, k) <= value, for k = 2..4.
Int largest(Int value, int k) {
  const double x = (double)value;
  Int n = k == 2   ? (Int)((1 + std::sqrt(1 + 8 * x)) * .5)
          : k == 3 ? (Int)std::cbrt(6 * x) + 1
                   : (Int)(std::sqrt(std::sqrt(24 * x)) + 1.5);
  while (choose(n, k) > value) n--;
  while (choose(n + 1, k) <= value) n++;
  return n;
}

// Arrangement number of every suit after one more card, itself in total.
inline Lanes arrange_card(Lanes total, Int card, Lanes arranged) {
  const int lane = lane_of(card);
  const Lanes before = arranged >> lane & LANE;
  const Lanes after = before * count_bits(total >> lane & LANE) + count_bits(total & below(card));
  return arranged + ((after - before) << lane);
}

// One card's share of the number of its suit's new ranks among the suit's ranks.
inline Lanes digit(const RankSets& sets, Lanes total, Lanes fresh, Int card) {
  const Lanes under = below(card);
  const Int share = binomial(sets, count_bits(total & under), count_bits(fresh & under) + 1);
  return (Lanes)share << lane_of(card);
}

// Arrangement number of every suit after a group, from the sum of its digits.
inline Lanes arrange_group(const RankSets& sets, Lanes total, Lanes fresh, Lanes digits,
                           Lanes arranged) {
  Lanes after = 0;
  for (int lane = 0; lane < 64; lane += 16) {
    const Int ways = binomial(sets, count_bits(total >> lane & LANE), count_bits(fresh >> lane & LANE));
    after |= ((arranged >> lane & LANE) * ways + (digits >> lane & LANE)) << lane;
  }
  return after;
}

struct Deal {
  Lanes seen, codes, arranged;
};

// Shape and index of one suit in one sortable number.
inline Int suit_key(const RankSets& sets, const Deal& deal, int lane) {
  const Lanes ranks = deal.seen >> lane & LANE;
  const Int of_size = binomial(sets, RANKS, count_bits(ranks));
  const Int index = (Int)(deal.arranged >> lane & LANE) * of_size + sets.number[ranks];
  return (Int)(deal.codes >> lane & LANE) << KEY_BITS | index;
}

inline void sort_two(Int& a, Int& b) {
  const Int low = a < b ? a : b;
  b = a < b ? b : a;
  a = low;
}

// The four suits' keys, ascending: the whole canonical form.
inline void sorted_keys(const RankSets& sets, const Deal& deal, Int* keys) {
  for (int suit = 0; suit < SUITS; suit++) keys[suit] = suit_key(sets, deal, 16 * suit);
  sort_two(keys[0], keys[1]);
  sort_two(keys[2], keys[3]);
  sort_two(keys[0], keys[2]);
  sort_two(keys[1], keys[3]);
  sort_two(keys[1], keys[2]);
}

// Each sorted suit's share of its run's number: C(x, 1), C(x + 1, 2), C(x + 2, 3), ... All candidates
// are computed and then selected: equal shapes are a coin toss to the predictor.
inline void run_numbers(const Int* keys, Int* shares) {
  Int x[SUITS];
  bool same[SUITS] = {};
  for (int i = 0; i < SUITS; i++) x[i] = keys[i] & ((Int(1) << KEY_BITS) - 1);
  for (int i = 1; i < SUITS; i++) same[i] = keys[i - 1] >> KEY_BITS == keys[i] >> KEY_BITS;
  const Int pair1 = choose(x[1] + 1, 2), pair2 = choose(x[2] + 1, 2), pair3 = choose(x[3] + 1, 2);
  const Int triple2 = choose(x[2] + 2, 3), triple3 = choose(x[3] + 2, 3);
  const Int run2 = same[1] ? triple2 : pair2;
  Int run3 = same[2] ? triple3 : pair3;
  if (same[1] && same[2] && same[3]) run3 = choose(x[3] + 3, 4);
  shares[0] = x[0];
  shares[1] = same[1] ? pair1 : x[1];
  shares[2] = same[2] ? run2 : x[2];
  shares[3] = same[3] ? run3 : x[3];
}

// Hash key of a family; the first code follows, as the four suits together hold the groups.
inline Int pack_codes(Int second, Int third, Int fourth) { return second << 32 | third << 16 | fourth; }

// Where the search for a key starts; the number of slots is a power of two.
inline Int hash_slot(Int key, Int slots) { return (Int)((Lanes)key * HASH_FACTOR >> 40) & (slots - 1); }

// Take in the cards of a deal group by group; false where it is none.
inline bool read_deal(const RankSets& sets, const RoundTables& t, const uint8_t* cards, Deal& deal) {
  const Int groups = t.groups_size / 2;
  int at = 0;
  for (Int group = 0; group < groups; group++) {
    const int size = (int)t.groups[2 * group];
    const Lanes weight = (Lanes)t.groups[2 * group + 1];
    Lanes fresh = 0;
    for (int i = at; i < at + size; i++) {
      if (cards[i] >= CARDS) return false;
      fresh |= bit_of(cards[i]);
      deal.codes += weight << lane_of(cards[i]);
    }
    const Lanes total = deal.seen | fresh;
    if (size == 1) {
      deal.arranged = arrange_card(total, cards[at], deal.arranged);
    } else if (deal.seen) {  // a first group always has arrangement 0
      Lanes digits = 0;
      for (int i = at; i < at + size; i++) digits += digit(sets, total, fresh, cards[i]);
      deal.arranged = arrange_group(sets, total, fresh, digits, deal.arranged);
    }
    deal.seen = total;
    at += size;
  }
  return count_bits(deal.seen) == at;
}

// What each sorted suit of a family holds, from the number of a class in it.
void split_runs(const Int* runs, Int rest, Int* holdings) {
  for (int suit = 0; suit < SUITS;) {
    const int length = (int)runs[3 * suit + 1];
    const Int size = runs[3 * suit + 2], above = size > 1 ? rest / size : rest;
    Int value = rest - above * size;
    rest = above;
    for (int k = length; k > 1; k--) {
      const Int n = largest(value, k);
      value -= choose(n, k);
      holdings[suit + k - 1] = n - k + 1;
    }
    holdings[suit] = value;
    suit += length;
  }
}

// The family that an index falls into.
Int family_of(const RoundTables& t, Int index) {
  Int family = t.coarse[index >> t.coarse_shift], high = t.coarse[(index >> t.coarse_shift) + 1];
  while (family < high) {
    const Int middle = (family + high + 1) >> 1;
    if (t.offset[middle] <= index)
      family = middle;
    else
      high = middle - 1;
  }
  return family;
}

}  // namespace

// Enter each family's codes [families, 4] and entry [families, 5] into the hash, all -1 so far.
BOARD_KERNEL(fill_slots)(const Int* codes, const Int* entries, Int families, Int* slots, Int count) {
  for (Int family = 0; family < families; family++) {
    const Int* own = codes + SUITS * family;
    const Int key = pack_codes(own[1], own[2], own[3]);
    Int at = hash_slot(key, count);
    while (slots[SLOT * at] >= 0) at = (at + 1) & (count - 1);
    slots[SLOT * at] = key;
    for (Int field = 1; field < SLOT; field++)
      slots[SLOT * at + field] = entries[(SLOT - 1) * family + field - 1];
  }
}

// Index of deals [count, cards]; the first row that is no deal, or -1.
EXPORT Int NAMED(index_deals, BUILD)(const RankSets* sets, const RoundTables* t,
                                     const uint8_t* deals, Int count, Int cards, uint64_t* out) {
  const Int slots = t->slots_size / SLOT;
  for (Int row = 0; row < count; row++) {
    Deal deal{};
    if (!read_deal(*sets, *t, deals + row * cards, deal)) return row;
    Int keys[SUITS], x[SUITS];
    sorted_keys(*sets, deal, keys);
    const Int key = pack_codes(keys[1] >> KEY_BITS, keys[2] >> KEY_BITS, keys[3] >> KEY_BITS);
    Int at = hash_slot(key, slots);
    while (t->slots[SLOT * at] != key) at = (at + 1) & (slots - 1);
    const Int* entry = t->slots + SLOT * at;
    run_numbers(keys, x);
    out[row] = (uint64_t)(entry[1] + (x[0] * entry[2] + x[1] * entry[3]) +
                          (x[2] * entry[4] + x[3] * entry[5]));
  }
  return -1;
}

// Canonical deals [count, cards] of indices within range; every group ascending. The last of the
// four sorted suits becomes clubs, then diamonds, hearts, spades.
BOARD_KERNEL(unindex_deals)(const RankSets* sets, const RoundTables* t, const uint64_t* indices,
                            Int count, uint8_t* out) {
  const Int groups = t->groups_size / 2;
  for (Int row = 0; row < count; row++) {
    const Int index = (Int)indices[row], family = family_of(*t, index);
    const Int* runs = t->runs + 3 * SUITS * family;
    Int holdings[SUITS];
    split_runs(runs, index - t->offset[family], holdings);
    Lanes members[CARDS] = {};  // cards of each group, bit = card
    for (int suit = 0; suit < SUITS; suit++) {
      const Int code = runs[3 * suit], cards = t->shapes[2 * code];
      const Int of_size = binomial(*sets, RANKS, cards), arrangement = holdings[suit] / of_size;
      Int ranks = sets->ranks[sets->first[cards] + holdings[suit] - arrangement * of_size];
      Int owners = t->arrangements[t->shapes[2 * code + 1] + arrangement];
      for (Int i = 0; i < cards; i++, ranks >>= 4, owners >>= 4)
        members[owners & 15] |= Lanes(1) << (4 * (ranks & 15) + 3 - suit);
    }
    for (Int group = 0; group < groups; group++)
      for (Lanes left = members[group]; left; left &= left - 1)
        *out++ = (uint8_t)__builtin_ctzll(left);
  }
}
