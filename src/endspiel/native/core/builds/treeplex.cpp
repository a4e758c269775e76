// Regret minimization and best responses on treeplexes; its twin is tests/kernels/reference.py.
//
// A block's states are worked on side by side. Sums run over actions or over what follows a
// sequence, never over states, so every build adds in the same order and gives the same digits.
#include <math.h>
#include "export.h"
#include "layout.h"
#include "spans.h"

namespace {

struct Block {
  Int first, states, actions, stride;
  const Int* maps;
  Int base;

  Int at(Int a, Int k) const { return first + a * stride + k; }
  Int parent(Int k) const { return base + maps[k]; }
};

INLINE Block block_of(const PlexArrays& plex, Int b) {
  return {plex.first[b],  plex.states[b], plex.actions[b],
          plex.stride[b], plex.maps + plex.map_at[b], plex.base[b]};
}

// Visit all blocks, parents first or last; `work` gets a block, a state and how many at once.
template <typename Number, typename Work>
INLINE void down(const PlexArrays& plex, const Work& work) {
  for (Int b = 0; b < plex.first_size; b++) {
    const Block block = block_of(plex, b);
    along<Number>(block.states, [&](Int k, auto n) { work(block, k, n); });
  }
}

template <typename Number, typename Work>
INLINE void up(const PlexArrays& plex, const Work& work) {
  for (Int b = plex.first_size - 1; b >= 0; b--) {
    const Block block = block_of(plex, b);
    along<Number>(block.states, [&](Int k, auto n) { work(block, k, n); });
  }
}

template <int N, typename Number>
INLINE void pass(const Block& block, Int k, Held<Number, N> value, Number* gradient) {
  Number values[N];
  write(values, value);
  for (int i = 0; i < N; i++) gradient[block.parent(k + i)] += values[i];
}

// Divide shares by their total; uniform where they all but vanish.
template <int N, typename Number>
INLINE void divide(const Block& block, Int k, Held<Number, N> total, Number* behavior) {
  typedef Held<Number, N> Value;
  constexpr Number tiny = sizeof(Number) == 4 ? (Number)0x1p-126 : (Number)0x1p-1022;
  const Value zero = {}, one = zero + 1, least = zero + tiny;  // 1 / less overflows
  const Value uniform = one / (Number)block.actions;
  const Value inverse = one / (total >= least ? total : one);
  const Value scale = total >= least ? inverse : zero;
  for (Int a = 0; a < block.actions; a++) {
    Number* share = behavior + block.at(a, k);
    const Value scaled = read<N>(share) * scale;
    write(share, scale > zero ? scaled : uniform);
  }
}

template <typename Number>
void walk_down(const PlexArrays& plex, const Number* behavior, Number* plan) {
  down<Number>(plex, [&](const Block& block, Int k, auto n) {
    Number parents[n];
    for (int i = 0; i < n; i++) parents[i] = plan[block.parent(k + i)];
    const auto reach = read<n>(parents);
    for (Int a = 0; a < block.actions; a++)
      write(plan + block.at(a, k), read<n>(behavior + block.at(a, k)) * reach);
  });
}

// Advantages in the gradient's place; values pass up.
template <int N, typename Number>
INLINE void pass_up(const Block& block, Int k, const Number* behavior, Number* gradient) {
  Held<Number, N> value = {};
  for (Int a = 0; a < block.actions; a++)
    value += read<N>(behavior + block.at(a, k)) * read<N>(gradient + block.at(a, k));
  for (Int a = 0; a < block.actions; a++) {
    Number* gain = gradient + block.at(a, k);
    write(gain, read<N>(gain) - value);
  }
  pass<N>(block, k, value, gradient);
}

template <typename Number>
void advantages(const PlexArrays& plex, const Number* behavior, Number* gradient) {
  up<Number>(plex, [&](const Block& block, Int k, auto n) {
    pass_up<n>(block, k, behavior, gradient);
  });
}

// Pure behavior; the first of equal actions.
template <typename Number>
void best_up(const PlexArrays& plex, Number* gradient, Number* behavior) {
  up<Number>(plex, [&](const Block& block, Int k, auto n) {
    typedef Held<Number, n> Value;
    const Value zero = {}, one = zero + 1;
    Value best = read<n>(gradient + block.at(0, k)), chosen = zero;
    for (Int a = 1; a < block.actions; a++) {
      const Value gain = read<n>(gradient + block.at(a, k));
      chosen = gain > best ? zero + (Number)a : chosen;
      best = gain > best ? gain : best;
    }
    for (Int a = 0; a < block.actions; a++)
      write(behavior + block.at(a, k), chosen == zero + (Number)a ? one : zero);
    pass<n>(block, k, best, gradient);
  });
}

void smooth_up(const PlexArrays& plex, double* gradient, const double* weights, double* behavior) {
  up<double>(plex, [&](const Block& block, Int k, auto n) {
    typedef Held<double, n> Value;
    const Value weight = read<n>(weights + block.at(0, k));
    Value top = read<n>(gradient + block.at(0, k)), total = {};
    for (Int a = 1; a < block.actions; a++) {
      const Value gain = read<n>(gradient + block.at(a, k));
      top = gain > top ? gain : top;
    }
    double each[n];
    for (Int a = 0; a < block.actions; a++) {
      write(each, (read<n>(gradient + block.at(a, k)) - top) / weight);
      for (int i = 0; i < n; i++) each[i] = exp(each[i]);
      total += read<n>(each);
      write(behavior + block.at(a, k), read<n>(each));
    }
    for (Int a = 0; a < block.actions; a++) {
      double* share = behavior + block.at(a, k);
      write(share, read<n>(share) / total);
    }
    write(each, total);
    for (int i = 0; i < n; i++) each[i] = log(each[i]);
    pass<n>(block, k, top + weight * read<n>(each), gradient);
  });
}

// A discount of zero for negative regrets is regret matching plus.
template <int N, typename Number>
INLINE void match(const Block& block, Int k, const Number* advantage, Number* regret,
                  Number* behavior, const Discounts& discounts) {
  typedef Held<Number, N> Value;
  const Value zero = {}, positive = zero + (Number)discounts.positive;
  const Value negative = zero + (Number)discounts.negative;
  const Number predict = (Number)discounts.predict;
  Value total = zero;
  for (Int a = 0; a < block.actions; a++) {
    const Int at = block.at(a, k);
    const Value old = read<N>(regret + at), fresh = read<N>(advantage + at);
    const Value stored = old * (old > zero ? positive : negative) + fresh;
    const Value next = stored + fresh * predict;
    const Value share = next > zero ? next : zero;
    write(regret + at, stored);
    write(behavior + at, share);
    total += share;
  }
  divide<N>(block, k, total, behavior);
}

template <typename Number>
void match_regrets(const PlexArrays& plex, const Number* advantage, Number* regret,
                   Number* behavior, const Discounts& discounts) {
  down<Number>(plex, [&](const Block& block, Int k, auto n) {
    match<n>(block, k, advantage, regret, behavior, discounts);
  });
}

template <typename Number>
void normalize(const PlexArrays& plex, const Number* weights, Number* behavior) {
  down<Number>(plex, [&](const Block& block, Int k, auto n) {
    Held<Number, n> total = {};
    for (Int a = 0; a < block.actions; a++) {
      const auto weight = read<n>(weights + block.at(a, k));
      write(behavior + block.at(a, k), weight);
      total += weight;
    }
    divide<n>(block, k, total, behavior);
  });
}

// New regrets, behavior and plan. Once a state has passed up, it may change.
template <typename Number>
void relearn(const PlexArrays& plex, Number* gradient, Number* regret, Number* behavior,
             Number* plan, const Discounts& discounts) {
  up<Number>(plex, [&](const Block& block, Int k, auto n) {
    pass_up<n>(block, k, behavior, gradient);
    match<n>(block, k, gradient, regret, behavior, discounts);
  });
  walk_down(plex, behavior, plan);
}

// One player's whole iteration. The average is empty where current play is the solution.
template <typename Number>
void learn(const PlexArrays& plex, Number* gradient, Number* regret, Number* behavior, Number* plan,
           Number* average, Int size, const Discounts& discounts) {
  const Number keep = (Number)discounts.average;
  for (Int s = 0; s < size; s++) average[s] = average[s] * keep + plan[s];
  relearn(plex, gradient, regret, behavior, plan, discounts);
}

// The same for all but the roots: for some states of each block, too.
template <typename Number>
void learn_blocks(const PlexArrays& plex, Number* gradient, Number* regret, Number* behavior,
                  Number* plan, Number* average, Int size, const Discounts& discounts) {
  const Number keep = (Number)discounts.average;
  for (Int b = 0; b < plex.first_size && size > 0; b++) {
    const Block block = block_of(plex, b);
    for (Int a = 0; a < block.actions; a++)
      for (Int at = block.at(a, 0); at < block.at(a, block.states); at++)
        average[at] = average[at] * keep + plan[at];
  }
  relearn(plex, gradient, regret, behavior, plan, discounts);
}

void multiply(const CompressedRows& rows, const double* x, double* out) {
  for (Int i = 0; i < rows.indptr_size - 1; i++) {
    double total = out[i];
    for (Int j = rows.indptr[i]; j < rows.indptr[i + 1]; j++)
      total += rows.data[j] * x[rows.indices[j]];
    out[i] = total;
  }
}

// Add what terminals with dense forms earn against the other's plan.
void add_forms(const DenseEnds& ends, const double* plan, double* gradient) {
  for (Int t = 0; t < ends.own_size; t++) {
    const Int states = ends.states[t], others = ends.others[t];
    const double *form = ends.entries + ends.form[t], *reach = plan + ends.other[t];
    const double stake = ends.stakes[t];
    double* out = gradient + ends.own[t];
    along<double>(states, [&](Int k, auto n) {
      Held<double, n> sum = {};
      for (Int other = 0; other < others; other++)
        sum += read<n>(form + other * states + k) * reach[other];
      write(out + k, read<n>(out + k) + sum * stake);
    });
  }
}

// A side's gradient against the other's plan.
void earn(const Side& side, const double* plan) {
  for (Int s = 0; s < side.gradient_size; s++) side.gradient[s] = 0;
  multiply(side.payoffs, plan, side.gradient);
  add_forms(side.ends, plan, side.gradient);
}

void learn_side(const Side& side, const Discounts& discounts) {
  learn(side.plex, side.gradient, side.regret, side.behavior, side.plan, side.average,
        side.average_size, discounts);
}

template <typename Number>
void gather(const Number* plan, const Int* seqs, const Number* stakes, Int count, Int width,
            Number* __restrict reach) {
  for (Int t = 0; t < count; t++)
    for (Int k = 0; k < width; k++) reach[t * width + k] = stakes[t] * plan[seqs[t] + k];
}

template <typename Number>
void scatter(const Number* values, const Int* seqs, Int count, Int width, Number* __restrict out) {
  for (Int t = 0; t < count; t++)
    for (Int k = 0; k < width; k++) out[seqs[t] + k] += values[t * width + k];
}

}  // namespace

