// Hand strengths, the hands that boards leave, and what hands beat; see cards/strength.py.
#include <cstdlib>
#include <cstring>
#include "export.h"
#include "strengths.h"

namespace {

inline double positive(double x) { return x > 0 ? x : 0; }

// Weight that each hand of positive strength beats and ties: one walk from weak to strong. Of the
// weight passed so far, a hand meets all but what holds one of its own two cards.
void walk(const uint16_t* strengths, const double* weights, const uint8_t* cards, double* win,
          double* tie) {
  uint16_t order[HANDS];
  const int count = by_strength(strengths, order);
  double passed = 0, with[CARDS] = {};  // the part of passed that holds each card
  for (int start = 0, end; start < count; start = end) {
    for (end = start; end < count && strengths[order[end]] == strengths[order[start]]; end++) {
      const Int hand = order[end];
      win[hand] = passed - with[cards[2 * hand]] - with[cards[2 * hand + 1]];
    }
    for (int at = start; at < end; at++) {
      const Int hand = order[at];
      passed += weights[hand];
      with[cards[2 * hand]] += weights[hand];
      with[cards[2 * hand + 1]] += weights[hand];
    }
    for (int at = start; at < end; at++) {
      const Int hand = order[at];
      const double met = passed - with[cards[2 * hand]] - with[cards[2 * hand + 1]];
      tie[hand] = positive(met + weights[hand] - win[hand]);
      win[hand] = positive(win[hand]);
    }
  }
}

// What one hand beats and ties, opponent by opponent.
void compare(Int hand, const uint16_t* strengths, const double* weights, const uint8_t* cards,
             double* win, double* tie) {
  const int low = cards[2 * hand], high = cards[2 * hand + 1];
  win[hand] = tie[hand] = 0;
  for (int other = 0; other < HANDS; other++) {
    const int a = cards[2 * other], b = cards[2 * other + 1];
    if (strengths[other] == 0 || a == low || a == high || b == low || b == high) continue;
    win[hand] += weights[other] * (strengths[hand] > strengths[other]);
    tie[hand] += weights[other] * (strengths[hand] == strengths[other]);
  }
}

bool hits(const uint8_t* hand, const uint8_t* board, Int cards) {
  bool hit = false;
  for (Int c = 0; c < cards; c++) hit |= board[c] == hand[0] || board[c] == hand[1];
  return hit;
}

}  // namespace

// Strengths of hands [count, n], as many cards as the tables are for.
EXPORT void hand_strengths(const StrengthTables* t, const uint8_t* hands, Int count, Int n,
                           uint16_t* out) {
  for (Int i = 0; i < count; i++) out[i] = hand_strength(*t, hands + i * n, n);
}

// The strength of one hand, 0 where a card is none or comes twice.
EXPORT int checked_strength(const Evaluator* e, const uint8_t* cards) {
  uint64_t seen = 0;
  for (Int c = 0; c < e->num_cards; c++) {
    if (cards[c] >= CARDS) return 0;
    const uint64_t bit = uint64_t(1) << cards[c];
    if (seen & bit) return 0;
    seen |= bit;
  }
  return hand_strength(e->tables, cards, e->num_cards);
}

EXPORT void board_strengths(const StrengthTables* t, const uint8_t* board, Int cards,
                            uint16_t* out) {
  strengths_on(*t, board, cards, out);
}

// The hands of both players on boards [boards, cards], of those on the boards above them: in the
// order that they have there, in order of strength where they show down.
EXPORT void hands_left(const StrengthTables* t, const uint8_t* of_hand, const uint8_t* cards,
                       Int boards, Int board_cards, const Int* parent, const BoardSide* first,
                       const BoardSide* second, int show_down) {
  const BoardSide* sides[2] = {first, second};
  uint16_t strength[HANDS] = {};
  uint16_t order[HANDS];
  Int mark[HANDS], begin[2] = {};
  int count = 0;
  for (int i = 0; i < HANDS; i++) mark[i] = -1;
  for (Int b = 0; b < boards; b++) {
    const uint8_t* board = cards + b * board_cards;
    if (show_down) strengths_on(*t, board, board_cards, strength), count = by_strength(strength, order);
    for (int p = 0; p < 2; p++) {
      const BoardSide& side = *sides[p];
      const Int from = side.start[parent[b]], until = side.start[parent[b] + 1];
      Int to = begin[p];
      for (Int i = from; i < until; i++) {
        const Int hand = side.above[i];
        if (show_down)
          mark[hand] = 2 * b + p;
        else if (!hits(of_hand + 2 * hand, board, board_cards))
          side.left[to++] = hand;
      }
      for (int i = 0; i < count; i++)
        if (mark[order[i]] == 2 * b + p) side.left[to++] = order[i];
      side.end[b] = to;
      begin[p] += until - from;
    }
  }
}

// Add what every hand beats and ties against weights on each board [boards, 5]; hands that are
// blocked nearly everywhere are compared one by one, for their sums are small.
EXPORT void add_masses(const StrengthTables* t, const uint8_t* boards, Int count,
                       const double* weights, const uint8_t* cards, const Int* blocked,
                       Int num_blocked, double* win, double* tie) {
  uint16_t strengths[HANDS];
  double board_win[HANDS] = {}, board_tie[HANDS] = {};
  for (Int b = 0; b < count; b++) {
    strengths_on(*t, boards + 5 * b, 5, strengths);
    walk(strengths, weights, cards, board_win, board_tie);
    for (Int i = 0; i < num_blocked; i++)
      compare(blocked[i], strengths, weights, cards, board_win, board_tie);
    for (int hand = 0; hand < HANDS; hand++)
      if (strengths[hand]) win[hand] += board_win[hand], tie[hand] += board_tie[hand];
  }
}

// Half pots won by the first of two hands [4] over all boards [boards, 5].
EXPORT Int count_halves(const StrengthTables* t, const uint8_t* hands, const uint8_t* boards,
                        Int count) {
  Int halves = 0;
  uint8_t both[14];
  uint16_t found[2];
  for (Int b = 0; b < count; b++) {
    for (int p = 0; p < 2; p++) {
      both[7 * p] = hands[2 * p], both[7 * p + 1] = hands[2 * p + 1];
      for (int c = 0; c < 5; c++) both[7 * p + 2 + c] = boards[5 * b + c];
    }
    for (int p = 0; p < 2; p++) found[p] = hand_strength(*t, both + 7 * p, 7);
    halves += 2 * (found[0] > found[1]) + (found[0] == found[1]);
  }
  return halves;
}

// The first of hands [count, n] that holds a card twice, -1 where none does.
EXPORT Int first_repeat(const uint8_t* hands, Int count, Int n) {
  for (Int i = 0; i < count; i++) {
    uint64_t seen = 0;
    for (Int c = 0; c < n; c++) {
      const uint64_t bit = uint64_t(1) << hands[i * n + c];
      if (seen & bit) return i;
      seen |= bit;
    }
  }
  return -1;
}

// How many of all hands of n cards have each strength: counts [7463], added to.
EXPORT void count_strengths(const StrengthTables* t, Int n, Int* counts) {
  uint8_t cards[7];
  for (Int c = 0; c < n; c++) cards[c] = (uint8_t)c;
  for (;;) {
    counts[hand_strength(*t, cards, n)]++;
    Int at = n - 1;
    while (at >= 0 && cards[at] == CARDS - n + at) at--;
    if (at < 0) return;
    for (cards[at]++; at + 1 < n; at++) cards[at + 1] = (uint8_t)(cards[at] + 1);
  }
}
