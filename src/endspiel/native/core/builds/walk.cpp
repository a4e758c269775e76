// The walk over boards: one player's half of an iteration, or its best or expected values.
//
// A visit to a board (1) brings both players' reaches down through its betting, (2) evaluates its
// terminals, (3) visits the boards below, (4) takes values up, learning on the way. The last street
// does all of it tile by tile, without storing a board's reaches.
#include "board.h"
#include "export.h"

namespace {

constexpr int NUM_CLASSES = 169;
constexpr int CACHED = 4096;   // lines of each kind that fit the second-level cache

constexpr Int META_COLUMNS = sizeof(Meta) / sizeof(Int);

struct Seat {
  Int street, player, b;
};

INLINE const Meta& plan_of(const Tables& T, Int street, Int player) {
  return ((const Meta*)T.meta)[2 * street + player];
}

// Regrets or averages as a walk stores them: floats, or numbers of 16 bits with their powers.
template <typename Number>
struct Sums {
  Number* numbers;
  uint8_t* powers;
  Int size;
  uint32_t salt;  // so that regrets and averages are not rounded alike

  // The rows of a tile, whose place and the schedule's count make its dither.
  Rows<Number> tile(const Meta& plan, Int tile, const double* discounts) const {
    const Int first = plan.stored + tile * plan.rows * LANES;
    if constexpr (sizeof(Number) == sizeof(float)) return {numbers + first, nullptr, 0};
    const uint32_t dither = dither_of(first / LANES, (uint32_t)(Int)discounts[DITHER]);
    return {numbers + first, powers + plan.powers + tile * plan.decisions, dither + salt};
  }
};

INLINE Sums<float> sums_of(float* floats, Int size, const ShortSums&, uint32_t, const float*) {
  return {floats, nullptr, size, 0};
}

INLINE Sums<int16_t> sums_of(float*, Int, const ShortSums& sums, uint32_t salt, const int16_t*) {
  return {sums.numbers, sums.powers, sums.numbers_size, salt};
}

template <typename Number>
INLINE Sums<Number> regrets_of(const KernelStore& s) {
  return sums_of(s.regret, s.regret_size, s.short_regret, 0, (const Number*)nullptr);
}

template <typename Number>
INLINE Sums<Number> averages_of(const KernelStore& s) {
  return sums_of(s.average, s.average_size, s.short_average, OF_AVERAGES, (const Number*)nullptr);
}

// What a walk plays by.
template <typename Number>
INLINE Sums<Number> source_of(const BoardWalk& walk) {
  return walk.mode == UPDATE ? regrets_of<Number>(walk.sums) : averages_of<Number>(walk.sums);
}

INLINE bool is_short(const BoardWalk* walk) { return walk->sums.short_regret.numbers_size > 0; }

// Set the incoming lines of a board's tiles, `stride` floats apart, from above or the range.
void lines_in(const Tables& T, Seat at, const float* work, float* to, Int stride) {
  const Meta& plan = plan_of(T, at.street, at.player);
  const Int *ints = T.ints, L = plan.lines;
  const Int start = ints[plan.start + at.b], stop = ints[plan.start + at.b + 1];
  if (at.street == 0) {
    for (Int t = start; t < stop; t++)
      copy_rows(T.root + plan.root + t * L * LANES, to + (t - start) * stride, L);
    return;
  }
  const Meta& upper = plan_of(T, at.street - 1, at.player);
  for (Int t = start; t < stop; t++)
    for (Int line = 0; line < L; line++) {
      const float* row = work + upper.reach + ints[upper.out + line] * LANES;
      const int32_t* places = T.above + plan.hands + t * LANES;
      store(to + (t - start) * stride + line * LANES, gather(row, places));
    }
}

// Add the values of a board's incoming lines to the board above, once for every image.
void lines_out(const Tables& T, Seat at, const BoardWalk& walk, const float* source, Int stride) {
  const Meta& plan = plan_of(T, at.street, at.player);
  const Int *ints = T.ints, L = plan.lines;
  if (at.street == 0) {
    const Int start = ints[plan.start + at.b], stop = ints[plan.start + at.b + 1];
    for (Int t = start; t < stop; t++)
      copy_rows(source + (t - start) * stride, walk.result + t * L * LANES, L);
    return;
  }
  const Meta& upper = plan_of(T, at.street - 1, at.player);
  const Int above = ints[plan.above + at.b];
  const Int tiles = ints[upper.start + above + 1] - ints[upper.start + above];
  const int32_t* places = T.below + ints[plan.below + at.b];
  const Vector weight = load(T.stakes + plan.weight + at.b * LANES);
  for (Int image = 0; image < ints[plan.images + at.b]; image++)
    for (Int t = 0; t < tiles; t++) {
      float* tile = walk.work + upper.gain + t * upper.size * LANES;
      for (Int line = 0; line < L; line++) {
        float* row = tile + ints[upper.out + line] * LANES;
        store(row, multiply_add(gather(source + line * LANES, places), weight, load(row)));
      }
      places += LANES;
    }
}

// A player's hands on a board, and those that they meet.
Facing face(const Tables& T, const Meta& plan, const Meta& theirs, Int b) {
  const Int *ints = T.ints, others = ints[theirs.start + b];
  const Int own = plan.hands + ints[plan.start + b] * LANES;
  const Int other = theirs.hands + others * LANES, first = ints[plan.group + b];
  return {T.low + own,
          T.high + own,
          T.low + other,
          T.high + other,
          T.same + own,
          ints[plan.count + b],
          (ints[theirs.start + b + 1] - others) * LANES,
          ints[plan.group + b + 1] - first,
          T.ends + plan.ends + first,
          T.ends + theirs.ends + first};
}

// The stored rows of a board's hands, shared out over the hands of all pairs of lane tiles.
template <typename Number>
Coming<Number> rows_coming(const Tables& T, Seat at, const Number* regret, const Number* average) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const Int start = ints[plan.start + at.b], stop = ints[plan.start + at.b + 1];
  const Int held = (stop - start) * plan.rows * LANES / IN_LINE<Number>;
  const Int lines = held < CACHED ? held : CACHED;
  const Int hands = (plan.shown + 1) / 2 * ints[plan.count + at.b];
  if (at.street == 0 || plan.buckets >= 0 || hands == 0) return {regret, average, 0, 0};
  const Int first = plan.stored + (plan.lines + start * plan.rows) * LANES;
  return {regret + first, average + first, (lines + hands - 1) / hands, held};
}

