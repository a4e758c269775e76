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

// Set the strength of the 51 hands with a card to 0.
inline void drop_card(int card, uint16_t* out) {
  for (int low = 0; low < card; low++) out[card * (card - 1) / 2 + low] = 0;
  for (int high = card + 1; high < CARDS; high++) out[high * (high - 1) / 2 + card] = 0;
}

// The flushes of a suit on a board: strengths by the other card of a hand, 0 for none. (The table has
// 0 for fewer than five ranks.)
struct Flushes {
  const uint16_t* table;
  int suit, of_board = 0;      // ranks of the suit as a set
  uint16_t ranks[CARDS] = {};  // the rank that a card adds to it
  uint16_t beside_others[CARDS], beside_own[CARDS];

  Flushes(const uint16_t* flushes, int of_suit, const uint8_t* board, Int cards)
      : table(flushes), suit(of_suit) {
    for (Int i = 0; i < cards; i++)
      if ((board[i] & 3) == suit) of_board |= 1 << (board[i] >> 2);
    for (int rank = 0; rank < RANKS; rank++) ranks[4 * rank + suit] = (uint16_t)(1 << rank);
    look_up(of_board, beside_others);
  }

  void look_up(int held, uint16_t* row) const {
    for (int card = 0; card < CARDS; card++) row[card] = table[held | ranks[card]];
  }

  // Beside a card: all cards of other suits have the same row.
  const uint16_t* beside(int card) {
    if ((card & 3) != suit) return beside_others;
    look_up(of_board | ranks[card], beside_own);
    return beside_own;
  }
};

// Write down rows of strengths by the higher card, each as long as the last one: what is too long the
// next row overwrites.
template <typename Row>
inline void write_rows(uint16_t* out, const Row& row) {
  for (int high = 0, first = 0; high < CARDS - 1; first += high, high++) row(high, out + first);
  uint16_t last[CARDS];
  row(CARDS - 1, last);
  for (int low = 0; low < CARDS - 1; low++) out[HANDS - CARDS + 1 + low] = last[low];
}

// The strength of all hands on a board, 0 where they hit it. Flushes aside, it depends on the
// hand's two ranks only: 91 lookups serve all hands. A flush beats what else the same cards make.
inline void strengths_on(const StrengthTables& t, const uint8_t* board, Int cards, uint16_t* out) {
  uint64_t key = 0;
  int suits[4] = {}, suit = -1;
  for (Int i = 0; i < cards; i++) {
    key += t.keys[board[i]];
    if (++suits[board[i] & 3] == 3) suit = board[i] & 3;  // two suits would take six cards
  }
  uint16_t by_ranks[RANKS][CARDS];  // [rank of one card, other card]
  for (int high = 0; high < RANKS; high++)
    for (int low = 0; low <= high; low++) {
      const uint16_t found = plain_strength(t, key + t.keys[4 * high] + t.keys[4 * low]);
      for (int i = 0; i < 4; i++) by_ranks[high][4 * low + i] = by_ranks[low][4 * high + i] = found;
    }
  if (suit < 0) {
    write_rows(out, [&](int high, uint16_t* to) {
      for (int low = 0; low < CARDS; low++) to[low] = by_ranks[high >> 2][low];
    });
  } else {
    Flushes flushes(t.flush, suit, board, cards);
    write_rows(out, [&](int high, uint16_t* to) {
      const uint16_t *plain = by_ranks[high >> 2], *made = flushes.beside(high);
      for (int low = 0; low < CARDS; low++) to[low] = made[low] > plain[low] ? made[low] : plain[low];
    });
  }
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
