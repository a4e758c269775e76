// One street alone: lines are entered and left hand by hand, groups of hands take their means, and gadgets
// choose with which hands the opponent comes. Rows have W places; boards B, lines L, hands before H.

constexpr unsigned ABSENT = 0xffff;
constexpr float TINY = 1.17549435e-38f;       // smaller totals have no reciprocal
constexpr int THREADS = 128;

struct Lines {
  const unsigned short* above;                // [B, W] number of each place's hand before, or ABSENT
  const unsigned short* place;                // [B, H] where each hand before lies, or ABSENT
  const float* weight;                        // [B]
  const float* reach;                         // [L, H]
  float* coming;                              // [B, L, W]
  const float* value;                         // [B, L, W]
  double* total;                              // [L, H]
  int boards, lines, hands, width;
};

// Reaches of hands on every board.
extern "C" __global__ void enter_hands(const __grid_constant__ Lines s) {
  const int board = blockIdx.x, line = blockIdx.y;
  for (int w = threadIdx.x; w < s.width; w += THREADS) {
    const unsigned hand = s.above[(size_t)board * s.width + w];
    s.coming[((size_t)board * s.lines + line) * s.width + w] = hand == ABSENT ? 0.f : s.reach[line * s.hands + hand];
  }
}

// Values of hands, summed over all boards.
extern "C" __global__ void hand_values(const __grid_constant__ Lines s) {
  const int hand = blockIdx.x * THREADS + threadIdx.x, line = blockIdx.y;
  if (hand >= s.hands) return;
  double sum = 0;
#pragma unroll 4
  for (int b = 0; b < s.boards; b++) {
    const unsigned at = s.place[(size_t)b * s.hands + hand];
    if (at != ABSENT) sum += (double)s.weight[b] * s.value[((size_t)b * s.lines + line) * s.width + at];
  }
  s.total[line * s.hands + hand] = sum;
}

struct Groups {
  float* kept;                                // [B, rows, W]
  const int* start;                           // [G + 1]
  const int* member;                          // [N] board * W + place, group by group
  const float* weight;                        // [N]
  int rows, first, count, width;              // of each board; the first of the player; groups
  int lanes, unused;                          // threads a group
};

// Let all of a group have its mean.
extern "C" __global__ void even_out(const __grid_constant__ Groups g) {
  __shared__ double sums[THREADS], totals[THREADS];
  const int tid = threadIdx.x, lane = tid % g.lanes, group = (blockIdx.x * THREADS + tid) / g.lanes;
  const int from = group < g.count ? g.start[group] + lane : 0, to = group < g.count ? g.start[group + 1] : 0;
  float* kept = g.kept + (size_t)(g.first + blockIdx.y) * g.width;
  double sum = 0, total = 0;
#pragma unroll 4
  for (int i = from; i < to; i += g.lanes) {
    const int board = g.member[i] / g.width, place = g.member[i] % g.width;
    sum += (double)g.weight[i] * kept[(size_t)board * g.rows * g.width + place];
    total += g.weight[i];
  }
  sums[tid] = sum;
  totals[tid] = total;
  __syncthreads();
  sum = total = 0;
  for (int i = tid - lane; i < tid - lane + g.lanes; i++) { sum += sums[i]; total += totals[i]; }
  const float mean = total > 0 ? (float)(sum / total) : 0.f;
#pragma unroll 4
  for (int i = from; i < to; i += g.lanes) {
    const int board = g.member[i] / g.width, place = g.member[i] % g.width;
    kept[(size_t)board * g.rows * g.width + place] = mean;
  }
}

struct Copies {
  const float* source;                        // [B, source rows, W]
  float* target;                              // [B, target rows, W]
  const int *source_row, *target_row;         // [n]
  int source_rows, target_rows, width;
  float scale;
};

// Rows of one street's boards to another's.
extern "C" __global__ void copy_rows(const __grid_constant__ Copies c) {
  const float* from = c.source + ((size_t)blockIdx.x * c.source_rows + c.source_row[blockIdx.y]) * c.width;
  float* to = c.target + ((size_t)blockIdx.x * c.target_rows + c.target_row[blockIdx.y]) * c.width;
  for (int w = threadIdx.x; w < c.width; w += THREADS) to[w] = c.scale * from[w];
}

