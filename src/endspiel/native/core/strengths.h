// Strengths of hands and of all hands on a board; see cards/strength_tables.py.
#pragma once
#include "layout.h"

namespace {

typedef int64_t Int;
constexpr int CARDS = 52, RANKS = 13, HANDS = 1326, STRENGTHS = 7462;
constexpr uint64_t KEY_START = 0x3333ull << 40;   // every suit counter at 3
constexpr uint64_t FLUSH_BITS = 0x8888ull << 40;  // a suit counter at 8 or more

// The strength of a hand without a flush, by its ranks alone.
inline uint16_t plain_strength(const StrengthTables& t, uint64_t key) {
  const uint64_t ranks = key & 0xFFFFFFFF;
  return t.slots[(ranks + t.offsets[ranks >> t.row_shift]) & t.slot_mask];
}

// The strength of a hand whose key shows a flush.
inline uint16_t flush_strength(const StrengthTables& t, uint64_t key, const uint8_t* cards, Int count) {
  uint64_t counters = (key & FLUSH_BITS) >> 40;
  int suit = 0, ranks = 0;
  for (; counters > 8; counters >>= 4) suit++;
  for (Int i = 0; i < count; i++)
    if ((cards[i] & 3) == suit) ranks |= 1 << (cards[i] >> 2);
  return t.flush[ranks];
}

// Replace the strength of every hand that makes a flush with a board in a suit. The flush table has
// 0 for fewer than five ranks, and a flush beats what else the same cards make.
inline void raise_flushes(const StrengthTables& t, const uint8_t* board, Int cards, int suit,
                   uint16_t* out) {
  int of_board = 0;
  for (Int i = 0; i < cards; i++)
    if ((board[i] & 3) == suit) of_board |= 1 << (board[i] >> 2);
  uint16_t ranks[CARDS] = {};  // the rank that a card adds to the suit, as a set
  for (int rank = 0; rank < RANKS; rank++) ranks[4 * rank + suit] = (uint16_t)(1 << rank);
  for (int high = 0, first = 0; high < CARDS; first += high, high++) {
    const int held = of_board | ranks[high];
    for (int low = 0; low < high; low++) {
      const uint16_t made = t.flush[held | ranks[low]];
      if (made > out[first + low]) out[first + low] = made;
    }
  }
}

// Set the strength of the 51 hands with a card to 0.
inline void drop_card(int card, uint16_t* out) {
  for (int low = 0; low < card; low++) out[card * (card - 1) / 2 + low] = 0;
  for (int high = card + 1; high < CARDS; high++) out[high * (high - 1) / 2 + card] = 0;
}

// The strength of all hands on a board, 0 where they hit it. Flushes aside, it depends on the
// hand's two ranks only: 91 lookups serve all hands.
inline void strengths_on(const StrengthTables& t, const uint8_t* board, Int cards, uint16_t* out) {
  uint64_t key = 0;
  int suits[4] = {};
  for (Int i = 0; i < cards; i++) key += t.keys[board[i]], suits[board[i] & 3]++;
  uint16_t by_ranks[RANKS][CARDS];  // [rank of high card, low card]
  for (int high = 0; high < RANKS; high++)
    for (int low = 0; low <= high; low++) {
      const uint16_t found = plain_strength(t, key + t.keys[4 * high] + t.keys[4 * low]);
      for (int card = 4 * low; card < 4 * low + 4; card++) by_ranks[high][card] = found;
    }
  for (int high = 0, first = 0; high < CARDS; first += high, high++)
    for (int low = 0; low < high; low++) out[first + low] = by_ranks[high >> 2][low];
  for (int suit = 0; suit < 4; suit++)
    if (suits[suit] >= 3) raise_flushes(t, board, cards, suit, out);
  for (Int i = 0; i < cards; i++) drop_card(board[i], out);
}

// Hands by strength, weakest first, equals in their order: by the lower seven bits, then by the upper
// six.
inline void sort_by_strength(const uint16_t* strength, const uint16_t* hands, int count,
                             uint16_t* order) {
  int low[129] = {}, high[65] = {};
  uint16_t by_low[HANDS];
  for (int i = 0; i < count; i++) {
    low[(strength[hands[i]] & 127) + 1]++;
    high[(strength[hands[i]] >> 7) + 1]++;
  }
  for (int at = 1; at < 129; at++) low[at] += low[at - 1];
  for (int at = 1; at < 65; at++) high[at] += high[at - 1];
  for (int i = 0; i < count; i++) by_low[low[strength[hands[i]] & 127]++] = hands[i];
  for (int i = 0; i < count; i++) order[high[strength[by_low[i]] >> 7]++] = by_low[i];
}

// Write down the hands that have a strength, weakest first; how many there are.
inline int by_strength(const uint16_t* strength, uint16_t* order) {
  uint16_t hands[HANDS + 1];
  int count = 0;
  for (int hand = 0; hand < HANDS; hand++) {
    hands[count] = (uint16_t)hand;
    count += strength[hand] != 0;
  }
  sort_by_strength(strength, hands, count, order);
  return count;
}

// The strength of a hand of five to seven cards, which are not checked.
inline uint16_t hand_strength(const StrengthTables& t, const uint8_t* cards, Int count) {
  uint64_t key = KEY_START;
  for (Int c = 0; c < count; c++) key += t.keys[cards[c]];
  return key & FLUSH_BITS ? flush_strength(t, key, cards, count) : plain_strength(t, key);
}

}  // namespace
