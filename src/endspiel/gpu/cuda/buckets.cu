// Training over buckets: plans go down a treeplex, values come up it, terminals are products with matrices.
// A thread has one private state of a decision; the decisions of a level run side by side. What follows a
// sequence is summed up by whoever reads it, in one order, so that runs repeat to the bit.

#if DOUBLE
typedef double Real;
constexpr int PARTS = 1;                      // of a thread's rows and columns of a product, four each
#else
typedef float Real;
constexpr int PARTS = 2;
#endif
constexpr Real TINY = 1.17549435e-38f;        // smaller totals have no reciprocal

enum Mode { LEARN, BEST, EXPECTED };

struct Decision {
  int first, states, actions, at;             // sequences first + a * states + k; values from `at` on
  int base, map, kids, unused;                // own sequence before: base + maps[map + k]; children from kids + a on
};
struct Child { int at, below; };              // its values; where its states below each begin, or -1: the same states

struct Walk {
  const Decision* decisions;                  // of a level
  const int* maps;
  const int* kids;                            // [actions + 2] first child of each action's sequence; of the roots, first
  const Child* children;
  const int* below;
  Real *gradient, *value, *regret, *average, *behavior, *plan;  // a plan begins with the roots' masses
  float positive, negative, keep, predict;
  int mode, roots;
};

// What follows a sequence of state k.
__device__ __forceinline__ Real following(const Walk& w, int number, int k) {
  Real sum = 0;
  for (int i = w.kids[number]; i < w.kids[number + 1]; i++) {
    const Child c = w.children[i];
    const int from = c.below < 0 ? k : w.below[c.below + k], to = c.below < 0 ? k + 1 : w.below[c.below + k + 1];
    for (int j = from; j < to; j++) sum += w.value[c.at + j];
  }
  return sum;
}

__device__ __forceinline__ Real share(Real part, Real total, int actions) {
  return total >= TINY ? part / total : (Real)1 / actions;
}
__device__ __forceinline__ Real positive(Real x) { return x > 0 ? x : 0; }

// Values of a level's decisions, from their gradients, which are used up; regrets and averages learn.
extern "C" __global__ void up(const __grid_constant__ Walk w) {
  const Decision d = w.decisions[blockIdx.x];
  const int k = blockIdx.y * blockDim.x + threadIdx.x;
  if (k >= d.states) return;
  const Real* weights = w.mode == LEARN ? w.behavior : w.average;
  Real total = 0, sum = 0, all = 0, best = 0;
  for (int a = 0; a < d.actions; a++) {
    const int s = d.first + a * d.states + k;
    const Real gain = w.gradient[s] + following(w, d.kids + a, k);
    const Real weight = w.mode == BEST ? 0 : positive(weights[s]);
    w.gradient[s] = w.mode == LEARN ? gain : 0;
    total += weight;
    sum += weight * gain;
    all += gain;
    best = a && best > gain ? best : gain;
  }
  const Real value = w.mode == BEST ? best : w.mode == LEARN ? sum : total >= TINY ? sum / total : all / d.actions;
  w.value[d.at + k] = value;
  if (w.mode != LEARN) return;
  total = 0;
  for (int a = 0; a < d.actions; a++) {
    const int s = d.first + a * d.states + k;
    const Real news = w.gradient[s] - value, old = w.regret[s], x = old * (old > 0 ? w.positive : w.negative) + news;
    w.gradient[s] = 0;
    w.regret[s] = x;
    w.average[s] = w.average[s] * w.keep + w.plan[s];
    total += w.behavior[s] = positive(x + w.predict * news);
  }
  for (int a = 0; a < d.actions; a++) {
    const int s = d.first + a * d.states + k;
    w.behavior[s] = share(w.behavior[s], total, d.actions);
  }
}

// What the roots are worth; their averages.
extern "C" __global__ void roots_up(const __grid_constant__ Walk w) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= w.roots) return;
  w.value[k] = w.gradient[k] + following(w, 0, k);
  w.gradient[k] = 0;
  if (w.mode == LEARN) w.average[k] = w.average[k] * w.keep + w.plan[k];
}

// Plans of a level's decisions: of the behavior, or of the average's.
extern "C" __global__ void down(const __grid_constant__ Walk w) {
  const Decision d = w.decisions[blockIdx.x];
  const int k = blockIdx.y * blockDim.x + threadIdx.x;
  if (k >= d.states) return;
  const Real reach = w.plan[d.base + w.maps[d.map + k]];
  Real total = 0;
  if (w.mode == EXPECTED)
    for (int a = 0; a < d.actions; a++) total += positive(w.average[d.first + a * d.states + k]);
  for (int a = 0; a < d.actions; a++) {
    const int s = d.first + a * d.states + k;
    w.plan[s] = reach * (w.mode == EXPECTED ? share(positive(w.average[s]), total, d.actions) : w.behavior[s]);
  }
}

struct Product {
  const Real *plan, *matrix, *stakes;         // [S'], [K, K], [T]
  Real* gradient;                             // [S] added to
  const int *own, *other;                     // [T] first sequences of terminals
  int rows, width;                            // T, K
};

// What terminals pay: the other's reaches [T, K] times a matrix [K, K]; a block has a tile of the result.
constexpr int DEPTH = 16, SIDE = 16, TILE = 4 * SIDE * PARTS, LOADS = TILE * DEPTH / (SIDE * SIDE);

__device__ __forceinline__ int spread(int t, int i) { return i / 4 * 4 * SIDE + t * 4 + i % 4; }

extern "C" __global__ void __launch_bounds__(SIDE * SIDE) product(const __grid_constant__ Product p) {
  __shared__ Real left[DEPTH][TILE + 4], right[DEPTH][TILE + 4];
  const int tid = threadIdx.x, tx = tid % SIDE, ty = tid / SIDE, top = blockIdx.y * TILE, edge = blockIdx.x * TILE;
  const int row = top + tid / (DEPTH / LOADS), from = tid % (DEPTH / LOADS) * LOADS;
  const Real* reach = row < p.rows ? p.plan + p.other[row] : 0;
  Real sums[4 * PARTS][4 * PARTS] = {};
  for (int depth = 0; depth < p.width; depth += DEPTH) {
    for (int i = 0; i < LOADS; i++) {
      const int k = depth + from + i, at = tid + i * SIDE * SIDE, inner = depth + at / TILE, column = edge + at % TILE;
      left[from + i][row - top] = reach && k < p.width ? reach[k] : 0;
      right[at / TILE][at % TILE] = inner < p.width && column < p.width ? p.matrix[(size_t)inner * p.width + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      Real x[4 * PARTS], y[4 * PARTS];
#pragma unroll
      for (int i = 0; i < 4 * PARTS; i++) { x[i] = left[k][spread(ty, i)]; y[i] = right[k][spread(tx, i)]; }
#pragma unroll
      for (int i = 0; i < 4 * PARTS; i++)
#pragma unroll
        for (int j = 0; j < 4 * PARTS; j++) sums[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4 * PARTS; i++) {
    const int t = top + spread(ty, i);
    if (t >= p.rows) continue;
    Real* to = p.gradient + p.own[t];
#pragma unroll
    for (int j = 0; j < 4 * PARTS; j++) {
      const int column = edge + spread(tx, j);
      if (column < p.width) to[column] += p.stakes[t] * sums[i][j];
    }
  }
}