// Ask for a tile of the next board's rows, which the walk down it begins with.
template <typename Number>
void ask_next(const Meta& theirs, const Int* ints, Int b, Int t, const Number* source) {
  const Number* rows =
      source + theirs.stored + (ints[theirs.start + b + 1] + t) * theirs.rows * LANES;
  for (Int s = theirs.lines; s < theirs.size; s += IN_LINE<Number> / LANES)
    prefetch(rows + s * LANES);
}

// Values of all terminals of a board, [lane tiles, hands, 16], from the other's lanes.
template <typename Number>
void evaluate(const Tables& T, Seat at, const Coming<Number>& coming, float* work) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const Facing f = face(T, plan, plan_of(T, at.street, 1 - at.player), at.b);
  const Int hands = f.other_hands;
  const Int wide = (ints[plan.start + at.b + 1] - ints[plan.start + at.b]) * LANES;
  float *lanes = work + plan.lanes_in, *mass = work + plan.mass;
  float *show = work + plan.show, *fold = work + plan.fold;
  const Int tied = plan.tied, shown = plan.shown, folds = plan.folds, tiles = plan.tiles;
  for (Int t = 0; t < tied; t += 2) {
    const Int pair = t + 1 < tied ? t + 1 : tied - 1;  // an odd tile is its own twin, not read
    float* from_a = lanes + t * (hands + 1) * LANES;
    float* from_b = lanes + pair * (hands + 1) * LANES;
    store(from_a + hands * LANES, fill(0));
    store(from_b + hands * LANES, fill(0));
    if (t < shown) {
      const Int ahead = t / 2 * f.own_hands * coming.lines * IN_LINE<Number>;
      const Coming<Number> rows{coming.regret + ahead, coming.average + ahead, coming.lines,
                                coming.held - ahead / IN_LINE<Number>};
      show_tiles(f, rows, mass, from_a, from_b, show + t * wide * LANES,
                 show + (pair > t ? pair : tiles) * wide * LANES);
    } else {
      total_tiles(f, mass, from_a, from_b);
    }
    for (Int i = t; i <= pair; i++)
      settle_tile(f, i == t ? mass : mass + SECOND, i == t ? from_a : from_b,
                  i < shown ? show + i * wide * LANES : nullptr,
                  i >= folds ? fold + i * wide * LANES : nullptr);
  }
  for (Int t = tied; t < tiles; t++) {
    float* tile = lanes + t * (hands + 1) * LANES;
    store(tile + hands * LANES, fill(0));
    tie_tile(f, mass, tile, fold + t * wide * LANES);
  }
  // What padding is worth is left from another board. It would have a say in the powers of its tile.
  if constexpr (sizeof(Number) < sizeof(float))
    for (Int t = 0; t < tiles; t++) {
      const Int padding = (t * wide + f.own_hands) * LANES, rows = wide - f.own_hands;
      clear_rows(show + padding, rows);
      clear_rows(fold + padding, rows);
    }
}

