// ggml's compute backends and the log of ggml and what is built on it: the parts that exist once per process.
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

/// Silences the log and, in a portable build, loads the backend libraries beside the addon. Must run before anything else; cheap afterwards.
void prepareBackends();

/// False when a portable build found no library for this processor; whisper.cpp would then read through a null pointer.
bool hasProcessor();

std::vector<Device> listDevices();

/// Name of the device that holds the weights of a model loaded with this option.
std::string weightsDevice(bool gpu);

/// CPU features in use, as ggml reports them.
std::string describeSystem();

/// How the addon was built, e.g. "native cpu" or "portable cpu+cuda".
std::string describeBuild();

/// Lets `stop` end a computation on any of these between two of its operations; null for never. Devices that cannot be stopped ignore it.
void setComputeStop(const std::vector<ggml_backend_t> & backends, ggml_abort_callback stop, void * data);

/// Forgets the last error line of the calling thread.
void clearErrorLine();

/// The last line whisper.cpp, parakeet.cpp or ggml logged as an error on the calling thread since clearErrorLine; may be empty.
std::string lastErrorLine();

}  // namespace stenobox
