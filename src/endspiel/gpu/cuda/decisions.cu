// Decisions of both players: reaches go forward through q's, values come back through p's.

template <int U>
struct Half {                                 // one pass on one board, for one thread
  const Pass& pass;
  Rows rows;                                  // in shared memory, at the thread's hands
  float* kept;                                // regrets or averages of both, at the thread's hands
  const float* pay;
  unsigned buckets;                           // of both hands, where strategies are given
};

__device__ __forceinline__ float* scratch_row(const Street& s, int row) {
  return s.scratch + ((size_t)blockIdx.x * s.scratch_rows + (row - SLOTS)) * WIDTH;
}
template <int U> __device__ __forceinline__ float2 row_at(const Street& s, const Half<U>& h, int row) {
  if (!SCRATCH || row < SLOTS) return load_row(h.rows, row);
  return load2(scratch_row(s, row) + 2 * threadIdx.x);
}
template <int U> __device__ __forceinline__ void set_row(const Street& s, const Half<U>& h, int row, float2 x) {
  if (!SCRATCH || row < SLOTS) store_row(h.rows, row, x);
  else store2(scratch_row(s, row) + 2 * threadIdx.x, x);
}

__device__ __forceinline__ float* average_of(const Street& s, float* regret) {
  return (float*)((char*)regret + ((char*)s.average - (char*)s.regret));  // bytes: nothing to divide
}

// Shares by what is positive: x * scale + even.
struct Shares { float2 scale, even; };
__device__ __forceinline__ Shares matched(float2 total, float2 reach, float count) {
  Shares s;
  s.scale.x = total.x > TINY ? reach.x * reciprocal(total.x) : 0.f;
  s.scale.y = total.y > TINY ? reach.y * reciprocal(total.y) : 0.f;
  s.even.x = total.x > TINY ? 0.f : reach.x * count;
  s.even.y = total.y > TINY ? 0.f : reach.y * count;
  return s;
}
__device__ __forceinline__ float2 share(const Shares& s, float2 x) {
  return make_float2(fmaf(x.x, s.scale.x, s.even.x), fmaf(x.y, s.scale.y, s.even.y));
}
template <int U> __device__ __forceinline__ void hand_on(const Street& s, const Half<U>& h, int row, float* average, float2 x) {
  if (row != NOWHERE) set_row(s, h, row, x);
  if (h.pass.weight != 0.f && (!SPARSE || reaches(x))) add_to((float2*)average, scaled(h.pass.weight, x));
}

template <int U> __device__ __forceinline__ void traced(const Street& s, const Half<U>& h, const float* kept, float2 x) {
  if (U == VALUES && h.pass.mode == TRACE) store2(s.regret + (kept - s.average), x);
}

// Decisions of few actions all of whose rows are in shared memory are unrolled; the others loop.
template <int K, int U> __device__ __forceinline__ void forward(const Street& s, const Half<U>& h, const Op& op, float2 reach) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float* average = average_of(s, kept);       // only regrets are matched with a weight
  const bool held = !SPARSE || reaches(reach);
  float2 x[K];
#pragma unroll
  for (int a = 0; a < K; a++) x[a] = held ? positive(load2(kept + a * WIDTH)) : make_float2(0.f, 0.f);
  float2 total = x[0];
#pragma unroll
  for (int a = 1; a < K; a++) total = add2(total, x[a]);
  Shares part = matched(total, reach, 1.f / K);
#pragma unroll
  for (int a = 0; a < K; a++) {
    x[a] = share(part, x[a]);
    traced(s, h, kept + a * WIDTH, x[a]);
    if (op.rows[a] != NOWHERE) store_row(h.rows, op.rows[a], x[a]);
  }
  if (h.pass.weight != 0.f) {
#pragma unroll
    for (int a = 0; a < K; a++)
      if (!SPARSE || reaches(x[a])) add_to((float2*)(average + a * WIDTH), scaled(h.pass.weight, x[a]));
  }
}
template <int U> __device__ __forceinline__ void forward_many(const Street& s, const Half<U>& h, const Op& op, float2 reach) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float* average = average_of(s, kept);       // only regrets are matched with a weight
  const int* rows = (const int*)&op + 8;
  float2 total = make_float2(0.f, 0.f);
