// What the sources that are compiled as part of one of our files are given in the place of what would end the process.
// Included by whisper-access.cc and parakeet-access.cc only, in front of the source.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ggml-backend.h"

namespace stenobox {

/// Thrown where a vendored source itself would have ended the process.
class BrokenAssertion {};

struct Zeroed {};

[[noreturn]] inline void failAssertion() {
  throw BrokenAssertion();
}

/// The sources go on without a buffer and then trip over an assertion, or write to nowhere.
inline ggml_backend_buffer_t allocateWeights(ggml_context * context, ggml_backend_buffer_type_t type) {
  ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors_from_buft(context, type);
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

/// ggml ends the process when it cannot have the memory of a context.
inline ggml_context * makeContext(ggml_init_params params) {
  if (params.mem_buffer == nullptr) {
    void * probe = std::malloc(params.mem_size);
    if (probe == nullptr) throw std::bad_alloc();
    std::free(probe);
  }
  return ggml_init(params);
}

}  // namespace stenobox

// A state that is given up half-made, because memory ran out, is freed with pointers that were never set. Zeroed memory makes that harmless.
__attribute__((noinline)) inline void * operator new (std::size_t size, stenobox::Zeroed) {
  return std::memset(::operator new(size), 0, size);
}
__attribute__((noinline)) inline void * operator new[] (std::size_t size, stenobox::Zeroed) {
  return std::memset(::operator new[](size), 0, size);
}