// Iterations of both players, one for each row of the schedule [steps].
BOARD_KERNEL(iterate)
(const Side* one, const Side* two, const Discounts* schedule, Int steps, Int alternating) {
  for (Int step = 0; step < steps; step++) {
    earn(*one, two->plan);
    if (!alternating) earn(*two, one->plan);
    learn_side(*one, schedule[step]);
    if (alternating) earn(*two, one->plan);
    learn_side(*two, schedule[step]);
  }
}

BOARD_KERNEL(earn)(const Side* side, const double* plan) { earn(*side, plan); }

BOARD_KERNEL(smooth_up)
(const PlexArrays* plex, double* gradient, const double* weights, double* behavior) {
  smooth_up(*plex, gradient, weights, behavior);
}

BOARD_KERNEL(multiply)(const CompressedRows* rows, const double* x, double* out) {
  multiply(*rows, x, out);
}

#define KERNELS(Number)                                                                           \
  BOARD_KERNEL(walk_down_##Number)                                                                \
  (const PlexArrays* plex, const Number* behavior, Number* plan) {                                \
    walk_down(*plex, behavior, plan);                                                             \
  }                                                                                               \
  BOARD_KERNEL(advantages_##Number)                                                               \
  (const PlexArrays* plex, const Number* behavior, Number* gradient) {                            \
    advantages(*plex, behavior, gradient);                                                        \
  }                                                                                               \
  BOARD_KERNEL(best_up_##Number)(const PlexArrays* plex, Number* gradient, Number* behavior) {    \
    best_up(*plex, gradient, behavior);                                                           \
  }                                                                                               \
  BOARD_KERNEL(match_regrets_##Number)                                                            \
  (const PlexArrays* plex, const Number* advantage, Number* regret, Number* behavior,             \
   const Discounts* discounts) {                                                                  \
    match_regrets(*plex, advantage, regret, behavior, *discounts);                                \
  }                                                                                               \
  BOARD_KERNEL(normalize_##Number)                                                                \
  (const PlexArrays* plex, const Number* weights, Number* behavior) {                             \
    normalize(*plex, weights, behavior);                                                          \
  }                                                                                               \
  BOARD_KERNEL(learn_##Number)                                                                    \
  (const PlexArrays* plex, Number* gradient, Number* regret, Number* behavior, Number* plan,      \
   Number* average, Int size, const Discounts* discounts) {                                       \
    learn(*plex, gradient, regret, behavior, plan, average, size, *discounts);                    \
  }                                                                                               \
  BOARD_KERNEL(learn_blocks_##Number)                                                             \
  (const PlexArrays* plex, Number* gradient, Number* regret, Number* behavior, Number* plan,      \
   Number* average, Int size, const Discounts* discounts) {                                       \
    learn_blocks(*plex, gradient, regret, behavior, plan, average, size, *discounts);             \
  }                                                                                               \
  BOARD_KERNEL(gather_##Number)                                                                   \
  (const Number* plan, const Int* seqs, const Number* stakes, Int count, Int width,               \
   Number* reach) {                                                                               \
    gather(plan, seqs, stakes, count, width, reach);                                              \
  }                                                                                               \
  BOARD_KERNEL(scatter_##Number)                                                                  \
  (const Number* values, const Int* seqs, Int count, Int width, Number* out) {                    \
    scatter(values, seqs, count, width, out);                                                     \
  }

KERNELS(float)
KERNELS(double)
