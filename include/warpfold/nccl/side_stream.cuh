// A second stream of the current device, for work that runs beside what is in the first.
#pragma once

#include <cuda_runtime_api.h>

#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

inline status status_of(cudaError_t result) {
  if (result == cudaSuccess) return {};
  (void)cudaGetLastError();  // the status has it; no later call shall report it again
  return {static_cast<int>(result), cudaGetErrorString(result)};
}

/// A stream beside `main`. Where it goes, `main` waits for what is in it. Not copyable.
class side_stream {
 public:
  explicit side_stream(cudaStream_t main) : main_(main) {
    state_ = status_of(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking));
    if (state_.ok()) state_ = status_of(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~side_stream() {
    if (event_ != nullptr) {
      (void)join();
      (void)cudaEventDestroy(event_);
    }
    if (side_ != nullptr) (void)cudaStreamDestroy(side_);
  }
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;

  [[nodiscard]] const status& state() const { return state_; }
  [[nodiscard]] stream_type stream() const { return side_; }

  /// What comes into this stream from now on waits for what is in `main` now.
  status follow() { return order(main_, side_); }
  /// What comes into `main` from now on waits for what is in this stream now.
  status join() { return order(side_, main_); }

 private:
  status order(cudaStream_t first, cudaStream_t then) {
    const status s = status_of(cudaEventRecord(event_, first));
    return s.ok() ? status_of(cudaStreamWaitEvent(then, event_, 0)) : s;
  }

  cudaStream_t main_, side_ = nullptr;
  cudaEvent_t event_ = nullptr;
  status state_;
};

}  // namespace nccl_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
