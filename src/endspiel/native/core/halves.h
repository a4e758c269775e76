// Equities on river boards in halves, and the river buckets that follow; see abstraction/features.py.
#pragma once
#include "strengths.h"

namespace {

constexpr uint16_t DEAD = 0xFFFF;  // in place of halves or a bucket, for a hand that is none
constexpr int RIVER = 5;           // cards on the board

// The halves of all hands of a sorted board, by one walk from weak to strong: out is DEAD where a
// hand is not in the order. Of the hands passed so far, a hand meets all but those with one of its
// own two cards.
inline void halves_in_order(const uint16_t* strength, const uint16_t* order, int count,
                            const uint8_t* cards, uint16_t* out) {
  for (int hand = 0; hand < HANDS; hand++) out[hand] = DEAD;
  int passed = 0, with[CARDS] = {};
  for (int start = 0, end; start < count; start = end) {
    const uint16_t level = strength[order[start]];
    for (end = start; end < count && strength[order[end]] == level; end++) {
      const uint8_t* own = cards + 2 * order[end];
      out[order[end]] = (uint16_t)(passed - with[own[0]] - with[own[1]]);
    }
    for (int at = start; at < end; at++) {
      const uint8_t* own = cards + 2 * order[at];
      with[own[0]]++, with[own[1]]++;
    }
    passed += end - start;
    for (int at = start; at < end; at++) {
      const uint8_t* own = cards + 2 * order[at];
      // Beaten plus not lost to; the hand itself left the second sum twice.
      out[order[at]] = (uint16_t)(out[order[at]] + passed - with[own[0]] - with[own[1]] + 1);
    }
  }
}

// The halves of all hands on a river board, DEAD where they hit it.
inline void halves_on(const StrengthTables& t, const uint8_t* board, const uint8_t* cards,
                      uint16_t* out) {
  uint16_t strength[HANDS], order[HANDS];
  strengths_on(t, board, RIVER, strength);
  halves_in_order(strength, order, by_strength(strength, order), cards, out);
}

// Buckets of all hands on a river board: intervals of halves under the node of each hand.
inline void river_buckets(const RiverLimits& levels, const uint16_t* nodes, const uint16_t* halves,
                          uint16_t* out) {
  for (int hand = 0; hand < HANDS; hand++) {
    if (halves[hand] == DEAD || nodes[hand] == DEAD) {
      out[hand] = DEAD;
      continue;
    }
    Int low = levels.first[nodes[hand]], high = levels.first[nodes[hand] + 1] - 1;
    while (low < high) {
      const Int middle = (low + high) / 2;
      const bool under = halves[hand] <= levels.limit[middle];
      high = under ? middle : high;
      low = under ? low : middle + 1;
    }
    out[hand] = (uint16_t)low;
  }
}

inline bool holds(const uint8_t* cards, Int count, int card) {
  for (Int i = 0; i < count; i++)
    if (cards[i] == card) return true;
  return false;
}

// Do some work on every river board of a turn board, whose five cards it is given.
template <typename Work>
inline void each_river(const uint8_t* turn, const Work& work) {
  uint8_t board[RIVER];
  for (int i = 0; i < RIVER - 1; i++) board[i] = turn[i];
  for (int card = 0; card < CARDS; card++) {
    if (holds(turn, RIVER - 1, card)) continue;
    board[RIVER - 1] = (uint8_t)card;
    work(board);
  }
}

// Do some work on every run-out of a flop with two of some cards, a later one and one before it.
template <typename Work>
inline void each_run_out(const uint8_t* flop, const uint8_t* left, Int count, const Work& work) {
  uint8_t board[RIVER];
  for (int i = 0; i < 3; i++) board[i] = flop[i];
  for (Int at = 0; at < count; at++)
    for (Int before = 0; before < at; before++) {
      board[3] = left[before], board[4] = left[at];
      work(board);
    }
}

}  // namespace
