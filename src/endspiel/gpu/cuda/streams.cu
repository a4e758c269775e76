// The kernels: a board's stream, values from below, and averages made lighter.

__device__ __forceinline__ float4 turned(float4 x) { return make_float4(x.y, x.z, x.w, x.x); }
__device__ __forceinline__ float part(float4 x, int j) { return j == 0 ? x.x : j == 1 ? x.y : j == 2 ? x.z : x.w; }

// Where the reaches of a line that goes on are, of the first place on a board; a place has four, of lines side by side.
__device__ __forceinline__ size_t line_at(int board, int lines, int line, int width) {
  return ((size_t)board * ((lines + TOGETHER - 1) / TOGETHER) + line / TOGETHER) * width * TOGETHER + line % TOGETHER;
}
// The places of a thread's hands on the board above.
template <int U> __device__ __forceinline__ unsigned places_above(const Street& s, const Half<U>& h) {
  const int q = GIVEN ? 0 : 1 - h.pass.player;
  return ((const unsigned*)(s.above + ((size_t)q * s.boards + blockIdx.x) * WIDTH))[threadIdx.x];
}
// The reaches of a line that comes in.
template <int U> __device__ __forceinline__ float2 coming(const Street& s, const Half<U>& h, int line) {
  const int board = blockIdx.x, q = 1 - h.pass.player;
  if (!s.above) return load2(s.coming + (((size_t)q * s.games + board) * s.lines + line) * WIDTH + 2 * threadIdx.x);
  const float* from = s.coming + line_at(s.parent[board], s.lines, line, s.upper_width);
  const unsigned places = places_above(s, h), one = places & 0xffff, two = places >> 16;
  return make_float2(one == ABSENT ? 0.f : from[TOGETHER * one], two == ABSENT ? 0.f : from[TOGETHER * two]);
}
// The reaches of some lines that come in, into rows.
template <int U> __device__ __forceinline__ void load_lines(const Street& s, const Half<U>& h, const Op& op) {
  if (!s.above || op.port % TOGETHER) {
#pragma unroll 1
    for (int j = 0; j < op.actions; j++) set_row(s, h, op.rows[j], coming(s, h, op.port + j));
    return;
  }
  const float4* from = (const float4*)(s.coming + line_at(s.parent[blockIdx.x], s.lines, op.port, s.upper_width));
  const unsigned places = places_above(s, h), one = places & 0xffff, two = places >> 16;
  float4 x = make_float4(0.f, 0.f, 0.f, 0.f), y = x;
  if (one != ABSENT) x = from[one];
  if (two != ABSENT) y = from[two];
#pragma unroll
  for (int j = 0; j < TOGETHER; j++)
    if (j < op.actions) set_row(s, h, op.rows[j], make_float2(part(x, j), part(y, j)));
}

template <int U> __device__ __forceinline__ void look_ahead(const Street& s, const Half<U>& h, const Op& op) {
  const unsigned rows = op.ahead & 0xff;
  if (U != FIXED && threadIdx.x == THREADS - 1 && rows) {
    const float* from = h.kept - 2 * threadIdx.x + (size_t)((unsigned)op.ahead >> 9) * WIDTH;
    prefetch_rows(from, rows);
    if (!SPARSE && (op.ahead & 0x100) && h.pass.weight != 0.f) prefetch_rows(from + (s.average - s.regret), rows);
  }
}

