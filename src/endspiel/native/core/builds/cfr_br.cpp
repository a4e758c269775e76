// An abstract player against a best responder, by groups of branches; see kernels/cfr_br.py.
#include "export.h"
#include "responses.h"

// Best answers on all rivers after the groups' lines, and what they are worth on the turn. Hands
// have numbers by `each`.
BOARD_KERNEL(respond_rivers)
(const LaneTables* t, const Int* groups, Int count, Int player, const Rivers* rivers,
 const BoardDeal* each, const float* regret, const Lines* lines, uint8_t* choices, float* work) {
  const Walk walk{*t, *lines, rivers->block, buffers(*t, work)};
  const Buffers& w = walk.w;
  const Int hands = each->num[RIVER];
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i];
    const Lane &plan = lane_of(t->meta, g, player), &other = lane_of(t->meta, g, 1 - player);
    uint8_t* kept = choices + rivers->kept[g];
    for (Int r = 0; r < rivers->strengths_size; r++) {
      const StreetDeal deal = river_deal(*rivers, r);
      const int32_t* at = numbers_on_turn(*rivers, r);
      rows_at(walk.reach(1 - player, g), at, hands, w.other);
      if (is_zero(w.other, hands)) {
        clear_rows(w.gain, (plan.rows + 1) * hands);
      } else {
        match_group(other, t->ints, regret, deal, nullptr, w.theirs);
        pay_hands(walk, plan, deal, deal.place, deal.count, hands);
      }
      best_group(plan, t->ints, hands, w.gain, kept);
      add_rows_at(w.gain, at, hands, rivers->share, walk.value(g));
      kept += plan.decisions * hands * LANES;
    }
  }
}

// What the abstract player learns on all rivers after the groups' lines against the choices of the
// responder, whose hands have numbers by `each`. Values add up by turn hand.
BOARD_KERNEL(learn_rivers)
(const LaneTables* t, const Int* groups, Int count, Int player, const Rivers* rivers,
 const BoardDeal* each, const float* regret, float* gain, float* average, const Lines* lines,
 const uint8_t* choices, float* work) {
  const Walk walk{*t, *lines, rivers->block, buffers(*t, work)};
  const Buffers& w = walk.w;
  const StreetDeal hand_numbers = on_street(*each, RIVER);
  const Int hands = hand_numbers.count;
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i];
    const Lane &plan = lane_of(t->meta, g, player), &theirs = lane_of(t->meta, g, 1 - player);
    const uint8_t* kept = choices + rivers->kept[g];
    for (Int r = 0; r < rivers->strengths_size; r++) {
      const StreetDeal deal = river_deal(*rivers, r);
      const int32_t* at = numbers_on_turn(*rivers, r);
      match_group(plan, t->ints, regret, deal, w.sigma, w.plan);
      rows_at(walk.reach(player, g), at, hands, w.own);
      average_group(plan, deal, w, average);
      rows_at(walk.reach(1 - player, g), at, hands, w.other);
      if (!is_zero(w.other, hands)) {
        follow_choices(theirs, t->ints, hands, kept, w.theirs);
        pay_ends(*t, plan, deal, hand_numbers.place, hands, w);
        learn_group(plan, t->ints, deal, w, gain);
        add_rows_at(w.value, at, hands, rivers->share, walk.value(g));
      }
      kept += theirs.decisions * hands * LANES;
    }
  }
}

// Send a player that plays by bucket through the groups of a street above the river.
BOARD_KERNEL(send_buckets)
(const LaneTables* t, const Int* groups, Int count, Int player, const BoardDeal* board, Int street,
 const float* source, const Lines* lines, Int size, float* work) {
  const Walk walk{*t, *lines, size, buffers(*t, work)};
  const StreetDeal deal = on_street(*board, street);
  for (Int i = 0; i < count; i++) {
    const Lane& plan = lane_of(t->meta, groups[i], player);
    match_group(plan, t->ints, source, deal, nullptr, walk.w.plan);
    send_group(walk, plan, deal, groups[i], player);
  }
}

// Send the responder, by its choices on the turn, to the rivers; every hand has its number.
BOARD_KERNEL(send_choices)
(const LaneTables* t, const Int* groups, Int count, Int player, const BoardDeal* board,
 const Int* kept, const uint8_t* choices, const Lines* lines, Int size, float* work) {
  const Walk walk{*t, *lines, size, buffers(*t, work)};
  const StreetDeal deal = on_street(*board, TURN);
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i];
    const Lane& plan = lane_of(t->meta, g, player);
    follow_choices(plan, t->ints, deal.count, choices + kept[g], walk.w.plan);
    send_group(walk, plan, deal, g, player);
  }
}

