// Op streams of one street, one block a board: see stream.py (ops), tables.py (sums), machine.py (passes).
// Compiled for a geometry: WIDTH hands a row, CARDS live cards, RANKS places a card list, SLOTS rows in
// shared memory, BLOCKS blocks a multiprocessor. A thread has two hands, next to each other in a row.

constexpr int THREADS = WIDTH / 2;
constexpr int CHUNKS = WIDTH < 256 ? WIDTH / 8 : WIDTH < 1024 ? 32 : 64;
constexpr int PER = WIDTH / CHUNKS;           // hands of a chunk of the main list
constexpr int SPILL = RANKS * CARDS, MAIN = SPILL + 1, STRIDE = CHUNKS + 1;
constexpr int SUMS = MAIN + PER * STRIDE;     // slots, of four columns each
constexpr int SCANNERS = 4 * CHUNKS;          // threads that sum the main list, each one chunk's column
constexpr int SCAN_WARPS = SCANNERS / 32;
constexpr int LISTERS = SCANNERS < THREADS ? SCANNERS : 0;  // first thread that sums card lists
constexpr unsigned ABSENT = 0xffff;
constexpr float TINY = 1.17549435e-38f;       // smaller totals have no reciprocal

enum Kind { LOAD, FORWARD, OUT, EVALUATE, POST, DONE, END };
enum Mode { LEARN, BEST, EXPECTED, ONLY_FORWARD };
enum Flag { FRESH = 1, PLAIN = 2 };
enum Code { NOWHERE = -1, SHOWDOWN = -2, PORT = 1 << 12 };

struct Op {                                   // words of a unit; see `encode`
  int kind, actions, first, row, port, pay;
  int fresh;                                  // flags, and from bit 8 on, how many units
  int ahead;                                  // rows to prefetch: first << 9 | of q << 8 | count
  int rows[8];                                // and more, in the units that follow
};

#ifndef SHARED_SUMS
#define SHARED_SUMS(name) extern __shared__ float4 name[]
#define SCAN_BARRIER() asm volatile("bar.sync 1, %0;" :: "n"(SCANNERS) : "memory")
#endif

struct Pass {
  int player, mode;
  float positive, negative, weight;
};

struct Passes { Pass at[PASSES]; };           // a launch's, in constant memory as its argument

struct Street {
  float* regret;                              // [B, rows of both players, W]
  float* average;
  const float* coming;                        // first street: roots [2, G, W]; else reaches above
  const unsigned short* above;                // [2, B, W], none on the first street
  const int* parent;                          // [B]
  float* out;                                 // [B, outs, W] reaches of lines that go on
  const float* below;                         // [B, outs, W] values of those lines
  float* value;                               // [B, lines, W]
  float* scratch;                             // [B, scratch, W]
  const uint4* tables;                        // [2, B, 3, threads] of each half
  const unsigned short* end;                  // [2, B] slot of q's whole sum
  const unsigned char* locked;                // [B, decisions of both players], or none
  const int* game;                            // [B]
  const float* pay[2];                        // [G, pays]
  const Op* ops[2];                           // where they are not in constant memory
  int rows[2], decisions[2], pays[2], units[2];
  int boards, lines, outs, scratch_rows, upper_width, games;
};

#if CONSTANT_OPS
extern "C" { __constant__ int4 constant_ops[CONSTANT_OPS * 4]; }
#endif

__device__ __forceinline__ float2 add2(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 scaled(float c, float2 x) { return make_float2(c * x.x, c * x.y); }
__device__ __forceinline__ float2 fma2(float c, float2 x, float2 y) {
  return make_float2(fmaf(c, x.x, y.x), fmaf(c, x.y, y.y));
}
__device__ __forceinline__ float4 sub4(float4 a, float4 b) {
  return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}
__device__ __forceinline__ float4 add4(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ __forceinline__ float positive(float x) { return fmaxf(x, 0.f); }

// What differs by architecture. Hopper adds to memory without loading, and prefetches whole rows.
__device__ __forceinline__ void add_to(float2* to, float2 x) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(to), "f"(x.x), "f"(x.y) : "memory");
#else
  *to = add2(*to, x);
#endif
}
__device__ __forceinline__ void prefetch_rows(const float* from, int rows) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(from), "r"(rows * WIDTH * 4) : "memory");
#endif
}
__device__ __forceinline__ uint4 read_table(const uint4* from) {  // volatile: not moved below barriers
#ifdef __CUDA_ARCH__
  uint4 v;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
#else
  return *from;
#endif
}

