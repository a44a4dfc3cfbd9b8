// A portable build compiles some functions once per instruction set and chooses at load time. (GCC 12 and later have names for the levels
// of x86-64.) A native build compiles each function once, for its own processor.
#pragma once

#if defined(STENOBOX_NATIVE) || !defined(__x86_64__) || !defined(__GLIBC__) || !defined(__GNUC__) || defined(__clang__)
#define STENOBOX_PER_PROCESSOR
#elif __GNUC__ >= 12
#define STENOBOX_PER_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STENOBOX_PER_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
