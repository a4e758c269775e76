// Runs the CUDA kernels on a processor: the threads of a block take turns, from barrier to barrier.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static

struct float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) int4 { int x, y, z, w; };
struct Index { unsigned x, y; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
template <class T> static T __ldg(const T* from) { return *from; }
using std::fmaf;

static Index threadIdx, blockIdx, blockDim;

struct Fiber { ucontext_t context; std::vector<char> stack; bool done; };
static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static unsigned current;

static void yield_turn() { unsigned own = current; swapcontext(&fibers[own].context, &scheduler); }

struct Barrier {
  unsigned waiting = 0, turn = 0;
  void wait(unsigned count) {
    unsigned now = turn;
    if (++waiting == count) { waiting = 0; turn++; return; }
    while (turn == now) yield_turn();
  }
};
static Barrier all_threads, scanners;
static Barrier warp_barriers[64];
static float exchanged[64][32];

static void __syncthreads() { all_threads.wait(blockDim.x); }
static float __shfl_up_sync(unsigned, float value, int by) {
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  exchanged[warp][lane] = value;
  warp_barriers[warp].wait(32);
  float found = (int)lane >= by ? exchanged[warp][lane - by] : value;
  warp_barriers[warp].wait(32);
  return found;
}

static float4* shared_memory;
#define SHARED_SUMS(name) float4* name = shared_memory
#define SCAN_BARRIER() scanners.wait(SCANNERS)

static void (*body)();
static void enter() { body(); fibers[current].done = true; yield_turn(); }

static void run_block(void (*what)(), unsigned threads) {
  body = what;
  blockDim.x = threads;
  if (fibers.size() != threads) fibers.assign(threads, Fiber{});
  for (unsigned t = 0; t < threads; t++) {
    Fiber& fiber = fibers[t];
    fiber.stack.resize(1 << 16);
    fiber.done = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, enter, 0);
  }
  for (unsigned left = threads; left;) {
    left = 0;
    for (unsigned t = 0; t < threads; t++) {
      if (fibers[t].done) continue;
      current = t;
      threadIdx.x = t;
      swapcontext(&scheduler, &fibers[t].context);
      if (!fibers[t].done) left++;
    }
  }
}

#include SOURCE

static struct { void* p[5]; int n[5]; float f; } given;

// A kernel whose one argument is a structure.
#define ONE(name, Arguments) \
  extern "C" void cpu_##name(unsigned columns, unsigned rows, unsigned threads, const Arguments* arguments) { \
    given.p[0] = (void*)arguments; \
    for (blockIdx.x = 0; blockIdx.x < columns; blockIdx.x++) \
      for (blockIdx.y = 0; blockIdx.y < rows; blockIdx.y++) \
        run_block([] { name(*(const Arguments*)given.p[0]); }, threads); \
  }

#if defined(STREET)
ONE(enter_hands, Lines)
ONE(hand_values, Lines)
ONE(even_out, Groups)
ONE(pack, Rows)
ONE(copy_rows, Copies)
ONE(unpack, Rows)
ONE(gadgets, Gadgets)
#elif defined(DOUBLE)
ONE(up, Walk)
ONE(roots_up, Walk)
ONE(down, Walk)
ONE(product, Product)
#else
extern "C" void cpu_set_constant(const void* data, size_t size) {
#if CONSTANT_OPS
  memcpy(constant_ops, data, size);
#endif
}
extern "C" void cpu_run(int learns, unsigned grid, unsigned threads, size_t shared, const Street* street, const Passes* passes,
                        int first, int last, int down) {
  std::vector<float4> memory(shared / 16 + 1);
  shared_memory = memory.data();
  given = {{(void*)street, (void*)passes}, {first, last, down}, 0};
#define RUN(kernel) run_block([] { kernel(*(const Street*)given.p[0], *(const Passes*)given.p[1], given.n[0], given.n[1], given.n[2]); }, threads)
  for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++)
#if GIVEN
    RUN(respond);
#else
    if (learns) RUN(learn); else RUN(values);
#endif
}
extern "C" void cpu_reduce(unsigned grid, unsigned lines_grid, unsigned threads, int* first, int* child,
                           unsigned short* map, float* value, float* below, int lines, int width, int upper) {
  given = {{first, child, map, value, below}, {lines, width, upper}, 0};
  for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++)
    for (blockIdx.y = 0; blockIdx.y < lines_grid; blockIdx.y++)
      run_block([] {
        reduce((int*)given.p[0], (int*)given.p[1], (unsigned short*)given.p[2], (float*)given.p[3],
               (float*)given.p[4], given.n[0], given.n[1], given.n[2]);
      }, threads);
}
extern "C" void cpu_scale(unsigned grid, unsigned threads, float* kept, int rows, int from, int count, int width, float by) {
  given = {{kept}, {rows, from, count, width}, by};
  for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++)
    run_block([] { scale((float*)given.p[0], given.n[0], given.n[1], given.n[2], given.n[3], given.f); }, threads);
}
extern "C" void cpu_fix(unsigned grid, unsigned, unsigned threads, float* kept, int rows, int from, int count, int width, float by) {
  given = {{kept}, {rows, from, count, width}, by};
  for (blockIdx.x = 0; blockIdx.x < grid; blockIdx.x++)
    run_block([] { fix((float*)given.p[0], given.n[0], given.n[1], given.n[2], given.n[3], given.f); }, threads);
}
#endif
