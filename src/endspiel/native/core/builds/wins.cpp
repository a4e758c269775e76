// On how many boards each hand beats each other.
#include "export.h"
#include "simd.h"
#include "strengths.h"

namespace {

constexpr int SHORTS = 2 * W;     // of a register
constexpr int BLOCK = 4;          // registers that are summed up side by side
constexpr int PADDED = 1408;      // hands, up to whole blocks
constexpr int CHUNK = 64;         // boards at a time, so that their strengths stay in the cache
constexpr int16_t DEAD = 32767;  // in place of the strength of a hand that the board hits
typedef int16_t Shorts __attribute__((vector_size(2 * SHORTS)));
typedef int16_t AnyShorts __attribute__((vector_size(2 * SHORTS), aligned(2), may_alias));
static_assert(PADDED % (BLOCK * SHORTS) == 0, "blocks are whole");

// Add up on how many of some boards [count, PADDED] two hands beat each hand.
void add_weaker(const int16_t* strengths, int count, int hand, int16_t* wins) {
  int16_t mine[2][CHUNK];
  for (int p = 0; p < 2; p++)
    for (int at = 0; at < count; at++) {
      const int16_t own = strengths[at * PADDED + hand + p];
      mine[p][at] = own == DEAD ? 0 : own;  // nothing is weaker than 0
    }
  for (int first = 0; first < PADDED; first += BLOCK * SHORTS) {
    Shorts sums[2][BLOCK];
    int16_t* to = wins + hand * PADDED + first;
    for (int p = 0; p < 2; p++)
      for (int k = 0; k < BLOCK; k++) sums[p][k] = *(AnyShorts*)(to + p * PADDED + k * SHORTS);
    for (int at = 0; at < count; at++) {
      const int16_t* row = strengths + at * PADDED + first;
      for (int k = 0; k < BLOCK; k++) {
        const Shorts others = *(const AnyShorts*)(row + k * SHORTS);
        for (int p = 0; p < 2; p++) sums[p][k] -= others < mine[p][at];
      }
    }
    for (int p = 0; p < 2; p++)
      for (int k = 0; k < BLOCK; k++) *(AnyShorts*)(to + p * PADDED + k * SHORTS) = sums[p][k];
  }
}

}  // namespace

// Add up on how many of boards [count, 5] the row's hand beats the column's, neither holding a card
// of them: wins [1326, PADDED]. No more than 32,767 boards go into them.
BOARD_KERNEL(count_wins)(const StrengthTables* t, const uint8_t* boards, Int count, int16_t* wins) {
  int16_t strengths[CHUNK * PADDED];
  uint16_t found[HANDS];
  for (Int start = 0; start < count; start += CHUNK) {
    const int held = count - start < CHUNK ? (int)(count - start) : CHUNK;
    for (int at = 0; at < held; at++) {
      int16_t* row = strengths + at * PADDED;
      strengths_on(*t, boards + 5 * (start + at), 5, found);
      for (int hand = 0; hand < HANDS; hand++) row[hand] = found[hand] ? (int16_t)found[hand] : DEAD;
      for (int hand = HANDS; hand < PADDED; hand++) row[hand] = DEAD;
    }
    for (int hand = 0; hand < HANDS; hand += 2) add_weaker(strengths, held, hand, wins);
  }
}