// Copy the shared rows of sixteen hands to a tile; where its sequence 0 would lie.
float* pick_rows(const Meta& plan, const Int* ints, Int first, const float* source, float* work) {
  for (Int row = 0; row < plan.rows; row += LANES)
    transpose_rows(source + plan.stored + row, ints + plan.buckets + first,
                   work + plan.picked + row * LANES);
  return work + plan.picked - plan.lines * LANES;
}

// Add a tile's rows to the shared rows of its sixteen hands, times the board's weight.
void share_rows(const Meta& plan, const Tables& T, Int first, Int b, const float* rows,
                float* target) {
  for (Int row = 0; row < plan.rows; row += LANES)
    add_transposed(rows + row * LANES, T.ints + plan.buckets + first,
                   T.stakes + plan.weight + b * LANES, target + plan.stored + row);
}

// A tile whose hands share rows: its reaches and advantages are summed up, not stored.
void learn_shared(const Tables& T, Seat at, const double* discounts, const BoardWalk& walk, Int t) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const KernelStore& sums = walk.sums;
  float* work = walk.work;
  const Int start = ints[plan.start + at.b];
  const Int wide = (ints[plan.start + at.b + 1] - start) * LANES, hand = (start + t) * LANES;
  float *sigma = work + plan.sigma, *reach = work + plan.reach, *gain = work + plan.gain;
  float* rows = pick_rows(plan, ints, hand, source_of<float>(walk).numbers, work);
  down_tile(plan, ints, rows, sigma, reach);
  if (walk.mode == UPDATE && sums.average_size > 0)
    share_rows(plan, T, hand, at.b, reach + plan.lines * LANES, sums.new_average);
  collect(plan, ints, T.stakes, work + plan.show, work + plan.fold, wide, t, gain);
  const uint8_t* locked = sums.locked + plan.locked + at.b * plan.decisions;
  up_tile<float>(plan, ints, walk.mode, locked, discounts + FRESH, {rows, nullptr, 0}, sigma, gain);
  if (walk.mode == UPDATE) share_rows(plan, T, hand, at.b, work + plan.picked, sums.new_regret);
}