#pragma unroll 1
  for (int a = 0; a < op.actions; a++) total = add2(total, positive(load2(kept + a * WIDTH)));
  Shares part = matched(total, reach, 1.f / (float)op.actions);
#pragma unroll 1
  for (int a = 0; a < op.actions; a++) {
    const float2 x = share(part, positive(load2(kept + a * WIDTH)));
    hand_on(s, h, rows[a], average + a * WIDTH, x);
    traced(s, h, kept + a * WIDTH, x);
  }
}

// A strategy that is given: four probabilities at a time, by the bucket of each hand.
template <int U> __device__ __forceinline__ void forward_given(const Street& s, const Half<U>& h, const Op& op, float2 reach) {
  const float4* from = s.strategy[1 - h.pass.player] + (size_t)op.port * s.buckets * s.quads;
  const float4 *one = from + (h.buckets & 0xffff) * s.quads, *two = from + (h.buckets >> 16) * s.quads;
  const int* rows = (const int*)&op + 8;
#pragma unroll 1
  for (int a = 0; a < op.actions; a += 4) {
    const float4 x = __ldg(one++), y = __ldg(two++);
    const float2 shares[4] = {make_float2(x.x, y.x), make_float2(x.y, y.y), make_float2(x.z, y.z), make_float2(x.w, y.w)};
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (a + i < op.actions && rows[a + i] != NOWHERE)
        set_row(s, h, rows[a + i], make_float2(reach.x * shares[i].x, reach.y * shares[i].y));
  }
}

template <int U> __device__ __forceinline__ float2 gain(const Street& s, const Half<U>& h, int row, float pay, float2 show, float2 mass) {
  if (row == SHOWDOWN) return scaled(pay, show);
  if (row == NOWHERE) return scaled(pay, mass);
  if (row < PORT) return fma2(pay, mass, row_at(s, h, row));
  const float* line = s.below + ((size_t)blockIdx.x * s.outs + (row - PORT)) * WIDTH;
  return fma2(pay, mass, load2(line + 2 * threadIdx.x));
}
template <int U> __device__ __forceinline__ void learned(const Half<U>& h, float* kept, float2 x, float2 gain, float2 value) {
  x.x = fmaf(positive(x.x), h.pass.positive, fmaf(fminf(x.x, 0.f), h.pass.negative, gain.x - value.x));
  x.y = fmaf(positive(x.y), h.pass.positive, fmaf(fminf(x.y, 0.f), h.pass.negative, gain.y - value.y));
  store2(kept, x);
}
__device__ __forceinline__ float2 mean(float2 total, float2 sum, float2 all, float count) {
  return make_float2(total.x > TINY ? sum.x * reciprocal(total.x) : all.x * count,
                     total.y > TINY ? sum.y * reciprocal(total.y) : all.y * count);
}
template <int U> __device__ __forceinline__ bool learns(const Street& s, const Half<U>& h, const Op& op) {
  if (!LOCKS || U == FIXED) return true;
  const int at = blockIdx.x * (s.decisions[0] + s.decisions[1]) + (h.pass.player ? s.decisions[0] : 0);
  return !s.locked[at + op.port];
}

template <int U> __device__ __forceinline__ bool plays_best(const Half<U>& h) {
  return h.pass.mode == BEST || h.pass.mode == TRACE;
}

// One of p's decisions: its value; its regrets learn on the way.
template <int K, int U>
__device__ __forceinline__ float2 decide(const Street& s, const Half<U>& h, const Op& op, float2 show, float2 mass, float4 p0) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  float2 x[K], g[K];
#pragma unroll
  for (int a = 0; a < K; a++) x[a] = U == FIXED ? make_float2(0.f, 0.f) : load2(kept + a * WIDTH);
  const float4* pays = (const float4*)(h.pay + op.pay);
  if (U == FIXED) p0 = __ldg(pays);           // again: kept, they would make the compiler spill, for 9%
  const float4 p1 = K > 3 ? __ldg(pays + 1) : p0;
  const float pay[8] = {p0.x, p0.y, p0.z, p0.w, p1.x, p1.y, p1.z, p1.w};
