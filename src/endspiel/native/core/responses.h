// A best responder that plays by hand against a player that plays by bucket, in groups of sixteen
// branches; see kernels/cfr_br.py.
#pragma once
#include "lane_groups.h"

namespace {

constexpr Int TURN = 2, RIVER = 3;
// The groups of one call, and what all of its kernels work on.
struct Walk {
  const LaneTables& t;
  Lines lines;
  Int size;  // floats of a group's lines
  Buffers w;

  const Int* ints() const { return t.ints; }
  float* reach(Int player, Int g) const { return reach_of(lines, player) + g * size; }
  float* value(Int g) const { return lines.value + g * size; }
};

// One river board, with the abstract player's buckets.
INLINE StreetDeal river_deal(const Rivers& rivers, Int r) {
  const Int wide = rivers.low_size / rivers.strengths_size, at = r * wide;
  const Int on_river = (4 * r + RIVER) * wide;
  return {rivers.low + at,
          rivers.high + at,
          wide,
          rivers.ends + at,
          rivers.strengths[r],
          rivers.place + on_river,
          rivers.order + on_river,
          rivers.first + on_river,
          rivers.ids + on_river,
          rivers.num[4 * r + RIVER]};
}

INLINE const int32_t* numbers_on_turn(const Rivers& rivers, Int r) {
  return rivers.at + r * (rivers.low_size / rivers.strengths_size);
}

// Copy the lines of a river's hands, which have these numbers on the turn.
void rows_at(const float* lines, const int32_t* at, Int hands, float* to) {
  for (Int k = 0; k < hands; k++) store(to + k * LANES, load(lines + (Int)at[k] * LANES));
}

// Add a river's part of values to the lines of its hands on the turn.
void add_rows_at(const float* from, const int32_t* at, Int hands, const float* share,
                 float* lines) {
  for (Int k = 0; k < hands; k++) {
    float* row = lines + (Int)at[k] * LANES;
    store(row, multiply_add(load(from + k * LANES), fill(share[at[k]]), load(row)));
  }
}

// Pay one end hand by hand, as `settle` does by bucket. New rows are written, not added to.
template <bool shows, bool folds>
void settle_hands(const StreetDeal& deal, Int hands, const Buffers& w, const Met met,
                  const End& end, bool new_show, bool new_fold) {
  const Vector seen = load(w.mass + TOTALS), zero = fill(0);
  for (Int k = 0; k < hands; k++) {
    const float *low = of_card(w.mass, deal.low[k]), *high = of_card(w.mass, deal.high[k]);
    const Vector rest = seen - load(low) - load(high);
    if (shows) {
      float* gain = end.show_gain + k * LANES;
      const Vector beaten = load(w.shown + k * LANES) - rest;
      store(gain, multiply_add(beaten, end.win, new_show ? zero : load(gain)));
    }
    if (folds) {
      float* gain = end.fold_gain + k * LANES;
      const Vector same = load(met.product(k));
      const Vector left = multiply_add(load(met.root + k * LANES), same, rest);
      store(gain, multiply_add(left, end.take, new_fold ? zero : load(gain)));
    }
  }
}

// Whether rows are new; they no longer are.
INLINE bool take_fresh(float* fresh, Int sequence) {
  const bool found = sequence >= 0 && fresh[sequence] != 0;
  if (sequence >= 0) fresh[sequence] = 0;
  return found;
}

// What a group's terminals pay to every hand by itself; as `pay_ends` by bucket.
void pay_hands(const Walk& walk, const Lane& plan, const StreetDeal& deal, const int32_t* place,
               Int count, Int hands) {
  const Buffers& w = walk.w;
  float* fresh = w.sigma;  // whether a sequence's rows hold nothing yet; a responder has no sigma
  for (Int s = 0; s <= plan.rows; s++) fresh[s] = 1;
  for (Int e = 0; e < plan.ends; e++) {
    const float* theirs = w.theirs + walk.ints()[plan.end_from + e] * count * LANES;
    if (is_zero(theirs, count)) continue;
    const Met met{w.other, theirs, place};
    const End end = end_of(walk.t, plan, w, e, hands);
    weigh_end(deal, met, w, end.show_gain);
    const bool new_show = take_fresh(fresh, walk.ints()[plan.show_to + e]);
    const bool new_fold = take_fresh(fresh, walk.ints()[plan.fold_to + e]);
    if (end.show_gain && end.fold_gain)
      settle_hands<true, true>(deal, hands, w, met, end, new_show, new_fold);
    else if (end.show_gain)
      settle_hands<true, false>(deal, hands, w, met, end, new_show, new_fold);
    else
      settle_hands<false, true>(deal, hands, w, met, end, new_show, new_fold);
  }
  for (Int s = 0; s <= plan.rows; s++)
    if (fresh[s] != 0) clear_rows(w.gain + s * hands * LANES, hands);
}

// Values by hand from the last decisions to the first, each hand's best action kept. Among actions
// of the same value it is the last: where the abstract player never comes, it is met by bets, not
// let in for nothing.
void best_group(const Lane& plan, const Int* ints, Int hands, float* gain, uint8_t* choices) {
  const Int wide = hands * LANES;
  for (Int n = plan.decisions - 1; n >= 0; n--) {
    const Int A = ints[plan.actions + n];
    const float* row = gain + ints[plan.first + n] * wide;
    float* above = gain + ints[plan.parent + n] * wide;
    for (Int lane = 0; lane < wide; lane += LANES) {
      const Largest found = largest_row(row + lane, wide, A);
      store_bytes(choices + n * wide + lane, nearest(found.number));
      add_to(above + lane, found.best);
    }
  }
}

// One for the sequences that each hand's choices lead to, zero for others.
void follow_choices(const Lane& plan, const Int* ints, Int hands, const uint8_t* choices,
                    float* products) {
  const Int wide = hands * LANES;
  const Vector zero = fill(0);
  for (Int k = 0; k < hands; k++) store(products + k * LANES, fill(1));
  for (Int n = 0; n < plan.decisions; n++) {
    const Int first = ints[plan.first + n], A = ints[plan.actions + n];
    const float* above = products + ints[plan.parent + n] * wide;
    for (Int lane = 0; lane < wide; lane += LANES) {
      const Vector chosen = to_floats(load_bytes(choices + n * wide + lane));
      const Vector came = load(above + lane);
      for (Int a = 0; a < A; a++) {
        const Vector off = chosen - fill((float)a);
        store(products + (first + a) * wide + lane, choose_positive(off * off, zero, came));
      }
    }
  }
}

// Where a line that goes on lies in the blocks, by the number of its row on full boards.
INLINE Int place_of_line(Int row, Int size) { return row / BOARD_HANDS * size + row % LANES; }

// Write a player's reaches of the lines that go on, by its products, to their groups.
void send_group(const Walk& walk, const Lane& plan, const StreetDeal& deal, Int g, Int player) {
  const Int hands = deal.ends[0];
  const Buffers& w = walk.w;
  copy_rows(walk.reach(player, g), w.own, hands);
  for (Int o = 0; o < plan.outs; o++) {
    const float* sequence = w.plan + walk.ints()[plan.out_from + o] * deal.count * LANES;
    for (Int lane = 0; lane < plan.used; lane++) {
      const Int row = walk.ints()[plan.out_to + o * LANES + lane];
      float* to = walk.reach(player, 0) + place_of_line(row, walk.size);
      for (Int k = 0; k < hands; k++)
        to[k * LANES] = w.own[k * LANES + lane] * sequence[deal.place[k] * LANES + lane];
    }
  }
}

// Add what the lines that go on are worth to a group's sequences, and to its lines.
void add_outs(const Walk& walk, const Lane& plan, const StreetDeal& deal) {
  const Int hands = deal.ends[0];
  for (Int o = 0; o < plan.outs; o++) {
    clear_rows(walk.w.shown, hands);
    for (Int lane = 0; lane < plan.used; lane++) {
      const Int row = walk.ints()[plan.out_to + o * LANES + lane];
      const float* from = walk.value(0) + place_of_line(row, walk.size);
      for (Int k = 0; k < hands; k++) walk.w.shown[k * LANES + lane] = from[k * LANES];
    }
    add_line(deal, walk.w, walk.ints()[plan.out_from + o]);
  }
}

}  // namespace