struct Half {                                 // one pass on one board, for one thread
  const Pass& pass;
  float* shared;                              // rows in shared memory, at the thread's hands
  float* kept;                                // regrets or averages of both, at the thread's hands
  const float* pay;
};

__device__ __forceinline__ float2 load2(const float* from) { return *(const float2*)from; }
__device__ __forceinline__ void store2(float* to, float2 x) { *(float2*)to = x; }
__device__ __forceinline__ float* scratch_row(const Street& s, int row) {
  return s.scratch + ((size_t)blockIdx.x * s.scratch_rows + (row - SLOTS)) * WIDTH;
}
__device__ __forceinline__ float2 row_at(const Street& s, const Half& h, int row) {
  if (row < SLOTS) return load2(h.shared + row * WIDTH);
  return load2(scratch_row(s, row) + 2 * threadIdx.x);
}
__device__ __forceinline__ void set_row(const Street& s, const Half& h, int row, float2 x) {
  if (row < SLOTS) store2(h.shared + row * WIDTH, x);
  else store2(scratch_row(s, row) + 2 * threadIdx.x, x);
}

// Shares by what is positive: x * scale + even.
struct Shares { float2 scale, even; };
__device__ __forceinline__ Shares matched(float2 total, float2 reach, float count) {
  Shares s;
  s.scale.x = total.x > TINY ? __fdividef(reach.x, total.x) : 0.f;
  s.scale.y = total.y > TINY ? __fdividef(reach.y, total.y) : 0.f;
  s.even.x = total.x > TINY ? 0.f : reach.x * count;
  s.even.y = total.y > TINY ? 0.f : reach.y * count;
  return s;
}
__device__ __forceinline__ float2 share(const Shares& s, float2 x) {
  return make_float2(fmaf(positive(x.x), s.scale.x, s.even.x), fmaf(positive(x.y), s.scale.y, s.even.y));
}
__device__ __forceinline__ void hand_on(const Street& s, const Half& h, int row, float* average, float2 x) {
  if (row != NOWHERE) set_row(s, h, row, x);
  if (h.pass.weight != 0.f) add_to((float2*)average, scaled(h.pass.weight, x));
}

// Decisions of few actions all of whose rows are in shared memory are unrolled; the others loop.
template <int K> __device__ __forceinline__ void forward(const Street& s, const Half& h, const Op& op, float2 reach) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float* average = kept + (s.average - s.regret);  // only regrets are matched with a weight
  float2 x[K], total = make_float2(0.f, 0.f);
#pragma unroll
  for (int a = 0; a < K; a++) x[a] = load2(kept + a * WIDTH);
#pragma unroll
  for (int a = 0; a < K; a++) total = add2(total, make_float2(positive(x[a].x), positive(x[a].y)));
  Shares part = matched(total, reach, 1.f / K);
#pragma unroll
  for (int a = 0; a < K; a++) {
    x[a] = share(part, x[a]);
    if (op.rows[a] != NOWHERE) store2(h.shared + op.rows[a] * WIDTH, x[a]);
  }
  if (h.pass.weight != 0.f) {
#pragma unroll
    for (int a = 0; a < K; a++) add_to((float2*)(average + a * WIDTH), scaled(h.pass.weight, x[a]));
  }
}
__device__ __forceinline__ void forward_many(const Street& s, const Half& h, const Op& op, float2 reach) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float* average = kept + (s.average - s.regret);  // only regrets are matched with a weight
  const int* rows = (const int*)&op + 8;
  float2 total = make_float2(0.f, 0.f);
#pragma unroll 1
  for (int a = 0; a < op.actions; a++) {
    float2 x = load2(kept + a * WIDTH);
    total = add2(total, make_float2(positive(x.x), positive(x.y)));
  }
  Shares part = matched(total, reach, 1.f / (float)op.actions);
#pragma unroll 1
  for (int a = 0; a < op.actions; a++)
    hand_on(s, h, rows[a], average + a * WIDTH, share(part, load2(kept + a * WIDTH)));
}

