// Functions that Python calls: plain C names. Those of the board kernels end in the build's name.
#pragma once
#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif
#define JOINED(name, build) name##_##build
#define NAMED(name, build) JOINED(name, build)
#define BOARD_KERNEL(name) EXPORT void NAMED(name, BUILD)
