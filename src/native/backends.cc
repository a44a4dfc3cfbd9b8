#include "backends.h"

#include <dlfcn.h>
#ifdef __linux__
#include <malloc.h>
#endif

#include <algorithm>
#include <cstring>
#include <mutex>

#include "ggml-backend.h"
#include "ggml.h"
#include "parakeet.h"
#include "whisper.h"

namespace stenobox {

namespace {

// A plain array, because a thread may outlive every object of this library.
constexpr size_t kLineBytes = 512;
thread_local char errorLine[kLineBytes] = "";

void keepErrorLine(ggml_log_level level, const char * text, void *) {
  if (level != GGML_LOG_LEVEL_ERROR || text == nullptr) return;
  size_t length = strnlen(text, kLineBytes - 1);
  while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) --length;
  if (length == 0) return;
  memcpy(errorLine, text, length);
  errorLine[length] = '\0';
}

bool isGpu(ggml_backend_dev_t device) {
  const auto type = ggml_backend_dev_type(device);
  return type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU;
}

/// Return freed blocks of 256 KB and more to the system. glibc would raise its threshold with the first such block and keep those of every
/// thread: 47 of 387 MB after a five-minute recording.
void keepLargeBlocksOut() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

#ifdef STENOBOX_PORTABLE
/// The folder of this library, wherever it was installed.
std::string ownFolder() {
  Dl_info info {};
  if (dladdr(reinterpret_cast<void *>(&ownFolder), &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}
#endif

}  // namespace

void prepareBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    keepLargeBlocksOut();
    whisper_log_set(keepErrorLine, nullptr);
    // Every new state resets ggml's log, so set it again.
    parakeet_log_set(keepErrorLine, nullptr);
    ggml_time_init();
#ifdef STENOBOX_PORTABLE
    ggml_backend_load_all_from_path(ownFolder().c_str());
#endif
  });
}

bool hasProcessor() {
  return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) != nullptr;
}

std::vector<Device> listDevices() {
  std::vector<Device> devices;
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    ggml_backend_dev_t device = ggml_backend_dev_get(i);
    // Skip accelerators such as BLAS: they use CPU memory, which would be listed twice.
    if (ggml_backend_dev_type(device) == GGML_BACKEND_DEVICE_TYPE_ACCEL) continue;
    size_t freeBytes = 0;
    size_t totalBytes = 0;
    ggml_backend_dev_memory(device, &freeBytes, &totalBytes);
    devices.push_back({ggml_backend_dev_name(device), ggml_backend_dev_description(device), isGpu(device), freeBytes, totalBytes});
  }
  return devices;
}

std::string weightsDevice(bool gpu) {
  for (size_t i = 0; gpu && i < ggml_backend_dev_count(); ++i) {
    ggml_backend_dev_t device = ggml_backend_dev_get(i);
    if (isGpu(device)) return ggml_backend_dev_name(device);
  }
  return "CPU";
}

std::string describeSystem() {
  // whisper.cpp builds the text in one static string.
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  return whisper_print_system_info();
}

std::string describeBuild() {
  return STENOBOX_BUILD;
}

void setComputeStop(const std::vector<ggml_backend_t> & backends, ggml_abort_callback stop, void * data) {
  for (ggml_backend_t backend : backends) {
    ggml_backend_dev_t device = ggml_backend_get_device(backend);
    if (device == nullptr) continue;
    const auto set = reinterpret_cast<ggml_backend_set_abort_callback_t>(
      ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(device), "ggml_backend_set_abort_callback"));
    if (set != nullptr) set(backend, stop, data);
  }
}

void clearErrorLine() {
  errorLine[0] = '\0';
}

std::string lastErrorLine() {
  return errorLine;
}

}  // namespace stenobox
