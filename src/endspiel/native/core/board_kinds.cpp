// Kinds of boards; see abstraction/kinds.py.
#include "export.h"
#include "halves.h"

namespace {

enum { SEVEN = 5, NINE = 7, TEN, JACK, QUEEN, KING, ACE };  // ranks
constexpr int FLOP = 3;                                     // cards on the board

int at_least(int x, int least) { return x > least ? x : least; }
int at_most(int x, int most) { return x < most ? x : most; }

// The kind of a flop's ranks, of which there are so many of each.
int rank_kind(const int* ranks, int distinct) {
  int seen[FLOP], at = 0;  // the highest first, as often as they are there
  for (int rank = RANKS - 1; rank >= 0; rank--)
    for (int i = 0; i < ranks[rank]; i++) seen[at++] = rank;
  const int high = seen[0], middle = seen[1], low = seen[2];
  if (distinct < FLOP) {  // of three cards with a pair, sorted, the middle one is of it
    const int size = middle >= QUEEN ? 2 : middle >= SEVEN ? 1 : 0;
    return 20 + 2 * size + (high > middle);
  }
  const int top = high == ACE ? 4 : high == KING ? 3 : high >= JACK ? 2 : high >= NINE ? 1 : 0;
  const bool close = high - low <= 4 || (high == ACE && middle <= 3);
  return 4 * top + 2 * close + (middle >= TEN);
}

// The kind of a board of 3, 4 or 5 cards, by its most cards of one suit, by pairs and by ranks.
int kind_of(const uint8_t* board, int cards, Int texture) {
  if (texture == 0) return 0;
  int suits[4] = {}, ranks[RANKS] = {}, most = 0, distinct = 0;
  for (int i = 0; i < cards; i++) {
    most = at_least(++suits[board[i] & 3], most);
    distinct += ranks[board[i] >> 2]++ == 0;
  }
  const int paired = cards - distinct;
  if (cards == RIVER) return at_most(paired, 2) * 3 + at_most(at_least(most, 2), 4) - 2;
  if (texture == 2) return rank_kind(ranks, distinct) * 3 + most - 1;
  return at_most(paired, 1) * cards + most - 1;
}

}  // namespace

// The kinds of boards [count, 3, 4 or 5].
EXPORT void board_kinds(const uint8_t* boards, Int count, Int cards, Int texture, Int* kinds) {
  for (Int at = 0; at < count; at++) kinds[at] = kind_of(boards + at * cards, (int)cards, texture);
}

// Add the rivers of turn boards [count, 4], each weighed, to the counts of their kinds.
EXPORT void count_river_kinds(const uint8_t* turns, const Int* weight, Int count, Int texture,
                              double* counts) {
  for (Int at = 0; at < count; at++)
    each_river(turns + 4 * at, [&](const uint8_t* board) {
      counts[kind_of(board, RIVER, texture)] += (double)weight[at];
    });
}