#pragma unroll
  for (int a = 0; a < K; a++) {
    const int row = op.rows[a];
    const float2 base = row == SHOWDOWN ? show : mass;
    const float2 rest = row < 0 ? make_float2(0.f, 0.f) : load_row(h.rows, row);
    g[a] = fma2(pay[1 + a], base, rest);
    traced(s, h, kept + a * WIDTH, g[a]);
  }
  const bool free = learns(s, h, op);
  if (U == FIXED || (U == VALUES && plays_best(h) && free)) {
    float2 best = g[0];
#pragma unroll
    for (int a = 1; a < K; a++) best = make_float2(fmaxf(best.x, g[a].x), fmaxf(best.y, g[a].y));
    return best;
  }
  float2 total = positive(x[0]), all = g[0], sum = make_float2(total.x * all.x, total.y * all.y);
#pragma unroll
  for (int a = 1; a < K; a++) {
    float2 w = positive(x[a]);
    total = add2(total, w);
    sum = make_float2(fmaf(w.x, g[a].x, sum.x), fmaf(w.y, g[a].y, sum.y));
    all = add2(all, g[a]);
  }
  float2 value = mean(total, sum, all, 1.f / K);
  if (U == LEARNS && free) {
#pragma unroll
    for (int a = 0; a < K; a++) learned(h, kept + a * WIDTH, x[a], g[a], value);
  }
  return value;
}
template <int U> __device__ __forceinline__ float2 decide_many(const Street& s, const Half<U>& h, const Op& op, float2 show, float2 mass) {
  float* kept = h.kept + (size_t)op.first * WIDTH;
  const float* pay = h.pay + op.pay + 1;
  const int* rows = (const int*)&op + 8;
  const bool free = learns(s, h, op);
  float2 total = make_float2(0.f, 0.f), sum = total, all = total, best = total;
#pragma unroll 1
  for (int a = 0; a < op.actions; a++) {
    float2 x = U == FIXED ? make_float2(0.f, 0.f) : load2(kept + a * WIDTH);
    float2 g = gain(s, h, rows[a], __ldg(pay + a), show, mass);
    traced(s, h, kept + a * WIDTH, g);
    float2 w = positive(x);
    total = add2(total, w);
    sum = make_float2(fmaf(w.x, g.x, sum.x), fmaf(w.y, g.y, sum.y));
    all = add2(all, g);
    best = a ? make_float2(fmaxf(best.x, g.x), fmaxf(best.y, g.y)) : g;
  }
  if (U == FIXED || (U == VALUES && plays_best(h) && free)) return best;
  float2 value = mean(total, sum, all, 1.f / (float)op.actions);
  if (U == LEARNS && free)
#pragma unroll 1
    for (int a = 0; a < op.actions; a++)
      learned(h, kept + a * WIDTH, load2(kept + a * WIDTH), gain(s, h, rows[a], __ldg(pay + a), show, mass), value);
  return value;
}

template <int U> __device__ __forceinline__ void post(const Street& s, const Half<U>& h, const Op& op, float2 show, float2 mass) {
  float2 value;
  const float4 pays = __ldg((const float4*)(h.pay + op.pay));  // what F pays, and the first actions
  if (op.fresh & PLAIN) {
    switch (op.actions) {
      case 1: value = decide<1>(s, h, op, show, mass, pays); break;
      case 2: value = decide<2>(s, h, op, show, mass, pays); break;
      case 3: value = decide<3>(s, h, op, show, mass, pays); break;
      case 4: value = decide<4>(s, h, op, show, mass, pays); break;
      case 5: value = decide<5>(s, h, op, show, mass, pays); break;
      default: value = decide<6>(s, h, op, show, mass, pays);
    }
  } else if (op.actions) {
    value = decide_many(s, h, op, show, mass);
  } else {
    value = gain(s, h, op.rows[0], pays.y, show, mass);
  }
  value = fma2(pays.x, mass, value);
  if (!(op.fresh & FRESH)) value = add2(row_at(s, h, op.row), value);
  if (op.line() == NOWHERE) set_row(s, h, op.row, value);
  else store2(s.value + ((size_t)blockIdx.x * s.lines + op.line()) * WIDTH + 2 * threadIdx.x, value);
}
