// One board's work: reaches down, terminals across, values up, for sixteen hands at a time.
// Pointers start where a tile's rows do; see kernels/board_arrays.py for the layout.
#pragma once
#include "layout.h"
#include "short_sums.h"

namespace {

using namespace columns;

typedef int64_t Int;
enum { UPDATE, BEST, EXPECTED };  // what the walk up does with a decision
constexpr int CARD_ROWS = 54;     // mass by card: 52 cards, padding's, and the total
constexpr int TOTALS = 53 * LANES;
constexpr int SECOND = CARD_ROWS * LANES;  // where the second tile's masses start
constexpr float TINY = 0x1p-126f;          // totals no larger count as zero: reciprocals overflow

// A player's hands on a board, and the other's that they meet at terminals.
struct Facing {
  const uint8_t *low, *high, *other_low, *other_high;
  const int32_t* same;
  Int own_hands, other_hands, groups;
  const int32_t *ends_own, *ends_other;
};

// Stored rows that are wanted when the showdowns are done, and are asked for meanwhile.
template <typename Number>
struct Coming {
  const Number *regret, *average;
  Int lines;  // of a cache, to ask for at every hand, from each array
  Int held;   // lines of all rows
};

template <typename Number>
constexpr Int IN_LINE = 64 / (Int)sizeof(Number);  // numbers in a line of the cache

INLINE void copy_rows(const float* from, float* to, Int rows) {
  for (Int r = 0; r < rows; r++) store(to + r * LANES, load(from + r * LANES));
}

INLINE void clear_rows(float* to, Int rows) {
  for (Int r = 0; r < rows; r++) store(to + r * LANES, fill(0));
}

// Work on a decision's rows of 16 bits by their number, where it is small: they stay in registers,
// and are made floats once.
template <int count>
struct Few {
  constexpr operator Int() const { return count; }
};

template <typename Work>
INLINE bool with_few(Int actions, const Work& work) {
  if (actions == 2) return work(Few<2>{}), true;
  if (actions == 3) return work(Few<3>{}), true;
  if (actions == 4) return work(Few<4>{}), true;
  return false;
}

// Match a decision's regrets of 16 bits: `down_tile` says how.
template <int A>
INLINE void match_few(Few<A>, const int16_t* row, Vector above, float* sigma, float* reach) {
  const Vector zero = fill(0), one = fill(1), tiny = fill(TINY);
  Vector rows[A];
  for (int a = 0; a < A; a++) rows[a] = larger(load(row + a * LANES), zero);
  Vector total = rows[0];
  for (int a = 1; a < A; a++) total = total + rows[a];
  const Vector enough = total - tiny;
  const Vector scale = choose_positive(enough, one / total, zero);
  const Vector uniform = choose_positive(enough, zero, fill(1.f / (float)A));
  for (int a = 0; a < A; a++) {
    const Vector share = multiply_add(rows[a], scale, uniform);
    store(reach + a * LANES, share * above);
    if (sigma) store(sigma + a * LANES, share);
  }
}

// Match the regrets (or weights) of a tile and multiply the reaches of its sequences.
template <typename Number>
void down_tile(const Meta& plan, const Int* ints, const Number* rows, float* sigma, float* reach) {
  const Vector zero = fill(0), one = fill(1), tiny = fill(TINY);
  const Int *firsts = ints + plan.first, *actions = ints + plan.actions;
  const Int *parents = ints + plan.parent, decisions = plan.decisions;
  for (Int n = 0; n < decisions; n++) {
    const Int first = firsts[n], A = actions[n];
    const Number* row = rows + first * LANES;
    if constexpr (sizeof(Number) < sizeof(float)) {
      const Vector above = load(reach + parents[n] * LANES);
      float *share = sigma ? sigma + first * LANES : nullptr, *to = reach + first * LANES;
      if (with_few(A, [&](auto few) { match_few(few, row, above, share, to); })) continue;
    }
    Vector total = larger(load(row), zero);
    for (Int a = 1; a < A; a++) total = total + larger(load(row + a * LANES), zero);
    const Vector enough = total - tiny;
    const Vector scale = choose_positive(enough, one / total, zero);
    const Vector uniform = choose_positive(enough, zero, fill(1.f / (float)A));
    const Vector above = load(reach + parents[n] * LANES);
    for (Int a = 0; a < A; a++) {
      const Vector share = multiply_add(larger(load(row + a * LANES), zero), scale, uniform);
      store(reach + (first + a) * LANES, share * above);
      if (sigma) store(sigma + (first + a) * LANES, share);
    }
  }
}

// What a decision of a tile is worth, and what regrets before it still count.
struct Learned {
  Int decision, first, actions;
  const float* gain;  // of its actions
  Vector value, positive, negative;

