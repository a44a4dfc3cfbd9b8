// How a call is stopped and reports progress.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace stenobox {

/// Memory that other threads write or read during a call.
struct CallFlags {
  /// Stops the call when not 0; may be null.
  const int32_t * raised = nullptr;
  /// Grows while the call computes, so that a call that hangs can be told from a slow one; may be null.
  int32_t * pulse = nullptr;
};

/// A flag that other threads set. Once seen set, it stays set for the call.
class StopFlag {
 public:
  explicit StopFlag(const CallFlags & flags) : flags_(flags) {}

  bool shouldStop() {
    if (flags_.pulse != nullptr) __atomic_add_fetch(flags_.pulse, 1, __ATOMIC_RELAXED);
    if (flags_.raised != nullptr && __atomic_load_n(flags_.raised, __ATOMIC_RELAXED) != 0) stopped = true;
    return stopped;
  }

  bool stopped = false;

 private:
  const CallFlags flags_;
};

/// Reports a growing percentage, each value once, and stops when the receiver asks for it.
class Progress {
 public:
  Progress(StopFlag & stop, const std::function<bool(int)> & look) : stop_(stop), look_(look) {}

  void show(int percent) {
    percent = std::min(100, std::max(0, percent));
    if (percent <= shown_ || stop_.stopped) return;
    shown_ = percent;
    if (look_ && !look_(percent)) stop_.stopped = true;
  }

 private:
  StopFlag & stop_;
  const std::function<bool(int)> & look_;
  int shown_ = -1;
};

/// Ends a computation of `state` between two operations once `stop` returns true, during this object's lifetime. The libraries check their
/// own flag only after a whole encoder pass, which takes many seconds with a large model. `state` may become null meanwhile.
template <typename State, typename Stop>
class ComputeStop {
 public:
  ComputeStop(State *& state, Stop & stop) : state_(state), stop_(stop) {
    setComputeStop(*state_, [](void * data) { return static_cast<Stop *>(data)->shouldStop(); }, &stop_);
  }
  ~ComputeStop() {
    if (state_ != nullptr) setComputeStop(*state_, nullptr, &stop_);
  }
  ComputeStop(const ComputeStop &) = delete;
  ComputeStop & operator=(const ComputeStop &) = delete;

 private:
  State *& state_;
  Stop & stop_;
};

}  // namespace stenobox
