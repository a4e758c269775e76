// Public chance sampling: the walk of a board with all of its hands; see kernels/sampled.py.
#include "export.h"
#include "lane_groups.h"

namespace {

enum { LEARN, SUM, EXPECT };  // what the way up does
constexpr Int HANDS = BOARD_HANDS, TILES = HANDS / LANES;
constexpr Int BLOCK = HANDS * LANES, TILE = LANES * LANES;

// A group's lines as [HANDS, 16 lanes]; the table of integers begins with the numbers 0 to 15.
void lines_in(const float* lines, const Int* ints, float* to) {
  for (Int t = 0; t < TILES; t++) transpose_rows(lines + t * TILE, ints, to + t * TILE);
}

// Write a player's reaches of the lines that go on to the blocks of the groups they lead to.
void send_lines(float* lines, const Lane& plan, const Int* ints, const StreetDeal& deal,
                const Buffers& w) {
  for (Int o = 0; o < plan.outs; o++) {
    const float* sequence = w.plan + ints[plan.out_from + o] * deal.count * LANES;
    const Met own{w.own, sequence, deal.place};
    for (Int k = 0; k < HANDS; k++) store(w.shown + k * LANES, own.of(k));
    const Int* rows = ints + plan.out_to + o * LANES;
    for (Int t = 0; t < TILES; t++) {
      transpose_rows(w.shown + t * TILE, ints, w.mass);
      for (Int lane = 0; lane < plan.used; lane++)
        store(lines + t * TILE + rows[lane] * LANES, load(w.mass + lane * LANES));
    }
  }
}

// What a group's terminals and further lines pay: by bucket and sequence, and by hand.
void pay_group(const LaneTables& t, const Lane& plan, const StreetDeal& deal, const Lines& lines,
               const Buffers& w) {
  pay_ends(t, plan, deal, deal.place, deal.count, w);
  for (Int o = 0; o < plan.outs; o++) {
    const Int* rows = t.ints + plan.out_to + o * LANES;
    for (Int tile = 0; tile < TILES; tile++)
      transpose_rows(lines.value + tile * TILE, rows, w.shown + tile * TILE);
    add_line(deal, w, t.ints[plan.out_from + o]);
  }
}

// Add a number for each sequence and bucket of the board to the stored rows.
void add_rows(const Lane& plan, const StreetDeal& deal, const float* rows, float* target) {
  for (Int d = 0; d < deal.count; d++) {
    float* at = target + plan.stored + (deal.ids[d] * plan.rows - 1) * LANES;
    for (Int s = 1; s <= plan.rows; s++)
      add_to(at + s * LANES, load(rows + (s * deal.count + d) * LANES));
  }
}

// Values of a group to one player; what it learns goes to its regrets (or sums) and averages.
void take_group_up(const LaneTables& t, Int g, Int player, Int mode, const BoardDeal& board,
                   const float* const* sources, float* const* targets, const Lines& lines,
                   const Buffers& w) {
  const Lane &plan = lane_of(t.meta, g, player), &theirs = lane_of(t.meta, g, 1 - player);
  const StreetDeal deal = on_street(board, plan.street);
  match_group(plan, t.ints, sources[player], deal, w.sigma, w.plan);
  if (mode == LEARN) {
    lines_in(reach_of(lines, player) + g * BLOCK, t.ints, w.own);
    average_group(plan, deal, w, targets[1]);
  }
  lines_in(reach_of(lines, 1 - player) + g * BLOCK, t.ints, w.other);
  if (is_zero(w.other, HANDS)) {
    clear_rows(lines.value + g * BLOCK, HANDS);
    return;
  }
  match_group(theirs, t.ints, sources[1 - player], deal, nullptr, w.theirs);
  pay_group(t, plan, deal, lines, w);
  if (mode == LEARN)
    learn_group(plan, t.ints, deal, w, targets[0]);
  else if (mode == SUM)
    add_rows(plan, deal, w.gain, targets[0]);
  lines_in(w.value, t.ints, lines.value + g * BLOCK);
}

}  // namespace

// Send both players' reaches through groups, parents before children, to the next streets.
BOARD_KERNEL(go_down)
(const LaneTables* t, const Int* groups, Int count, const BoardDeal* board, const float* first,
 const float* second, const Lines* lines, float* work) {
  const float* sources[] = {first, second};
  const Buffers w = buffers(*t, work);
  for (Int i = 0; i < count; i++)
    for (Int player = 0; player < 2; player++) {
      const Lane& plan = lane_of(t->meta, groups[i], player);
      const StreetDeal deal = on_street(*board, plan.street);
      float* reach = reach_of(*lines, player);
      lines_in(reach + groups[i] * BLOCK, t->ints, w.own);
      match_group(plan, t->ints, sources[player], deal, nullptr, w.plan);
      send_lines(reach, plan, t->ints, deal, w);
    }
}

// Values of groups to one player, children before parents.
BOARD_KERNEL(go_up)
(const LaneTables* t, const Int* groups, Int count, Int player, Int mode, const BoardDeal* board,
 const float* first, const float* second, float* learned, float* average, const Lines* lines,
 float* work) {
  const float* sources[] = {first, second};
  float* targets[] = {learned, average};
  const Buffers w = buffers(*t, work);
  for (Int i = 0; i < count; i++)
    take_group_up(*t, groups[i], player, mode, *board, sources, targets, *lines, w);
}

// Discount regrets by their sign, and averages.
BOARD_KERNEL(discount)(float* regret, float* average, Int size, const double* discounts) {
  const Vector positive = fill((float)discounts[columns::POSITIVE]);
  const Vector negative = fill((float)discounts[columns::NEGATIVE]);
  const Vector factor = fill((float)discounts[columns::AVERAGE]);
  for (Int i = 0; i < size; i += LANES) {
    const Vector old = load(regret + i);
    store(regret + i, old * choose_positive(old, positive, negative));
    store(average + i, load(average + i) * factor);
  }
}

// Turn what sequences earn into the best actions of every bucket, last decisions first. Rows of
// decisions that earned nothing at all, never met, stay as they are.
BOARD_KERNEL(choose_best)
(const LaneTables* t, const Int* groups, Int count, Int player, Int buckets, float* sums,
 float* rows) {
  const Vector zero = fill(0), one = fill(1);
  for (Int i = 0; i < count; i++) {
    const Lane& plan = lane_of(t->meta, groups[i], player);
    const Int *firsts = t->ints + plan.first, *actions = t->ints + plan.actions;
    for (Int b = 0; b < buckets; b++) {
      const Int at = plan.stored + (b * plan.rows - 1) * LANES;
      for (Int n = plan.decisions - 1; n >= 0; n--) {
        const Int A = actions[n], above = t->ints[plan.parent + n];
        const float* earned = sums + at + firsts[n] * LANES;
        float* row = rows + at + firsts[n] * LANES;
        const Vector best = largest_row(earned, LANES, A).best;
        Vector met = zero;
        for (Int a = 0; a < A; a++) {
          const Vector own = load(earned + a * LANES);
          met = multiply_add(own, own, met);
        }
        for (Int a = 0; a < A; a++) {
          const Vector chosen = choose_positive(best - load(earned + a * LANES), zero, one);
          store(row + a * LANES, choose_positive(met, chosen, load(row + a * LANES)));
        }
        if (above > 0) add_to(sums + at + above * LANES, best);
      }
    }
  }
}
