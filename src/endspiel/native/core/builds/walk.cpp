// Walks over boards whose regrets and averages are floats, and the kernels of one board.
#include "walk.h"

BOARD_KERNEL(bring_down)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  bring_board_down<float>(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(take_up)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  take_board_up<float>(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(visit_last)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk,
 float* trace) {
  visit_last_board<float>(*T, {street, player, b}, discounts, *walk, trace);
}

// Boards of street `top` and everything below them, for players first .. stop - 1 in turn, once for
// each row of discounts in the schedule [steps, 6].
BOARD_KERNEL(visit)
(const Tables* T, Int top, const Int* boards, Int count, Int first, Int stop, const double* schedule,
 Int steps, const BoardWalk* walk) {
  for (Int step = 0; step < steps; step++)
    for (Int player = first; player < stop; player++)
      for (Int i = 0; i < count; i++)
        visit_board<float>(*T, {top, player, boards[i]}, schedule + step * SCHEDULE_COLUMNS, *walk);
}

BOARD_KERNEL(evaluate)(const Tables* T, Int street, Int player, Int b, float* work) {
  evaluate<float>(*T, {street, player, b}, {work, work, 0}, work);
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
  show_tiles<float>(f, {rows, rows, lines}, work + mass, work + pair[0], work + pair[1], work + pair[2],
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
