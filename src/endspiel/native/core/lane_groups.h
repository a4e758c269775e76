// A group of sixteen branches, one a lane: probabilities by bucket, terminals by hand, learning.
// See kernels/sampled_arrays.py for the arrays.
#pragma once
#include "layout.h"
#include "simd_ints.h"

namespace {

typedef int64_t Int;
constexpr int CARD_ROWS = 54;  // mass by card: 52 cards, padding's, and the total
constexpr int TOTALS = 53 * LANES;
constexpr int LOOKED_AT = 32;     // rows at a time
constexpr float TINY = 0x1p-126f;  // totals no larger count as zero: reciprocals overflow

// Where each buffer of a thread starts.
struct Buffers {
  float *own, *other, *shown, *value, *mass, *sigma, *plan, *theirs, *gain;
};

// One street of a board: its hands and their buckets, numbered from 0.
struct StreetDeal {
  const uint8_t *low, *high;
  Int wide;  // hands with padding
  const int32_t* ends;
  Int strengths;
  const int32_t *place, *order, *first, *ids;
  Int count;  // of numbers

  Int hands() const { return ends[strengths - 1]; }
};

INLINE Buffers buffers(const LaneTables& t, float* work) {
  const Room& r = *(const Room*)t.room;
  return {work + r.own,   work + r.other, work + r.shown,  work + r.value, work + r.mass,
          work + r.sigma, work + r.plan,  work + r.theirs, work + r.gain};
}

INLINE const Lane& lane_of(const Int* meta, Int group, Int player) {
  return ((const Lane*)meta)[2 * group + player];
}

INLINE StreetDeal on_street(const BoardDeal& deal, Int street) {
  const Int wide = deal.low_size, at = street * wide;
  return {deal.low,        deal.high,       wide,            deal.ends,      deal.ends_size,
          deal.place + at, deal.order + at, deal.first + at, deal.ids + at, deal.num[street]};
}

INLINE float* reach_of(const Lines& lines, Int player) {
  return lines.reach + player * (lines.reach_size / 2);
}

INLINE void clear_rows(float* to, Int rows) {
  for (Int r = 0; r < rows; r++) store(to + r * LANES, fill(0));
}

INLINE void copy_rows(const float* from, float* to, Int rows) {
  for (Int r = 0; r < rows; r++) store(to + r * LANES, load(from + r * LANES));
}

// Match the regrets (or weights) of a board's buckets and multiply them along the betting. `sigma`
// gets the probabilities, where there is one.
void match_group(const Lane& plan, const Int* ints, const float* source, const StreetDeal& deal,
                 float* sigma, float* products) {
  const Vector zero = fill(0), one = fill(1), tiny = fill(TINY);
  const Int *firsts = ints + plan.first, *actions = ints + plan.actions;
  const Int *parents = ints + plan.parent, wide = deal.count * LANES;
  for (Int d = 0; d < deal.count; d++) {
    const Int lane = d * LANES;
    store(products + lane, one);
    const float* rows = source + plan.stored + (deal.ids[d] * plan.rows - 1) * LANES;
    for (Int n = 0; n < plan.decisions; n++) {
      const Int first = firsts[n], A = actions[n];
      const float* row = rows + first * LANES;  // sequence 1 is the first row
      Vector total = larger(load(row), zero);
      for (Int a = 1; a < A; a++) total = total + larger(load(row + a * LANES), zero);
      const Vector enough = total - tiny;
      const Vector scale = choose_positive(enough, one / total, zero);
      const Vector uniform = choose_positive(enough, zero, fill(1.f / (float)A));
      const Vector above = load(products + parents[n] * wide + lane);
      for (Int a = 0; a < A; a++) {
        const Vector share = multiply_add(larger(load(row + a * LANES), zero), scale, uniform);
        const Int to = (first + a) * wide + lane;
        store(products + to, share * above);
        if (sigma) store(sigma + to, share);
      }
    }
  }
}

// Mass by card, of a card.
template <class Float>
INLINE Float* of_card(Float* mass, uint8_t card) {
  return mass + (Int)card * LANES;
}

// Whether rows of numbers from 0 on are all zero. Where they are not, the first few mostly show it.
bool is_zero(const float* from, Int rows) {
  for (Int first = 0; first < rows; first += LOOKED_AT) {
    const Int end = first + LOOKED_AT < rows ? first + LOOKED_AT : rows;
    Vector most = fill(0);
    for (Int r = first; r < end; r++) most = larger(most, load(from + r * LANES));
    if (any(lanes_above_zero(most))) return false;
  }
  return true;
}

// The other's hands of one end: their reaches of the line, times the product of each hand's number.
struct Met {
  const float *root, *products;
  const int32_t* place;

