// A portable build has some functions once per instruction set and chooses when it is loaded. Levels of x86-64 have names since GCC 12. A
// native build is compiled for its own processor and has each function once.
#pragma once

#if defined(STENOBOX_NATIVE) || !defined(__x86_64__) || !defined(__GLIBC__) || !defined(__GNUC__) || defined(__clang__)
#define STENOBOX_PER_PROCESSOR
#elif __GNUC__ >= 12
#define STENOBOX_PER_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STENOBOX_PER_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
