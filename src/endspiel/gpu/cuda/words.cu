// Op streams of one street, one block a board: see stream.py (ops), tables.py (sums), machine.py (passes).
// Compiled for a geometry: WIDTH hands a row, SPILL slots of card lists, CHUNKS parts of the list of all,
// SLOTS rows in shared memory, SCRATCH whether there are more elsewhere, BLOCKS blocks a multiprocessor. A thread has
// two hands, next to each other in a row.

#define UNROLLED (WIDTH >= 1024 && !GIVEN)      // text of its own for each column: 7% faster there, 5% slower here
#define SPARSE (WIDTH >= 1024)                  // nothing is read or added where nothing reaches: 8%; 5% slower elsewhere
#define EARLY (WIDTH < 1024)                    // tables are read before sums are taken: 2%; 1% slower elsewhere
constexpr int THREADS = WIDTH / 2;
constexpr int PER = WIDTH / CHUNKS;           // hands of a chunk of the main list
constexpr int MAIN = SPILL + 1, STRIDE = CHUNKS + 1;
constexpr int SUMS = MAIN + PER * STRIDE;     // slots, of four columns each
constexpr int SCANNERS = 4 * CHUNKS;          // threads that sum the main list, each one chunk's column
constexpr int SCAN_WARPS = SCANNERS / 32;
constexpr int LISTERS = SCANNERS < THREADS ? SCANNERS : 0;  // first thread that sums card lists
constexpr int TOGETHER = 4;                   // lines whose reaches lie side by side
constexpr int MOST_CARDS = 52;
constexpr unsigned ABSENT = 0xffff;
constexpr float TINY = 1.17549435e-38f;       // smaller totals have no reciprocal

enum Kind { LOAD, FORWARD, OUT, EVALUATE, POST, END };
enum Mode { LEARN, BEST, EXPECTED, ONLY_FORWARD, TRACE };
enum Use { LEARNS, VALUES, FIXED };            // regrets learn; averages are read; strategies are given by bucket
enum Flag { FRESH = 1, PLAIN = 2 };
enum Code { NOWHERE = -1, SHOWDOWN = -2, PORT = 1 << 12 };

struct Op {                                   // words of a unit; see `encode`
  int kind, actions, first, row, port, pay;
  int fresh;                                  // flags; from bit 8 on, how many units; from 16, a line whose value is whole
  int ahead;                                  // rows to prefetch: first << 9 | of q << 8 | count
  int rows[8];                                // and more, in the units that follow

  __device__ int units() const { return fresh >> 8 & 0xff; }
  __device__ int line() const { return (fresh >> 16) - 1; }
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
  const float* coming;                        // first street: roots [2, G, lines, W]; else `out` above
  const unsigned short* above;                // [2, B, W], none on the first street
  const int* parent;                          // [B]
  float* out;                                 // [B, outs / 4, W, 4] reaches of lines that go on
  const float* below;                         // [B, outs, W] values of those lines
  float* value;                               // [B, lines, W]
  float* scratch;                             // [B, scratch, W]
  const uint4* tables;                        // [2, B, 3, threads] of each half
  const unsigned short* end;                  // [2, B] slot of q's whole sum
  const unsigned* lists;                      // [2, B, cards] where q's lists start; from bit 16 on, lengths
  const unsigned char* locked;                // [B, decisions of both players], or none
  const int* game;                            // [B]
  const unsigned char* idle;                  // [G] games that are left alone, or none
  const float* pay[2];                        // [G, pays]
  const Op* ops[2];                           // where they are not in constant memory
  const float4* strategy[2];                  // [decisions, buckets, quads] probabilities of each player
  const unsigned short* bucket;               // [B, W] of the hands, where strategies are given
  int rows[2], decisions[2], pays[2], units[2];
  int boards, lines, outs, scratch_rows, upper_width, games, buckets, quads, cards, unused;
};

#if CONSTANT_OPS
extern "C" { __constant__ int4 constant_ops[CONSTANT_OPS * 4]; }
#endif

// The ops of a pass. Those that constant memory has no room for are read into shared memory, some at a time.
struct Ops {
  const Op* all;
  int4* staged;                               // [STAGED units]
  int units, from;                            // how many there are; first that is staged

  __device__ const Op& at(int pc) {           // every thread asks for the same
#if CONSTANT_OPS
    return all[pc];
#else
    if (pc + OP_UNITS > from + STAGED) {
      __syncthreads();                        // those that were there are done
      for (int i = threadIdx.x; i < 4 * STAGED && i < 4 * (units - pc); i += THREADS)
        staged[i] = ((const int4*)all)[4 * pc + i];
      __syncthreads();
      from = pc;
    }
    return ((const Op*)staged)[pc - from];
#endif
  }
};

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
__device__ __forceinline__ bool reaches(float2 x) { return x.x != 0.f || x.y != 0.f; }
__device__ __forceinline__ float2 positive(float2 x) { return make_float2(positive(x.x), positive(x.y)); }

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
__device__ __forceinline__ float2 load2(const float* from) { return *(const float2*)from; }
__device__ __forceinline__ void store2(float* to, float2 x) { *(float2*)to = x; }

// Rows in shared memory. Their address is made once, as one number, and not taken apart by the compiler,
// which has better uses for registers.
#ifdef __CUDA_ARCH__
typedef unsigned Rows;
__device__ __forceinline__ Rows rows_at(float* first) {
  unsigned at = (unsigned)__cvta_generic_to_shared(first);
  asm volatile("mov.u32 %0, %0;" : "+r"(at));
  return at;
}
__device__ __forceinline__ float2 load_row(Rows rows, int row) {
  float2 x;
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "r"(rows + row * (WIDTH * 4)));
  return x;
}
__device__ __forceinline__ float load_one(Rows rows, int row, int place) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(rows + row * (WIDTH * 4) + 4 * place));
  return x;
}
__device__ __forceinline__ void store_row(Rows rows, int row, float2 x) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" :: "r"(rows + row * (WIDTH * 4)), "f"(x.x), "f"(x.y));
}
#else
typedef float* Rows;
__device__ __forceinline__ Rows rows_at(float* first) { return first; }
__device__ __forceinline__ float2 load_row(Rows rows, int row) { return load2(rows + row * WIDTH); }
__device__ __forceinline__ float load_one(Rows rows, int row, int place) { return rows[row * WIDTH + place]; }
__device__ __forceinline__ void store_row(Rows rows, int row, float2 x) { store2(rows + row * WIDTH, x); }
#endif

// Totals that are greater than TINY have one.
__device__ __forceinline__ float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.f / x;
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
