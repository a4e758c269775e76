// What this library is: the sources that it was built from, and the widest build that this processor
// and its system run.
#include "export.h"
#if defined(__x86_64__)
#include <cpuid.h>  // __builtin_cpu_supports does not link into a shared library under every compiler
#endif

#ifndef SOURCES
#define SOURCES ""
#endif

EXPORT const char* sources(void) { return SOURCES; }

EXPORT const char* widest_build(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d, saved = 0, high;
  __cpuid(0, a, b, c, d);
  if (a < 7) return "base";
  __cpuid(1, a, b, c, d);
  const bool has_fma = c >> 12 & 1, asks_system = c >> 27 & 1;
  if (asks_system) __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));  // what the system saves
  __cpuid_count(7, 0, a, b, c, d);
  const bool avx2 = has_fma && (b >> 5 & 1) && (saved & 6) == 6;
  const bool f = b >> 16 & 1, dq = b >> 17 & 1, bw = b >> 30 & 1, vl = b >> 31 & 1;
  if (avx2 && f && dq && bw && vl && (saved & 0xe6) == 0xe6) return "avx512";
  if (avx2) return "avx2";
#endif
  return "base";
}