// Best answers above the river; deals are the responder's, hand by hand, and the other's.
BOARD_KERNEL(respond_street)
(const LaneTables* t, const Int* groups, Int count, Int street, Int player, const BoardDeal* own,
 const BoardDeal* other, const float* regret, const Int* kept, uint8_t* choices, const Lines* lines,
 Int size, float* work) {
  const Walk walk{*t, *lines, size, buffers(*t, work)};
  const Buffers& w = walk.w;
  const StreetDeal deal = on_street(*own, street), theirs = on_street(*other, street);
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i], hands = deal.count;
    const Lane& plan = lane_of(t->meta, g, player);
    copy_rows(walk.reach(1 - player, g), w.other, hands);
    match_group(lane_of(t->meta, g, 1 - player), t->ints, regret, theirs, nullptr, w.theirs);
    pay_hands(walk, plan, deal, theirs.place, theirs.count, hands);
    add_outs(walk, plan, deal);
    best_group(plan, t->ints, hands, w.gain, choices + kept[g]);
    copy_rows(w.gain, walk.value(g), hands);
  }
}

// What the abstract player learns on the turn; deals are its own and the responder's.
BOARD_KERNEL(learn_turns)
(const LaneTables* t, const Int* groups, Int count, Int player, const BoardDeal* own,
 const BoardDeal* other, const float* regret, float* gain, float* average, const Int* kept,
 const uint8_t* choices, const Lines* lines, Int size, float* work) {
  const Walk walk{*t, *lines, size, buffers(*t, work)};
  const Buffers& w = walk.w;
  const StreetDeal deal = on_street(*own, TURN), theirs = on_street(*other, TURN);
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i], hands = deal.ends[0];
    const Lane& plan = lane_of(t->meta, g, player);
    match_group(plan, t->ints, regret, deal, w.sigma, w.plan);
    copy_rows(walk.reach(player, g), w.own, hands);
    average_group(plan, deal, w, average);
    copy_rows(walk.reach(1 - player, g), w.other, hands);
    const Lane& answer = lane_of(t->meta, g, 1 - player);
    follow_choices(answer, t->ints, hands, choices + kept[g], w.theirs);
    pay_ends(*t, plan, deal, theirs.place, hands, w);
    add_outs(walk, plan, deal);
    learn_group(plan, t->ints, deal, w, gain);
    copy_rows(w.value, walk.value(g), hands);
  }
}

// What a player learns before the turn, where both play by buckets of their own: metas, deals and
// sources are the player's and the other's. There may be no average.
BOARD_KERNEL(learn_trunk)
(const LaneTables* t, const Int* meta, const Int* other_meta, const Int* groups, Int count,
 Int street, Int player, const BoardDeal* own, const BoardDeal* other, const float* source,
 const float* other_source, float* gain, float* average, const Lines* lines, Int size,
 float* work) {
  const Walk walk{*t, *lines, size, buffers(*t, work)};
  const Buffers& w = walk.w;
  const StreetDeal deal = on_street(*own, street), theirs = on_street(*other, street);
  for (Int i = 0; i < count; i++) {
    const Int g = groups[i], hands = deal.ends[0];
    const Lane &plan = lane_of(meta, g, player), &answer = lane_of(other_meta, g, 1 - player);
    match_group(plan, t->ints, source, deal, w.sigma, w.plan);
    if (average) {
      copy_rows(walk.reach(player, g), w.own, hands);
      average_group(plan, deal, w, average);
    }
    copy_rows(walk.reach(1 - player, g), w.other, hands);
    match_group(answer, t->ints, other_source, theirs, nullptr, w.theirs);
    pay_ends(*t, plan, deal, theirs.place, theirs.count, w);
    add_outs(walk, plan, deal);
    learn_group(plan, t->ints, deal, w, gain);
    copy_rows(w.value, walk.value(g), hands);
  }
}

// Add the gains of some buckets to the stored rows; then they are none.
BOARD_KERNEL(take_rows)
(const LaneTables* t, const Int* groups, Int count, Int player, const int32_t* ids, Int buckets,
 float* gain, float* stored) {
  for (Int i = 0; i < count; i++) {
    const Lane& plan = lane_of(t->meta, groups[i], player);
    for (Int d = 0; d < buckets; d++) {
      const Int at = plan.stored + ids[d] * plan.rows * LANES;
      for (Int row = at; row < at + plan.rows * LANES; row += LANES) {
        add_to(stored + row, load(gain + row));
        store(gain + row, fill(0));
      }
    }
  }
}