// All of a last-street board, tile by tile; only incoming lines are stored for all tiles.
// A trace [tiles, S, 16], where there is one, gets every sequence's value.
template <typename Number>
void visit_last_board(const Tables& T, Seat at, const double* discounts, const BoardWalk& walk,
                      float* trace) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const Meta& theirs = plan_of(T, at.street, 1 - at.player);
  const Sums<Number> source = source_of<Number>(walk), average = averages_of<Number>(walk.sums);
  float* work = walk.work;
  const Int L = plan.lines, lines = L * LANES;
  float *edge = work + plan.edge, *sigma = work + plan.sigma, *gain = work + plan.gain;
  lines_in(T, {at.street, 1 - at.player, at.b}, work, edge, lines);
  Int start = ints[theirs.start + at.b], tiles = ints[theirs.start + at.b + 1] - start;
  float* reach = work + theirs.reach;
  for (Int t = 0; t < tiles; t++) {
    copy_rows(edge + t * lines, reach, L);
    if (theirs.buckets >= 0) {
      const float* floats = source_of<float>(walk).numbers;
      const float* rows = pick_rows(theirs, ints, (start + t) * LANES, floats, work);
      down_tile(theirs, ints, rows, nullptr, reach);
    } else {
      const Number* rows = source.numbers + theirs.stored + (start + t) * theirs.rows * LANES;
      down_tile(theirs, ints, rows, nullptr, reach);
    }
    lanes_from_tile(plan, ints, reach, work + plan.lanes_in, tiles * LANES, t * LANES);
  }
  evaluate(T, at, rows_coming<Number>(T, at, source.numbers, average.numbers), work);
  if (walk.mode == UPDATE) lines_in(T, at, work, edge, lines);
  start = ints[plan.start + at.b], tiles = ints[plan.start + at.b + 1] - start;
  reach = work + plan.reach;
  const uint8_t* locked = walk.sums.locked + plan.locked + at.b * plan.decisions;
  const Int size = plan.size;
  for (Int t = 0; t < tiles; t++) {
    copy_rows(edge + t * lines, reach, L);
    if (plan.buckets >= 0) {
      learn_shared(T, at, discounts, walk, t);
    } else {
      const Rows<Number> rows = source.tile(plan, start + t, discounts);
      down_tile<Number>(plan, ints, rows.at, sigma, reach);
      if (walk.mode == UPDATE && average.size > 0)
        average_tile(plan, ints, discounts, average.tile(plan, start + t, discounts), reach);
      if (at.street > 0) ask_next<Number>(theirs, ints, at.b, t, source.numbers);
      collect(plan, ints, T.stakes, work + plan.show, work + plan.fold, tiles * LANES, t, gain);
      up_tile(plan, ints, walk.mode, locked, discounts, rows, sigma, gain);
    }
    copy_rows(gain, edge + t * lines, L);
    if (trace) copy_rows(gain, trace + t * size * LANES, size);
  }
  lines_out(T, at, walk, edge, lines);
}

// Reaches of both players on a board that has others below it, and what its terminals pay.
template <typename Number>
void bring_board_down(const Tables& T, Seat at, const double* discounts, const BoardWalk& walk) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const Sums<Number> source = source_of<Number>(walk), average = averages_of<Number>(walk.sums);
  float* work = walk.work;
  const Int turns[2] = {1 - at.player, at.player};
  for (const Int turn : turns) {
    const bool own = turn == at.player;
    const Meta& theirs = plan_of(T, at.street, turn);
    const Int start = ints[theirs.start + at.b], stride = theirs.size * LANES;
    const Int tiles = ints[theirs.start + at.b + 1] - start;
    lines_in(T, {at.street, turn, at.b}, work, work + theirs.reach, stride);
    for (Int t = 0; t < tiles; t++) {
      const Rows<Number> rows = source.tile(theirs, start + t, discounts);
      float* reach = work + theirs.reach + t * stride;
      float* sigma = own ? work + plan.sigma + t * stride : nullptr;
      down_tile<Number>(theirs, ints, rows.at, sigma, reach);
      if (!own)
        lanes_from_tile(plan, ints, reach, work + plan.lanes_in, tiles * LANES, t * LANES);
      else if (walk.mode == UPDATE && average.size > 0)
        average_tile(plan, ints, discounts, average.tile(plan, start + t, discounts), reach);
    }
  }
  evaluate<Number>(T, at, {source.numbers, average.numbers, 0, 0}, work);
  const Int tiles = ints[plan.start + at.b + 1] - ints[plan.start + at.b];
  for (Int t = 0; t < tiles; t++)
    collect(plan, ints, T.stakes, work + plan.show, work + plan.fold, tiles * LANES, t,
            work + plan.gain + t * plan.size * LANES);
}

