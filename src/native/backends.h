// ggml's compute backends, and the log of ggml and the libraries on top of it. Both exist once per process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ggml-backend.h"

namespace stenobox {

struct Device {
  std::string name;
  std::string description;
  bool gpu;
  size_t freeBytes;
  size_t totalBytes;
};

/// Silences the log and, in a portable build, loads the backend libraries next to the addon. Must run before anything else; cheap when
/// repeated.
void prepareBackends();

/// False when a portable build has no library for this processor; whisper.cpp would then dereference a null pointer.
bool hasProcessor();

std::vector<Device> listDevices();

/// Name of the device that holds the weights of a model loaded with this option.
std::string weightsDevice(bool gpu);

/// CPU features in use, as ggml reports them.
std::string describeSystem();

/// How the addon was built, e.g. "native cpu" or "portable cpu+cuda".
std::string describeBuild();

/// Lets `stop` end a computation on these backends between two operations; null: never. Some devices cannot be stopped and ignore it.
void setComputeStop(const std::vector<ggml_backend_t> & backends, ggml_abort_callback stop, void * data);

/// Forgets the last error line of the calling thread.
void clearErrorLine();

/// The last error line that whisper.cpp, parakeet.cpp or ggml logged on this thread since clearErrorLine; may be empty.
std::string lastErrorLine();

}  // namespace stenobox