struct Rows {
  float* kept;                                // [B, rows, W]
  float* packed;                              // [B, count, W]
  int rows, first, count, width, unused;
  float scale;
};

__device__ __forceinline__ float* row_of(const Rows& r) {
  return r.kept + ((size_t)blockIdx.x * r.rows + r.first + blockIdx.y) * r.width;
}

// A player's rows of every board side by side, and back.
extern "C" __global__ void pack(const __grid_constant__ Rows r) {
  float* to = r.packed + ((size_t)blockIdx.x * r.count + blockIdx.y) * r.width;
  for (int w = threadIdx.x; w < r.width; w += THREADS) to[w] = r.scale * row_of(r)[w];
}
extern "C" __global__ void unpack(const __grid_constant__ Rows r) {
  const float* from = r.packed + ((size_t)blockIdx.x * r.count + blockIdx.y) * r.width;
  for (int w = threadIdx.x; w < r.width; w += THREADS) row_of(r)[w] = r.scale * from[w];
}

struct Gadgets {
  const float* value;                         // [B, L, W] of the opponent, as all that follows
  float* coming;
  const float *target, *weight, *limit, *penalty;
  const unsigned char* kind;                  // 1: free, 2: held
  float *free_regret, *in_regret, *out_regret;
  float positive, negative;
  int learns, width;
};

__device__ __forceinline__ float above_zero(float x) { return x > 0.f ? x : 0.f; }
__device__ __forceinline__ float discounted(const Gadgets& g, float x) { return x * (x > 0.f ? g.positive : g.negative); }
__device__ __forceinline__ float part(float x, float total, float otherwise) { return total >= TINY ? x / total : otherwise; }

__device__ __forceinline__ float over_block(float x) {
  __shared__ float parts[THREADS];
  parts[threadIdx.x] = x;
  __syncthreads();
  for (int half = THREADS / 2; half; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = parts[0];
  __syncthreads();
  return sum;
}

// Learn from what entries are worth, and choose anew: GadgetRoot, one block a board and line.
extern "C" __global__ void gadgets(const __grid_constant__ Gadgets g) {
  const size_t from = (size_t)blockIdx.x * g.width;
  float count = 0, total = 0, mean = 0;
  for (int w = threadIdx.x; w < g.width; w += THREADS) {
    const bool free = g.kind[from + w] & 1;
    count += free;
    total += free ? above_zero(g.free_regret[from + w]) : 0.f;
  }
  count = over_block(count);
  total = over_block(total);
  const float even = 1.f / (count > 1 ? count : 1);
  if (g.learns) {
    for (int w = threadIdx.x; w < g.width; w += THREADS) {
      const size_t i = from + w;
      if (g.kind[i] & 1)
        mean += part(above_zero(g.free_regret[i]), total, even) * ((g.value[i] - g.target[i]) / g.weight[i]);
    }
    mean = over_block(mean);
    total = 0;
    for (int w = threadIdx.x; w < g.width; w += THREADS) {
      const size_t i = from + w;
      if (g.kind[i] & 1) {
        const float gain = (g.value[i] - g.target[i]) / g.weight[i];
        total += g.free_regret[i] = above_zero(discounted(g, g.free_regret[i]) + (gain - mean));
      }
      if (g.kind[i] & 2) {
        const float come = above_zero(g.in_regret[i]), over = g.value[i] - g.limit[i];
        const float share = part(come, come + above_zero(g.out_regret[i]), 0.5f);
        g.in_regret[i] = discounted(g, g.in_regret[i]) + (1.f - share) * over;
        g.out_regret[i] = discounted(g, g.out_regret[i]) - share * over;
      }
    }
    total = over_block(total);
  }
  for (int w = threadIdx.x; w < g.width; w += THREADS) {
    const size_t i = from + w;
    float reach = 0;
    if (g.kind[i] & 1) reach += part(above_zero(g.free_regret[i]), total, even) / g.weight[i];
    if (g.kind[i] & 2) {
      const float come = above_zero(g.in_regret[i]);
      reach += g.penalty[i] * part(come, come + above_zero(g.out_regret[i]), 0.5f);
    }
    g.coming[i] = reach;
  }
}