// Give all hands of a suit class the mean of their values on the lines that go on: each flop was
// dealt with one choice of suits, so only the class's mean is right.
void average_classes(const Tables& T, Seat at, float* work) {
  const Meta& plan = plan_of(T, at.street, at.player);
  const Int *ints = T.ints, *kinds = ints + plan.classes;
  float *total = work + plan.mass, *count = total + NUM_CLASSES;  // that buffer is free by now
  const Int hands = (ints[plan.start + at.b + 1] - ints[plan.start + at.b]) * LANES;
  const Int lines = plan_of(T, at.street + 1, at.player).lines, stride = plan.size * LANES;
  for (Int line = 0; line < lines; line++) {
    float* row = work + plan.gain + ints[plan.out + line] * LANES;
    for (Int i = 0; i < 2 * NUM_CLASSES; i++) total[i] = 0;
    for (Int k = 0; k < hands; k++)
      if (kinds[k] >= 0) {
        total[kinds[k]] += row[(k >> 4) * stride + (k & 15)];
        count[kinds[k]] += 1;
      }
    for (Int k = 0; k < hands; k++)
      if (kinds[k] >= 0) row[(k >> 4) * stride + (k & 15)] = total[kinds[k]] / count[kinds[k]];
  }
}

// Values of a board whose terminals and boards below are known.
template <typename Number>
void take_board_up(const Tables& T, Seat at, const double* discounts, const BoardWalk& walk) {
  const Int* ints = T.ints;
  const Meta& plan = plan_of(T, at.street, at.player);
  const Sums<Number> source = source_of<Number>(walk);
  float* work = walk.work;
  if (plan.classes >= 0) average_classes(T, at, work);
  const Int start = ints[plan.start + at.b], stride = plan.size * LANES;
  const uint8_t* locked = walk.sums.locked + plan.locked + at.b * plan.decisions;
  for (Int t = 0; t < ints[plan.start + at.b + 1] - start; t++)
    up_tile(plan, ints, walk.mode, locked, discounts, source.tile(plan, start + t, discounts),
            work + plan.sigma + t * stride, work + plan.gain + t * stride);
  lines_out(T, at, walk, work + plan.gain, stride);
}

// A board and everything below it, depth first.
template <typename Number>
void visit_board(const Tables& T, Seat at, const double* discounts, const BoardWalk& walk) {
  const Int streets = T.meta_size / (2 * META_COLUMNS);
  if (at.street == streets - 1) {
    visit_last_board<Number>(T, at, discounts, walk, nullptr);
    return;
  }
  bring_board_down<Number>(T, at, discounts, walk);
  const Int child = plan_of(T, at.street, at.player).child;
  for (Int b = T.ints[child + at.b]; b < T.ints[child + at.b + 1]; b++)
    visit_board<Number>(T, {at.street + 1, at.player, b}, discounts, walk);
  take_board_up<Number>(T, at, discounts, walk);
}

}  // namespace

