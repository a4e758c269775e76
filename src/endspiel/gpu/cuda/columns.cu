// Columns: q's unblocked mass and the showdowns of up to four at a time, by sums in shared memory.

struct Parts {                                // what sums are taken with, in shared memory
  float warps[4][8];                          // of the main list, what each warp's part comes to
  unsigned lists[MOST_CARDS];                 // as `Street::lists`, of q on the board
};

// Exclusive sums of the main list, and of the card lists, in place.
__device__ __forceinline__ void scan_main(float4* sums, float (*warps)[8]) {
  const int tid = threadIdx.x, column = tid & 3, lane = tid & 31, warp = tid >> 5;
  float* list = (float*)(sums + MAIN) + (tid >> 2) * 4 + column;
  float x[PER], total = 0.f;
#pragma unroll
  for (int k = 0; k < PER; k++) x[k] = list[k * STRIDE * 4];
#pragma unroll
  for (int k = 0; k < PER; k++) total += x[k];
  float up = total;                           // with the chunks before it in the warp
#pragma unroll
  for (int step = 4; step < 32; step *= 2) {
    float other = __shfl_up_sync(0xffffffffu, up, step);
    if (lane >= step) up += other;
  }
  float run = __shfl_up_sync(0xffffffffu, up, 4);
  if (lane < 4) run = 0.f;
  if (SCAN_WARPS > 1) {
    if (lane >= 28) warps[column][warp] = up;
    SCAN_BARRIER();
#pragma unroll
    for (int i = 0; i < SCAN_WARPS - 1; i++) if (i < warp) run += warps[column][i];
  }
#pragma unroll
  for (int k = 0; k < PER; k++) { list[k * STRIDE * 4] = run; run += x[k]; }
  if (tid >= SCANNERS - 4) ((float*)(sums + MAIN + CHUNKS))[column] = run;
}
__device__ __forceinline__ void scan_cards(float4* sums, const unsigned* lists, int cards) {
  constexpr int BATCH = 16;
#pragma unroll 1
  for (int u = (int)threadIdx.x - LISTERS; u < 4 * cards; u += THREADS - LISTERS) {
    float* list = (float*)sums + (lists[u >> 2] & 0xffff) * 4 + (u & 3);
    int left = lists[u >> 2] >> 16;
    float run = 0.f;
#pragma unroll 1
    for (; left >= BATCH; left -= BATCH, list += 4 * BATCH) {
      float x[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; k++) x[k] = list[4 * k];
#pragma unroll
      for (int k = 0; k < BATCH; k++) { list[4 * k] = run; run += x[k]; }
    }
    float x[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) x[k] = k < left ? list[4 * k] : 0.f;
#pragma unroll
    for (int k = 0; k < BATCH; k++) if (k < left) { list[4 * k] = run; run += x[k]; }
    list[4 * left] = run;
  }
}

__device__ __forceinline__ float4& slot(float4* sums, unsigned byte) { return *(float4*)((char*)sums + byte); }
__device__ __forceinline__ void scatter(float4* sums, unsigned pair, unsigned last, float4 x) {
  slot(sums, pair & 0xffff) = x;
  slot(sums, pair >> 16) = x;
  slot(sums, last) = x;
}
// From a hand's eight slots: unblocked mass (less the same hand) and what it wins.
__device__ __forceinline__ void gather(float4* sums, uint4 at, float4 total, float4& show, float4& mass) {
  mass = sub4(sub4(total, slot(sums, at.w & 0xffff)), slot(sums, at.w >> 16));
  float4 lo = sub4(sub4(slot(sums, at.z & 0xffff), slot(sums, at.x & 0xffff)), slot(sums, at.y & 0xffff));
  float4 hi = sub4(sub4(slot(sums, at.z >> 16), slot(sums, at.x >> 16)), slot(sums, at.y >> 16));
  show = add4(lo, sub4(hi, mass));
}

template <int U> __device__ __forceinline__ void read_columns(const Street& s, const Half<U>& h, const Op& op, float2 (&x)[4]) {
  if (op.fresh & PLAIN) {                     // four columns, all in shared memory
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = load_row(h.rows, op.rows[j]);
  } else {
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = j < op.actions ? row_at(s, h, op.rows[j]) : make_float2(0.f, 0.f);
  }
}

// Any hand's reach in a row.
template <int U> __device__ __forceinline__ float reach_at(const Street& s, const Half<U>& h, int row, int place) {
  if (!SCRATCH || row < SLOTS) return load_one(h.rows, row, place - 2 * (int)threadIdx.x);
  return scratch_row(s, row)[place];
}

// Masses and showdowns of up to four columns, for both hands: [hand][column].
template <int U> __device__ __forceinline__ void evaluate(const Street& s, const Half<U>& h, const Op& op, float4* sums,
                                         Parts& parts, float4 (&show)[2], float4 (&mass)[2]) {
  const int board = blockIdx.x, q = 1 - h.pass.player;
  const int half = SAME_PLACES ? 0 : h.pass.player;  // with the same hands in the same places, both have the same
  const uint4* tables = s.tables + ((size_t)half * s.boards + board) * 3 * THREADS + threadIdx.x;
  float2 x[4];
  read_columns(s, h, op, x);
  const uint4 t = read_table(tables);
  __syncthreads();                            // rows are written, and sums that were there are used
  scatter(sums, t.x, t.y & 0xffff, make_float4(x[0].x, x[1].x, x[2].x, x[3].x));
  scatter(sums, (t.y >> 16) | (t.z << 16), t.z >> 16, make_float4(x[0].y, x[1].y, x[2].y, x[3].y));
#if !SAME_PLACES
  float r[4][2];                              // q's reaches with the same hands
  const unsigned one = t.w & 0xffff, two = t.w >> 16;
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const bool there = j < op.actions;
    r[j][0] = there && one != ABSENT ? reach_at(s, h, op.rows[j], one) : 0.f;
    r[j][1] = there && two != ABSENT ? reach_at(s, h, op.rows[j], two) : 0.f;
  }
#endif
  uint4 g1, g2;
  unsigned end;
  const auto look_up = [&] {
    g1 = read_table(tables + THREADS);
    g2 = read_table(tables + 2 * THREADS);
    end = s.end[q * s.boards + board];
  };
  if (EARLY) look_up();
  __syncthreads();
  if (threadIdx.x < SCANNERS) scan_main(sums, parts.warps);
  if (threadIdx.x >= LISTERS) scan_cards(sums, parts.lists, s.cards);
  if (!EARLY) look_up();
  __syncthreads();
  const float4 total = slot(sums, end);
  gather(sums, g1, total, show[0], mass[0]);
  gather(sums, g2, total, show[1], mass[1]);
#if SAME_PLACES
  read_columns(s, h, op, x);                  // again: registers are scarce
  mass[0] = add4(mass[0], make_float4(x[0].x, x[1].x, x[2].x, x[3].x));
  mass[1] = add4(mass[1], make_float4(x[0].y, x[1].y, x[2].y, x[3].y));
#else
  mass[0] = add4(mass[0], make_float4(r[0][0], r[1][0], r[2][0], r[3][0]));
  mass[1] = add4(mass[1], make_float4(r[0][1], r[1][1], r[2][1], r[3][1]));
#endif
}