__device__ __forceinline__ float2 gain(const Street& s, const Half& h, int row, float pay, float2 show, float2 mass) {
  if (row == SHOWDOWN) return scaled(pay, show);
  if (row == NOWHERE) return scaled(pay, mass);
  if (row < PORT) return fma2(pay, mass, row_at(s, h, row));
  const float* line = s.below + ((size_t)blockIdx.x * s.outs + (row - PORT)) * WIDTH;
  return fma2(pay, mass, load2(line + 2 * threadIdx.x));
}
__device__ __forceinline__ void learned(const Half& h, float* kept, float2 x, float2 gain, float2 value) {
  x.x = fmaf(x.x, x.x > 0.f ? h.pass.positive : h.pass.negative, gain.x - value.x);
  x.y = fmaf(x.y, x.y > 0.f ? h.pass.positive : h.pass.negative, gain.y - value.y);
  store2(kept, x);
}
__device__ __forceinline__ float2 mean(float2 total, float2 sum, float2 all, float count) {
  return make_float2(total.x > TINY ? __fdividef(sum.x, total.x) : all.x * count,
                     total.y > TINY ? __fdividef(sum.y, total.y) : all.y * count);
}
__device__ __forceinline__ bool learns(const Street& s, const Half& h, const Op& op) {
  if (!s.locked) return true;
  const int at = blockIdx.x * (s.decisions[0] + s.decisions[1]) + (h.pass.player ? s.decisions[0] : 0);
  return !s.locked[at + op.port];
}

// One of p's decisions: its value; its regrets learn on the way.
template <int K>
__device__ __forceinline__ float2 decide(const Street& s, const Half& h, const Op& op, float2 show, float2 mass) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float2 x[K], g[K];
#pragma unroll
  for (int a = 0; a < K; a++) x[a] = load2(kept + a * WIDTH);
  const float4* pays = (const float4*)(h.pay + op.pay);
  const float4 p0 = __ldg(pays), p1 = K > 3 ? __ldg(pays + 1) : p0;
  const float pay[8] = {p0.x, p0.y, p0.z, p0.w, p1.x, p1.y, p1.z, p1.w};
#pragma unroll
  for (int a = 0; a < K; a++) {
    const int row = op.rows[a];
    const float2 base = row == SHOWDOWN ? show : mass;
    const float2 rest = row < 0 ? make_float2(0.f, 0.f) : load2(h.shared + row * WIDTH);
    g[a] = fma2(pay[1 + a], base, rest);
  }
  bool free = learns(s, h, op);
  if (h.pass.mode == BEST && free) {
    float2 best = g[0];
#pragma unroll
    for (int a = 1; a < K; a++) best = make_float2(fmaxf(best.x, g[a].x), fmaxf(best.y, g[a].y));
    return best;
  }
  float2 total = make_float2(0.f, 0.f), sum = total, all = total;
#pragma unroll
  for (int a = 0; a < K; a++) {
    float2 w = make_float2(positive(x[a].x), positive(x[a].y));
    total = add2(total, w);
    sum = make_float2(fmaf(w.x, g[a].x, sum.x), fmaf(w.y, g[a].y, sum.y));
    all = add2(all, g[a]);
  }
  float2 value = mean(total, sum, all, 1.f / K);
  if (h.pass.mode == LEARN && free) {
#pragma unroll
    for (int a = 0; a < K; a++) learned(h, kept + a * WIDTH, x[a], g[a], value);
  }
  return value;
}
__device__ __forceinline__ float2 decide_many(const Street& s, const Half& h, const Op& op, float2 show, float2 mass) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  const float* pay = h.pay + op.pay + 1;
  const int* rows = (const int*)&op + 8;
  bool free = learns(s, h, op);
  float2 total = make_float2(0.f, 0.f), sum = total, all = total, best = total;
#pragma unroll 1
  for (int a = 0; a < op.actions; a++) {
    float2 x = load2(kept + a * WIDTH), g = gain(s, h, rows[a], __ldg(pay + a), show, mass);
    float2 w = make_float2(positive(x.x), positive(x.y));
    total = add2(total, w);
    sum = make_float2(fmaf(w.x, g.x, sum.x), fmaf(w.y, g.y, sum.y));
    all = add2(all, g);
    best = a ? make_float2(fmaxf(best.x, g.x), fmaxf(best.y, g.y)) : g;
  }
  if (h.pass.mode == BEST && free) return best;
  float2 value = mean(total, sum, all, 1.f / (float)op.actions);
  if (h.pass.mode == LEARN && free)
#pragma unroll 1
    for (int a = 0; a < op.actions; a++)
      learned(h, kept + a * WIDTH, load2(kept + a * WIDTH), gain(s, h, rows[a], __ldg(pay + a), show, mass), value);
  return value;
}