template <int U>
__device__ __forceinline__ void run_passes(const Street& s, const Passes& passes, int first, int last, int down,
                                           float4* sums, Parts& parts, int4* staged) {
  const int tid = threadIdx.x, board = blockIdx.x, place = 2 * tid;
  if (s.idle && s.idle[s.game[board]]) return;
  for (int i = tid; i < SUMS; i += THREADS) sums[i] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll 1
  for (int number = first; number < last; number++) {
    const Pass& pass = passes.at[number];
    const int p = pass.player;
    const bool only_forward = down || pass.mode == ONLY_FORWARD;
    const unsigned* lists = s.lists + ((size_t)(SAME_PLACES ? 0 : 1 - p) * s.boards + board) * s.cards;
    for (int i = tid; i < s.cards; i += THREADS) parts.lists[i] = lists[i];  // barriers before and after
    float* kept = U == LEARNS ? s.regret : s.average;
    const Half<U> h = {pass, rows_at((float*)(sums + SUMS) + place),
                    kept + (size_t)board * (s.rows[0] + s.rows[1]) * WIDTH + place,
                    s.pay[p] + (size_t)s.game[board] * s.pays[p],
                    U == FIXED ? *(const unsigned*)(s.bucket + (size_t)board * WIDTH + place) : 0};
#if CONSTANT_OPS
    Ops ops = {(const Op*)constant_ops, staged, s.units[p], 0};
#else
    Ops ops = {s.ops[p], staged, s.units[p], -STAGED};
#endif
#pragma unroll 1
    for (int pc = CONSTANT_OPS && p ? s.units[0] : 0;;) {  // in constant memory, player 1's follow player 0's
      const Op& op = ops.at(pc);
      const int kind = op.kind;
      if (kind == FORWARD) {
        look_ahead(s, h, op);
        float2 reach = op.row < PORT ? row_at(s, h, op.row) : coming(s, h, op.row - PORT);
        if (U == FIXED) {
          forward_given(s, h, op, reach);
        } else if (op.fresh & PLAIN) {
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
        pc += op.units();
      } else if (kind == EVALUATE) {
        pc++;
        int columns = op.actions;
        float4 show[2], mass[2];
        if (!only_forward) evaluate(s, h, op, sums, parts, show, mass);
#if UNROLLED
#pragma unroll
        for (int j = 0; j < 4; j++) {
          if (j >= columns) break;
          const Op& next = ops.at(pc);
          if (!only_forward) {
            look_ahead(s, h, next);
            post(s, h, next, make_float2(part(show[0], j), part(show[1], j)), make_float2(part(mass[0], j), part(mass[1], j)));
          }
          pc += next.units();
        }
#else
#pragma unroll 1
        for (; columns; columns--) {
          const Op& next = ops.at(pc);
          if (!only_forward) {
            look_ahead(s, h, next);
            post(s, h, next, make_float2(show[0].x, show[1].x), make_float2(mass[0].x, mass[1].x));
            for (int i = 0; i < 2; i++) { show[i] = turned(show[i]); mass[i] = turned(mass[i]); }
          }
          pc += next.units();
        }
#endif
      } else if (kind == END) {
        break;
      } else {
        if (kind == LOAD) {
          load_lines(s, h, op);
        } else if (down) {                    // OUT
          float* to = s.out + line_at(board, s.outs, op.port, WIDTH) + TOGETHER * place;
          const float2 x = row_at(s, h, op.row);
          to[0] = x.x;
          to[TOGETHER] = x.y;
        }
        pc++;
      }
    }
  }
}

#define KERNEL(name, use)                                                                                   \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                             \
  name(const __grid_constant__ Street s, const __grid_constant__ Passes passes, int first, int last, int down) { \
    SHARED_SUMS(sums);                        /* [SUMS] and rows [SLOTS, W] */                              \
    __shared__ Parts parts;                                                                                 \
    __shared__ int4 staged[CONSTANT_OPS ? 1 : 4 * STAGED];                                                  \
    run_passes<use>(s, passes, first, last, down, sums, parts, staged);                                     \
  }
#if GIVEN
KERNEL(respond, FIXED)
#else
KERNEL(learn, LEARNS)
KERNEL(values, VALUES)
#endif

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

// Make some rows of every board whole numbers of 1 / by, a power of two.
extern "C" __global__ void fix(float* kept, int rows, int from, int count, int width, float by) {
  float* to = kept + ((size_t)blockIdx.x * rows + from) * width;
  const float step = 1.f / by;
  for (int i = threadIdx.x; i < count * width; i += blockDim.x) to[i] = rintf(to[i] * by) * step;
}
