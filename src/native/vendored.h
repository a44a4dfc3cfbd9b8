// Replacements for calls in vendored sources that would end the process, and wrappers that turn what remains into a Failure.
// whisper-access.cc and parakeet-access.cc include this before the source.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "backends.h"
#include "failure.h"
#include "ggml-backend.h"
#include "model-file.h"

namespace stenobox {

/// Thrown where a vendored source would have ended the process.
class BrokenAssertion {};

struct Zeroed {};

[[noreturn]] inline void failAssertion() {
  throw BrokenAssertion();
}

/// Without a buffer the sources continue and then fail an assertion or write to an invalid address.
inline ggml_backend_buffer_t allocateWeights(ggml_context * context, ggml_backend_buffer_type_t type) {
  ggml_backend_buffer_t buffer = ggml_backend_alloc_ctx_tensors_from_buft(context, type);
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

/// ggml ends the process when it cannot allocate a context.
inline ggml_context * makeContext(ggml_init_params params) {
  if (params.mem_buffer == nullptr) {
    void * probe = std::malloc(params.mem_size);
    if (probe == nullptr) throw std::bad_alloc();
    std::free(probe);
  }
  return ggml_init(params);
}

/// A loader for either source over a checked file, which must outlive it.
template <typename Loader>
Loader makeLoader(ModelFile & file) {
  Loader loader = {};
  loader.context = &file;
  loader.read = [](void * context, void * target, size_t bytes) -> size_t {
    auto & from = *static_cast<ModelFile *>(context);
    // The sources detect the end of the file by reading the next tensor's header and then checking eof.
    if (from.remaining() == 0) {
      std::memset(target, 0, bytes);
      return 0;
    }
    from.read(target, bytes);
    return bytes;
  };
  loader.eof = [](void * context) { return static_cast<ModelFile *>(context)->remaining() == 0; };
  loader.close = [](void *) {};
  return loader;
}

/// Runs a source's `load`, which returns false for files it refuses. Throws MODEL_INVALID, OUT_OF_MEMORY.
template <typename Load>
void loadWeights(const Load & load) {
  clearErrorLine();
  try {
    if (!load()) throw Failure(Code::ModelInvalid, "Not a usable speech model: " + lastErrorLine());
  } catch (const Failure &) {
    throw;
  } catch (const std::bad_alloc &) {
    throw Failure(Code::OutOfMemory, "Not enough memory for the model's weights");
  } catch (const std::exception & error) {
    throw Failure(Code::ModelInvalid, std::string("This build cannot run the model: ") + error.what());
  } catch (const BrokenAssertion &) {
    throw Failure(Code::ModelInvalid, "This build cannot run the model: " + lastErrorLine());
  }
}

/// Returns the state that a source's `init` creates. Throws OUT_OF_MEMORY when it returns none.
template <typename Init>
auto makeState(const Init & init) -> decltype(init()) {
  clearErrorLine();
  try {
    if (const auto state = init()) return state;
  } catch (const std::exception &) {
  } catch (const BrokenAssertion &) {
  }
  throw Failure(Code::OutOfMemory, "Not enough memory for a decoding state: " + lastErrorLine());
}

}  // namespace stenobox

// If memory runs out while a state is created, it is freed with pointers that were never set. Zeroed memory makes that harmless.
__attribute__((noinline)) inline void * operator new (std::size_t size, stenobox::Zeroed) {
  return std::memset(::operator new(size), 0, size);
}
__attribute__((noinline)) inline void * operator new[] (std::size_t size, stenobox::Zeroed) {
  return std::memset(::operator new[](size), 0, size);
}