  const float* product(Int k) const { return products + (Int)place[k] * LANES; }
  Vector of(Int k) const { return load(root + k * LANES) * load(product(k)); }
};

// Mass of worse hands plus mass of hands no better, for each hand and lane. One walk over the
// strengths, weakest first; `mass` [54, 16] holds what was seen so far by card, so that hands that
// share a card with ours are taken out. It ends with the totals by card.
void show_hands(const StreetDeal& deal, const Met met, float* mass, float* out) {
  const uint8_t *low = deal.low, *high = deal.high;
  clear_rows(mass, CARD_ROWS);
  Vector seen = fill(0);
  for (Int g = 0, start = 0; g < deal.strengths; g++) {
    const Int end = deal.ends[g];
    for (Int k = start; k < end; k++)
      store(out + k * LANES, seen - load(of_card(mass, low[k])) - load(of_card(mass, high[k])));
    for (Int k = start; k < end; k++) {
      const Vector r = met.of(k);
      seen = seen + r;
      add_to(of_card(mass, low[k]), r);
      add_to(of_card(mass, high[k]), r);
    }
    for (Int k = start; k < end; k++) {
      const Vector rest = seen - load(of_card(mass, low[k])) - load(of_card(mass, high[k]));
      add_to(out + k * LANES, rest);
    }
    start = end;
  }
  store(mass + TOTALS, seen);
}

// Mass of the other's hands by card, and in all.
void sum_hands(const StreetDeal& deal, const Met met, float* mass) {
  clear_rows(mass, CARD_ROWS);
  Vector seen = fill(0);
  for (Int k = 0, hands = deal.hands(); k < hands; k++) {
    const Vector r = met.of(k);
    seen = seen + r;
    add_to(of_card(mass, deal.low[k]), r);
    add_to(of_card(mass, deal.high[k]), r);
  }
  store(mass + TOTALS, seen);
}

// What the showdown and the fold after one of the other's sequences pay: own rows, null for none.
struct End {
  const float *show_plan, *fold_plan;
  float *show_gain, *fold_gain;
  Vector win, take;
};

// Pay one end to every hand, bucket by bucket, so that a bucket's sums stay in registers. What a
// fold wins is the mass of the hands that share no card with ours, by inclusion and exclusion: the
// hand that has both of our cards was taken out twice.
template <bool shows, bool folds>
void settle(const StreetDeal& deal, const Buffers& w, const Met met, const End& end) {
  const uint8_t *low = deal.low, *high = deal.high;
  const Vector seen = load(w.mass + TOTALS), zero = fill(0);
  for (Int b = 0; b < deal.count; b++) {
    Vector shown = zero, folded = zero, by_show = zero, by_fold = zero;
    if (shows) by_show = load(end.show_plan + b * LANES) * end.win;
    if (folds) by_fold = load(end.fold_plan + b * LANES) * end.take;
    for (Int i = deal.first[b]; i < deal.first[b + 1]; i++) {
      const Int k = deal.order[i];
      const Vector rest = seen - load(of_card(w.mass, low[k])) - load(of_card(w.mass, high[k]));
      Vector value = load(w.value + k * LANES);
      if (shows) {
        const Vector beaten = load(w.shown + k * LANES) - rest;
        shown = shown + beaten;
        value = multiply_add(beaten, by_show, value);
      }
      if (folds) {
        const Vector same = load(met.product(k));
        const Vector left = multiply_add(load(met.root + k * LANES), same, rest);
        folded = folded + left;
        value = multiply_add(left, by_fold, value);
      }
      store(w.value + k * LANES, value);
    }
    if (shows) {
      float* gain = end.show_gain + b * LANES;
      store(gain, multiply_add(shown, end.win, load(gain)));
    }
    if (folds) {
      float* gain = end.fold_gain + b * LANES;
      store(gain, multiply_add(folded, end.take, load(gain)));
    }
  }
}

// What end number e of a group pays rows of `count` buckets or hands.
INLINE End end_of(const LaneTables& t, const Lane& plan, const Buffers& w, Int e, Int count) {
  const Int show = t.ints[plan.show_to + e], fold = t.ints[plan.fold_to + e], wide = count * LANES;
  return {show < 0 ? nullptr : w.plan + show * wide, fold < 0 ? nullptr : w.plan + fold * wide,
          show < 0 ? nullptr : w.gain + show * wide, fold < 0 ? nullptr : w.gain + fold * wide,
          load(t.stakes + plan.show_stake + e * LANES),
          load(t.stakes + plan.fold_stake + e * LANES)};
}

// Masses at an end: what every hand beats where there is a showdown, and masses by card.
INLINE void weigh_end(const StreetDeal& deal, const Met& met, const Buffers& w, bool shows) {
  if (shows)
    show_hands(deal, met, w.mass, w.shown);
  else
    sum_hands(deal, met, w.mass);
}

// What a group's terminals pay: by bucket and sequence, and by hand. The buckets are the deal's.
// The other's products are by `place`, of `count` numbers.
void pay_ends(const LaneTables& t, const Lane& plan, const StreetDeal& deal, const int32_t* place,
              Int count, const Buffers& w) {
  clear_rows(w.gain, (plan.rows + 1) * deal.count);
  clear_rows(w.value, deal.wide);
  for (Int e = 0; e < plan.ends; e++) {
    const float* theirs = w.theirs + t.ints[plan.end_from + e] * count * LANES;
    if (is_zero(theirs, count)) continue;  // nobody gets here
    const Met met{w.other, theirs, place};
    const End end = end_of(t, plan, w, e, deal.count);
    weigh_end(deal, met, w, end.show_gain);
    if (end.show_gain && end.fold_gain)
      settle<true, true>(deal, w, met, end);
    else if (end.show_gain)
      settle<true, false>(deal, w, met, end);
    else
      settle<false, true>(deal, w, met, end);
  }
}

// Add the values of a line that goes on, in `shown`, to its sequence and to the line that comes in.
void add_line(const StreetDeal& deal, const Buffers& w, Int sequence) {
  for (Int b = 0; b < deal.count; b++) {
    const Int at = (sequence * deal.count + b) * LANES;
    const Vector share = load(w.plan + at);
    Vector summed = load(w.gain + at);
    for (Int i = deal.first[b]; i < deal.first[b + 1]; i++) {
      const Int k = deal.order[i] * LANES;
      const Vector value = load(w.shown + k);
      summed = summed + value;
      store(w.value + k, multiply_add(value, share, load(w.value + k)));
    }
    store(w.gain + at, summed);
  }
}

// Values by bucket from the last decisions to the first; regrets learn on the way.
void learn_group(const Lane& plan, const Int* ints, const StreetDeal& deal, const Buffers& w,
                 float* regret) {
  const Int *firsts = ints + plan.first, *actions = ints + plan.actions;
  const Int *parents = ints + plan.parent, wide = deal.count * LANES;
  for (Int d = 0; d < deal.count; d++) {
    float* rows = regret + plan.stored + (deal.ids[d] * plan.rows - 1) * LANES;
    for (Int n = plan.decisions - 1; n >= 0; n--) {
      const Int first = firsts[n], A = actions[n];
      const float* gain = w.gain + first * wide + d * LANES;
      const float* sigma = w.sigma + first * wide + d * LANES;
      Vector value = load(gain) * load(sigma);
      for (Int a = 1; a < A; a++)
        value = multiply_add(load(gain + a * wide), load(sigma + a * wide), value);
      for (Int a = 0; a < A; a++)
        add_to(rows + (first + a) * LANES, load(gain + a * wide) - value);
      add_to(w.gain + parents[n] * wide + d * LANES, value);
    }
  }
}

// Add the reaches of a board's hands, summed up by bucket, to the average.
void average_group(const Lane& plan, const StreetDeal& deal, const Buffers& w, float* average) {
  for (Int b = 0; b < deal.count; b++) {
    Vector own = fill(0);
    for (Int i = deal.first[b]; i < deal.first[b + 1]; i++)
      own = own + load(w.own + deal.order[i] * LANES);
    float* at = average + plan.stored + (deal.ids[b] * plan.rows - 1) * LANES;
    for (Int s = 1; s <= plan.rows; s++) {
      const Vector product = load(w.plan + (s * deal.count + b) * LANES);
      store(at + s * LANES, multiply_add(product, own, load(at + s * LANES)));
    }
  }
}

// The largest of some rows, lane by lane, and the number of the last that has it.
struct Largest {
  Vector best, number;
};

INLINE Largest largest_row(const float* rows, Int step, Int count) {
  Largest found{load(rows), fill(0)};
  for (Int a = 1; a < count; a++) {
    const Vector value = load(rows + a * step);
    found.number = choose_positive(found.best - value, found.number, fill((float)a));
    found.best = larger(found.best, value);
  }
  return found;
}

}  // namespace