BOARD_KERNEL(bring_down)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  const auto work = is_short(walk) ? bring_board_down<int16_t> : bring_board_down<float>;
  work(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(take_up)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  const auto work = is_short(walk) ? take_board_up<int16_t> : take_board_up<float>;
  work(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(visit_last)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk,
 float* trace) {
  const auto work = is_short(walk) ? visit_last_board<int16_t> : visit_last_board<float>;
  work(*T, {street, player, b}, discounts, *walk, trace);
}

// Boards of street `top` and everything below them, for players first .. stop - 1 in turn, once for
// each row of discounts in the schedule [steps, 6].
BOARD_KERNEL(visit)
(const Tables* T, Int top, const Int* boards, Int count, Int first, Int stop, const double* schedule,
 Int steps, const BoardWalk* walk) {
  const auto work = is_short(walk) ? visit_board<int16_t> : visit_board<float>;
  for (Int step = 0; step < steps; step++)
    for (Int player = first; player < stop; player++)
      for (Int i = 0; i < count; i++)
        work(*T, {top, player, boards[i]}, schedule + step * SCHEDULE_COLUMNS, *walk);
}

BOARD_KERNEL(evaluate)(const Tables* T, Int street, Int player, Int b, float* work) {
  evaluate<float>(*T, {street, player, b}, {work, work, 0, 0}, work);
}

// Each kernel of one board by itself, with its twin's arguments: tests/kernels/board_reference.py.

BOARD_KERNEL(down_tile)
(const Meta* plan, const Int* ints, const float* source, Int at, float* work, Int sigma, Int reach) {
  down_tile(*plan, ints, source + at, sigma >= 0 ? work + sigma : nullptr, work + reach);
}

BOARD_KERNEL(up_tile)
(const Meta* plan, const Int* ints, Int mode, const uint8_t* locked, Int locked_at,
 const double* discounts, float* regret, Int at, float* work, Int sigma, Int gain) {
  up_tile<float>(*plan, ints, mode, locked + locked_at, discounts, {regret + at, nullptr, 0},
                 work + sigma, work + gain);
}

BOARD_KERNEL(average_tile)
(const Meta* plan, const double* discounts, float* average, Int at, const float* work, Int reach) {
  average_tile(*plan, nullptr, discounts, {average + at, nullptr, 0}, work + reach);
}

BOARD_KERNEL(lanes_from_tile)
(const Meta* plan, const Int* ints, float* work, Int tile, Int lanes, Int hands, Int h) {
  lanes_from_tile(*plan, ints, work + tile, work + lanes, hands, h);
}

BOARD_KERNEL(collect)
(const Meta* plan, const Int* ints, const float* stakes, float* work, Int show, Int fold, Int wide,
 Int t, Int gain) {
  collect(*plan, ints, stakes, work + show, work + fold, wide, t, work + gain);
}

BOARD_KERNEL(show_tiles)
(const Tables* T, Int street, Int player, Int b, const float* rows, Int lines, float* work, Int mass,
 const Int* pair) {
  const Facing f = face(*T, plan_of(*T, street, player), plan_of(*T, street, 1 - player), b);
  show_tiles<float>(f, {rows, rows, lines, f.own_hands * lines}, work + mass, work + pair[0], work + pair[1], work + pair[2],
             work + pair[3]);
}

BOARD_KERNEL(settle_tile)
(const Tables* T, Int street, Int player, Int b, float* work, Int mass, Int lanes, Int show,
 Int fold) {
  const Facing f = face(*T, plan_of(*T, street, player), plan_of(*T, street, 1 - player), b);
  settle_tile(f, work + mass, work + lanes, show >= 0 ? work + show : nullptr,
              fold >= 0 ? work + fold : nullptr);
}

BOARD_KERNEL(total_tiles)
(const Tables* T, Int street, Int player, Int b, float* work, Int mass, const Int* pair) {
  const Facing f = face(*T, plan_of(*T, street, player), plan_of(*T, street, 1 - player), b);
  total_tiles(f, work + mass, work + pair[0], work + pair[1]);
}

BOARD_KERNEL(tie_tile)
(const Tables* T, Int street, Int player, Int b, float* work, Int mass, Int lanes, Int to) {
  const Facing f = face(*T, plan_of(*T, street, player), plan_of(*T, street, 1 - player), b);
  tie_tile(f, work + mass, work + lanes, work + to);
}

// The same in 16 bits: stored rows, their decisions' powers and where the dither begins.

BOARD_KERNEL(short_down_tile)
(const Meta* plan, const Int* ints, const int16_t* source, Int at, float* work, Int sigma, Int reach) {
  down_tile(*plan, ints, source + at, sigma >= 0 ? work + sigma : nullptr, work + reach);
}

BOARD_KERNEL(short_up_tile)
(const Meta* plan, const Int* ints, Int mode, const uint8_t* locked, Int locked_at,
 const double* discounts, int16_t* regret, Int at, uint8_t* powers, Int powers_at, Int dither,
 float* work, Int sigma, Int gain) {
  up_tile<int16_t>(*plan, ints, mode, locked + locked_at, discounts,
                   {regret + at, powers + powers_at, (uint32_t)dither}, work + sigma, work + gain);
}

BOARD_KERNEL(short_average_tile)
(const Meta* plan, const Int* ints, const double* discounts, int16_t* average, Int at,
 uint8_t* powers, Int powers_at, Int dither, const float* work, Int reach) {
  average_tile(*plan, ints, discounts, {average + at, powers + powers_at, (uint32_t)dither}, work + reach);
}
