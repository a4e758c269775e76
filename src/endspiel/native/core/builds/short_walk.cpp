// Walks over boards whose regrets and averages have 16 bits. They are compiled by themselves, so that
// the compiler treats walks over floats as if there were no others.
#include "walk.h"

BOARD_KERNEL(short_bring_down)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  bring_board_down<int16_t>(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(short_take_up)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk) {
  take_board_up<int16_t>(*T, {street, player, b}, discounts, *walk);
}

BOARD_KERNEL(short_visit_last)
(const Tables* T, Int street, Int player, Int b, const double* discounts, const BoardWalk* walk,
 float* trace) {
  visit_last_board<int16_t>(*T, {street, player, b}, discounts, *walk, trace);
}

// Boards of street `top` and everything below them, for players first .. stop - 1 in turn, once for
// each row of discounts in the schedule [steps, 6].
BOARD_KERNEL(short_visit)
(const Tables* T, Int top, const Int* boards, Int count, Int first, Int stop, const double* schedule,
 Int steps, const BoardWalk* walk) {
  for (Int step = 0; step < steps; step++)
    for (Int player = first; player < stop; player++)
      for (Int i = 0; i < count; i++)
        visit_board<int16_t>(*T, {top, player, boards[i]}, schedule + step * SCHEDULE_COLUMNS, *walk);
}

// Kernels of one board by themselves: stored rows, their decisions' powers and where dither begins.

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
