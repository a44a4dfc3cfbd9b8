// ggml's compute backends and the log of whisper.cpp and ggml: the parts that exist once per process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

/// Forgets the last error line of the calling thread.
void clearErrorLine();

/// The last line whisper.cpp or ggml logged as an error on the calling thread since clearErrorLine; may be empty.
std::string lastErrorLine();

}  // namespace stenobox