__device__ __forceinline__ void post(const Street& s, const Half& h, const Op& op, float2 show, float2 mass) {
  float2 value;
  if (op.fresh & PLAIN) {
    switch (op.actions) {
      case 1: value = decide<1>(s, h, op, show, mass); break;
      case 2: value = decide<2>(s, h, op, show, mass); break;
      case 3: value = decide<3>(s, h, op, show, mass); break;
      case 4: value = decide<4>(s, h, op, show, mass); break;
      case 5: value = decide<5>(s, h, op, show, mass); break;
      default: value = decide<6>(s, h, op, show, mass);
    }
  } else if (op.actions) {
    value = decide_many(s, h, op, show, mass);
  } else {
    value = gain(s, h, op.rows[0], __ldg(h.pay + op.pay + 1), show, mass);
  }
  value = fma2(__ldg(h.pay + op.pay), mass, value);
  if (!(op.fresh & FRESH)) value = add2(row_at(s, h, op.row), value);
  set_row(s, h, op.row, value);
}

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
__device__ __forceinline__ void scan_cards(float4* sums) {
  constexpr int BATCH = 16;
  for (int u = (int)threadIdx.x - LISTERS; u < 4 * CARDS; u += THREADS - LISTERS) {
    if (u < 0) break;
    float* list = (float*)sums + u;
    float run = 0.f;
#pragma unroll 1
    for (int from = 0; from < RANKS; from += BATCH) {
      float x[BATCH];
#pragma unroll
      for (int k = 0; k < BATCH; k++) if (from + k < RANKS) x[k] = list[(from + k) * CARDS * 4];
#pragma unroll
      for (int k = 0; k < BATCH; k++)
        if (from + k < RANKS) { list[(from + k) * CARDS * 4] = run; run += x[k]; }
    }
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

// The reaches of a line that comes in.
__device__ __forceinline__ float2 coming(const Street& s, int q, int line) {
  const int board = blockIdx.x, place = 2 * threadIdx.x;
  if (!s.above) return load2(s.coming + ((size_t)q * s.games + board) * WIDTH + place);
  const float* from = s.coming + ((size_t)s.parent[board] * s.lines + line) * s.upper_width;
  const unsigned short* at = s.above + ((size_t)q * s.boards + board) * WIDTH + place;
  return make_float2(at[0] == ABSENT ? 0.f : from[at[0]], at[1] == ABSENT ? 0.f : from[at[1]]);
}

__device__ __forceinline__ void look_ahead(const Street& s, const Half& h, const Op& op) {
  const unsigned rows = op.ahead & 0xff;
  if (threadIdx.x == THREADS - 1 && rows) {
    const float* from = h.kept - 2 * threadIdx.x + (size_t)((unsigned)op.ahead >> 9) * WIDTH;
    prefetch_rows(from, rows);
    if ((op.ahead & 0x100) && h.pass.weight != 0.f) prefetch_rows(from + (s.average - s.regret), rows);
  }
}

__device__ __forceinline__ void read_columns(const Street& s, const Half& h, const Op& op, float2 (&x)[4]) {
  if (op.fresh & PLAIN) {                     // four columns, all in shared memory
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = load2(h.shared + op.rows[j] * WIDTH);
  } else {
#pragma unroll
    for (int j = 0; j < 4; j++) x[j] = j < op.actions ? row_at(s, h, op.rows[j]) : make_float2(0.f, 0.f);
  }
}

// Masses and showdowns of up to four columns, for both hands: [hand][column].
__device__ __forceinline__ void evaluate(const Street& s, const Half& h, const Op& op, float4* sums,
                                         float (*warps)[8], float4 (&show)[2], float4 (&mass)[2]) {
  const int board = blockIdx.x, q = 1 - h.pass.player;
  const uint4* tables = s.tables + ((size_t)h.pass.player * s.boards + board) * 3 * THREADS + threadIdx.x;
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
    const float* from = h.shared - 2 * threadIdx.x + op.rows[j] * WIDTH;
    if (!(op.fresh & PLAIN) && op.rows[j] >= SLOTS) from = scratch_row(s, op.rows[j]);
    r[j][0] = j < op.actions && one != ABSENT ? from[one] : 0.f;
    r[j][1] = j < op.actions && two != ABSENT ? from[two] : 0.f;
  }
#endif
  __syncthreads();
  if (threadIdx.x < SCANNERS) scan_main(sums, warps);
  if (threadIdx.x >= LISTERS) scan_cards(sums);
  const uint4 g1 = read_table(tables + THREADS), g2 = read_table(tables + 2 * THREADS);
  const unsigned end = s.end[q * s.boards + board];
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

__device__ __forceinline__ float4 turned(float4 x) { return make_float4(x.y, x.z, x.w, x.x); }

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
run(const __grid_constant__ Street s, const __grid_constant__ Passes passes, int first, int last, int down) {
  SHARED_SUMS(sums);                          // [SUMS] and rows [SLOTS, W]
  __shared__ float warps[4][8];
  const int tid = threadIdx.x, board = blockIdx.x, place = 2 * tid;
  for (int i = tid; i < SUMS; i += THREADS) sums[i] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 1
  for (int number = first; number < last; number++) {
    const Pass& pass = passes.at[number];
    const int p = pass.player;
    const bool only_forward = down || pass.mode == ONLY_FORWARD;
    float* kept = pass.mode == LEARN || pass.mode == ONLY_FORWARD ? s.regret : s.average;
    const Half h = {pass, (float*)(sums + SUMS) + place,
                    kept + (size_t)board * (s.rows[0] + s.rows[1]) * WIDTH + place,
                    s.pay[p] + (size_t)s.game[board] * s.pays[p]};
#if CONSTANT_OPS
    const Op* ops = (const Op*)constant_ops + (p ? s.units[0] : 0);
#else
    const Op* ops = s.ops[p];
#endif
#pragma unroll 1
    for (int pc = 0;;) {
      const Op& op = ops[pc];
      const int kind = op.kind;
      if (kind == FORWARD) {
        look_ahead(s, h, op);
        float2 reach = op.row < PORT ? row_at(s, h, op.row) : coming(s, 1 - h.pass.player, op.row - PORT);
        if (op.fresh & PLAIN) {
          switch (op.actions) {
            case 1: forward<1>(s, h, op, reach); break;
            case 2: forward<2>(s, h, op, reach); break;
            case 3: forward<3>(s, h, op, reach); break;
            case 4: forward<4>(s, h, op, reach); break;
            case 5: forward<5>(s, h, op, reach); break;
            default: forward<6>(s, h, op, reach);
          }
        } else {
          forward_many(s, h, op, reach);
        }
        pc += op.fresh >> 8;
      } else if (kind == EVALUATE) {
        pc++;
        int columns = op.actions;
        float4 show[2], mass[2];
        if (!only_forward) evaluate(s, h, op, sums, warps, show, mass);
#pragma unroll 1
        for (; columns; columns--) {
          const Op& next = ops[pc];
          if (!only_forward) {
            look_ahead(s, h, next);
            post(s, h, next, make_float2(show[0].x, show[1].x), make_float2(mass[0].x, mass[1].x));
            for (int i = 0; i < 2; i++) { show[i] = turned(show[i]); mass[i] = turned(mass[i]); }
          }
          pc += next.fresh >> 8;
        }
      } else if (kind == END) {
        break;
      } else {
        if (kind == LOAD) {
          set_row(s, h, op.row, coming(s, 1 - h.pass.player, op.port));
        } else if (kind == OUT) {
          if (down) store2(s.out + ((size_t)board * s.outs + op.port) * WIDTH + place, row_at(s, h, op.row));
        } else if (!only_forward) {           // DONE
          store2(s.value + ((size_t)board * s.lines + op.port) * WIDTH + place, row_at(s, h, op.row));
        }
        pc++;
      }
    }
  }
}

// What lines are worth on the boards above: the sum over the images of all boards below.
extern "C" __global__ void
reduce(const int* __restrict__ first, const int* __restrict__ child, const unsigned short* __restrict__ map,
       const float* __restrict__ value, float* __restrict__ below, int lines, int width, int upper) {
  const int board = blockIdx.x, line = blockIdx.y;
  for (int h = threadIdx.x; h < upper; h += blockDim.x) {
    float sum = 0.f;
#pragma unroll 4
    for (int i = first[board]; i < first[board + 1]; i++) {
      const unsigned at = map[(size_t)i * upper + h];
      if (at != ABSENT) sum += value[((size_t)child[i] * lines + line) * width + at];
    }
    below[((size_t)board * lines + line) * upper + h] = sum;
  }
}

// Multiply some rows of every board; by nothing means zero.
extern "C" __global__ void scale(float* kept, int rows, int from, int count, int width, float by) {
  float* to = kept + ((size_t)blockIdx.x * rows + from) * width;
  for (int i = threadIdx.x; i < count * width; i += blockDim.x) to[i] = by == 0.f ? 0.f : to[i] * by;
}