  Vector news(Int a) const { return load(gain + a * LANES) - value; }
};

INLINE void learn(const Rows<float>& regret, const Learned& by, float*) {
  for (Int a = 0; a < by.actions; a++) {
    float* place = regret.at + (by.first + a) * LANES;
    const Vector old = load(place), advantage = by.news(a);
    store(place, multiply_add(old, choose_positive(old, by.positive, by.negative), advantage));
  }
}

template <int A>
INLINE void round_few(const Rows<int16_t>& to, Int first, uint8_t& power, const Vector* sums) {
  Vector most = size_of(sums[0]);
  for (int a = 1; a < A; a++) most = larger(size_of(sums[a]), most);
  const Vector steps = fit_power(power, most);
  for (int a = 0; a < A; a++) store_rounded(to, first + a, sums[a], steps);
}

// Where there are many actions, the decision's rows of `spare` are written over.
INLINE void learn(const Rows<int16_t>& regret, const Learned& by, float* spare) {
  uint8_t& power = regret.powers[by.decision];
  const Vector step = fill(step_of(power));
  const Vector positive = by.positive * step, negative = by.negative * step * fill(COARSE);
  const int16_t* place = regret.at + by.first * LANES;
  const auto few = [&](auto count) {
    constexpr Int A = decltype(count)();
    Vector sums[A];
    for (Int a = 0; a < A; a++) {
      const Vector old = load(place + a * LANES);
      sums[a] = multiply_add(old, choose_positive(old, positive, negative), by.news(a));
    }
    round_few<A>(regret, by.first, power, sums);
  };
  if (with_few(by.actions, few)) return;
  Vector most = fill(0);
  for (Int a = 0; a < by.actions; a++) {
    const Vector old = load(place + a * LANES);
    const Vector sum = multiply_add(old, choose_positive(old, positive, negative), by.news(a));
    most = larger(size_of(sum), most);
    store(spare + a * LANES, sum);
  }
  const Vector steps = fit_power(power, most);
  for (Int a = 0; a < by.actions; a++)
    store_rounded(regret, by.first + a, load(spare + a * LANES), steps);
}

// Pass values from the last decisions of a tile to its incoming lines; learn on the way. What is
// learned in 16 bits passes through `sigma`.
template <typename Number>
void up_tile(const Meta& plan, const Int* ints, Int mode, const uint8_t* locked,
             const double* discounts, const Rows<Number>& regret, float* sigma, float* gain) {
  const Vector positive = fill((float)discounts[POSITIVE]);
  const Vector negative = fill((float)discounts[NEGATIVE]);
  const Int *firsts = ints + plan.first, *actions = ints + plan.actions;
  const Int* parents = ints + plan.parent;
  for (Int n = plan.decisions - 1; n >= 0; n--) {
    const Int first = firsts[n], A = actions[n];
    const float* row = gain + first * LANES;
    float* share = sigma + first * LANES;
    const bool free = locked[n] == 0;
    Vector value;
    if (mode == BEST && free) {
      value = load(row);
      for (Int a = 1; a < A; a++) value = larger(value, load(row + a * LANES));
    } else {
      value = load(row) * load(share);
      for (Int a = 1; a < A; a++)
        value = multiply_add(load(row + a * LANES), load(share + a * LANES), value);
      if (mode == UPDATE && free) learn(regret, {n, first, A, row, value, positive, negative}, share);
    }
    add_to(gain + parents[n] * LANES, value);
  }
}

// Add a tile's reaches to the discounted average of its decisions.
void average_tile(const Meta& plan, const Int*, const double* discounts, const Rows<float>& average,
                  const float* reach) {
  const Vector factor = fill((float)discounts[AVERAGE]);
  for (Int s = plan.lines; s < plan.size; s++) {
    float* place = average.at + s * LANES;
    store(place, multiply_add(load(place), factor, load(reach + s * LANES)));
  }
}

// Sums of 16 bits are not discounted: what is added has a growing weight, so that decisions where no
// hand gets to stay as they are. Where nothing of the past counts, an average begins.
void average_tile(const Meta& plan, const Int* ints, const double* discounts,
                  const Rows<int16_t>& average, const float* reach) {
  const Int *firsts = ints + plan.first, *actions = ints + plan.actions;
  const Int* parents = ints + plan.parent;
  const bool begins = discounts[AVERAGE] == 0;
  const Vector weight = fill((float)discounts[GROWN]);
  for (Int n = 0; n < plan.decisions; n++) {
    const Int first = firsts[n], A = actions[n];
    uint8_t& power = average.powers[n];
    const int16_t* place = average.at + first * LANES;
    const float* reaches = reach + first * LANES;
    if (!begins && !any_positive(load(reach + parents[n] * LANES))) continue;
    const Vector step = fill(begins ? 0 : step_of(power));
    const auto few = [&](auto count) {
      constexpr Int few_actions = decltype(count)();
      Vector sums[few_actions];
      for (Int a = 0; a < few_actions; a++)
        sums[a] = multiply_add(load(place + a * LANES), step, load(reaches + a * LANES) * weight);
      round_few<few_actions>(average, first, power, sums);
    };
    if (with_few(A, few)) continue;
    Vector most = fill(0);
    for (Int a = 0; a < A; a++)
      most = larger(multiply_add(load(place + a * LANES), step, load(reaches + a * LANES) * weight),
                    most);
    const Vector steps = fit_power(power, most);
    for (Int a = 0; a < A; a++) {
      const Vector sum =
          multiply_add(load(place + a * LANES), step, load(reaches + a * LANES) * weight);
      store_rounded(average, first + a, sum, steps);
    }
  }
}

// Transpose a tile's reaches to the lanes [lane tiles, hands + 1, 16] from hand h on.
void lanes_from_tile(const Meta& plan, const Int* ints, const float* tile, float* lanes, Int hands,
                     Int h) {
  for (Int t = 0; t < plan.tiles; t++)
    transpose_rows(tile, ints + plan.lane_from + t * LANES, lanes + (t * (hands + 1) + h) * LANES);
}

// Fill a tile's values with what its terminals pay; `wide` hands lie in each lane tile.
void collect(const Meta& plan, const Int* ints, const float* stakes, const float* show,
             const float* fold, Int wide, Int t, float* gain) {
  clear_rows(gain, plan.size);
  for (Int tile = 0; tile < plan.tiles; tile++) {
    const Int at = (tile * wide + t * LANES) * LANES, lane = tile * LANES;
    if (tile < plan.shown)
      add_transposed(show + at, ints + plan.show_to + lane, stakes + plan.show_stake + lane, gain);
    if (tile >= plan.folds)
      add_transposed(fold + at, ints + plan.fold_to + lane, stakes + plan.fold_stake + lane, gain);
  }
}

// Showdowns of two lane tiles: mass of worse hands plus mass of hands no better, for each hand.
//
// One walk over the strengths, weakest first. `mass` [2, 54, 16] holds what was seen so far by card,
// so that hands that share a card with ours are taken out; it ends with the totals by card. Two
// tiles at once, so that each waits for its stores while the other computes.
template <typename Number>
void show_tiles(const Facing& f, const Coming<Number>& coming, float* mass, const float* from_a,
                const float* from_b, float* to_a, float* to_b) {
  clear_rows(mass, 2 * CARD_ROWS);
  float* twin = mass + SECOND;
  Vector seen_a = fill(0), seen_b = fill(0);
  Int i = 0, j = 0;
  for (Int g = 0; g < f.groups; g++) {
    const Int i_end = f.ends_own[g], j_end = f.ends_other[g];
    for (Int k = i; k < i_end; k++) {
      const Int c = f.low[k] * LANES, d = f.high[k] * LANES;
      store(to_a + k * LANES, seen_a - load(mass + c) - load(mass + d));
      store(to_b + k * LANES, seen_b - load(twin + c) - load(twin + d));
    }
    for (Int k = j; k < j_end; k++) {
      const Int c = f.other_low[k] * LANES, d = f.other_high[k] * LANES;
      const Vector r_a = load(from_a + k * LANES), r_b = load(from_b + k * LANES);
      seen_a = seen_a + r_a, seen_b = seen_b + r_b;
      add_to(mass + c, r_a), add_to(twin + c, r_b);
      add_to(mass + d, r_a), add_to(twin + d, r_b);
    }
    for (Int k = i; k < i_end; k++) {
      const Int c = f.low[k] * LANES, d = f.high[k] * LANES;
      const Vector up_to_a = seen_a - load(mass + c) - load(mass + d);
      const Vector up_to_b = seen_b - load(twin + c) - load(twin + d);
      add_to(to_a + k * LANES, up_to_a), add_to(to_b + k * LANES, up_to_b);
    }
    const Int asked = i_end * coming.lines, last = asked < coming.held ? asked : coming.held;
    for (Int line = i * coming.lines; line < last; line++) {
      prefetch(coming.regret + line * IN_LINE<Number>);
      prefetch(coming.average + line * IN_LINE<Number>);
    }
    i = i_end, j = j_end;
  }
  store(mass + TOTALS, seen_a);
  store(twin + TOTALS, seen_b);
}

// Finish one lane tile: showdowns less the total mass, and folds, for each hand.
//
// What a fold wins is the mass of the hands that share no card with ours, by inclusion and
// exclusion: the hand that has both of our cards was taken out twice. The last row of the lanes is
// zero, for hands that the other player does not hold. Null `show` or `fold`: none here.
void settle_tile(const Facing& f, const float* mass, const float* lanes, float* show, float* fold) {
  const Vector seen = load(mass + TOTALS);
  for (Int k = 0; k < f.own_hands; k++) {
    const Int c = f.low[k] * LANES, d = f.high[k] * LANES;
    const Vector rest = seen - load(mass + c) - load(mass + d);
    if (show) store(show + k * LANES, load(show + k * LANES) - rest);
    if (fold) {
      const Int place = f.same[k] >= 0 ? f.same[k] : f.other_hands;
      store(fold + k * LANES, rest + load(lanes + place * LANES));
    }
  }
}

// Mass of two lane tiles, in all and by card.
void total_tiles(const Facing& f, float* mass, const float* from_a, const float* from_b) {
  clear_rows(mass, 2 * CARD_ROWS);
  float* twin = mass + SECOND;
  Vector seen_a = fill(0), seen_b = fill(0);
  for (Int k = 0; k < f.other_hands; k++) {
    const Int c = f.other_low[k] * LANES, d = f.other_high[k] * LANES;
    const Vector r_a = load(from_a + k * LANES), r_b = load(from_b + k * LANES);
    seen_a = seen_a + r_a, seen_b = seen_b + r_b;
    add_to(mass + c, r_a), add_to(twin + c, r_b);
    add_to(mass + d, r_a), add_to(twin + d, r_b);
  }
  store(mass + TOTALS, seen_a);
  store(twin + TOTALS, seen_b);
}

// Mass of the hands that tie, of one lane tile, for each hand; see `settle_tile` for removal.
// Masses by card are those of one strength at a time: small ones are no differences of large ones.
void tie_tile(const Facing& f, float* mass, const float* lanes, float* to) {
  clear_rows(mass, CARD_ROWS);
  Int i = 0, j = 0;
  for (Int g = 0; g < f.groups; g++) {
    const Int i_end = f.ends_own[g], j_end = f.ends_other[g];
    Vector seen = fill(0);
    for (Int k = j; k < j_end; k++) {
      const Vector reach = load(lanes + k * LANES);
      seen = seen + reach;
      add_to(mass + f.other_low[k] * LANES, reach);
      add_to(mass + f.other_high[k] * LANES, reach);
    }
    for (Int k = i; k < i_end; k++) {
      const Int c = f.low[k] * LANES, d = f.high[k] * LANES;
      const Int place = f.same[k] >= 0 ? f.same[k] : f.other_hands;
      const Vector rest = seen - load(mass + c) - load(mass + d);
      store(to + k * LANES, rest + load(lanes + place * LANES));
    }
    for (Int k = j; k < j_end; k++) {
      store(mass + f.other_low[k] * LANES, fill(0));
      store(mass + f.other_high[k] * LANES, fill(0));
    }
    i = i_end, j = j_end;
  }
}

}  // namespace
