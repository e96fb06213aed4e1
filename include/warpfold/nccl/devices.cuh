// One process with several devices: a communicator of them, and a thread for each.
#pragma once

#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "warpfold/device/detail/cuda_check.cuh"
#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// All devices of this process, or the first `count`, as the ranks of one communicator, each with a
/// stream. Not copyable.
///
///   warpfold::all_devices devices;
///   devices.run([&](auto place) {                        // on a thread for each, its device
///   current
///     sum[place.rank()] = warpfold::reduce(place, parts[place.rank()], 0.0F);
///   });
class all_devices {
 public:
  /// 0: all that there are. Throws device_error.
  explicit all_devices(int count = 0) : all_devices(none_yet{}) {
    if (count == 0) detail::cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    comms_.resize(static_cast<std::size_t>(count));
    nccl_detail::to_status(ncclCommInitAll(comms_.data(), count, nullptr))
        .throw_if_failed("ncclCommInitAll of ", count, " devices");
    streams_.resize(comms_.size());
    int before = 0;
    detail::cuda_check(cudaGetDevice(&before), "cudaGetDevice");
    cudaError_t made = cudaSuccess;
    for (int d = 0; made == cudaSuccess && d < count; ++d) {
      made = cudaSetDevice(d);
      auto& stream = streams_[static_cast<std::size_t>(d)];
      if (made == cudaSuccess) made = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    const cudaError_t restored = cudaSetDevice(before);
    detail::cuda_check(made, "a stream on each device");
    detail::cuda_check(restored, "cudaSetDevice");
  }
  ~all_devices() {
    for (const cudaStream_t stream : streams_) {
      if (stream != nullptr) (void)cudaStreamDestroy(stream);
    }
    for (const ncclComm_t comm : comms_) {
      if (comm != nullptr) (void)ncclCommDestroy(comm);
    }
  }
  all_devices(const all_devices&) = delete;
  all_devices& operator=(const all_devices&) = delete;

  /// How many there are.
  [[nodiscard]] int size() const { return static_cast<int>(comms_.size()); }
  /// The place of one of them, to be used where it is the current device.
  [[nodiscard]] auto place(int d) const {
    const auto i = static_cast<std::size_t>(d);
    return across(comms_[i], device.on(streams_[i]));
  }

  /// f(place(d)) on a thread for each device d, which is the current one there. Returns when all
  /// have; throws the first exception by the devices' numbers. If f throws on one device before its
  /// collective calls, the other devices wait forever, as with NCCL.
  template <class F>
  void run(const F& f) const {
    std::vector<std::exception_ptr> failures(comms_.size());
    {
      std::vector<std::jthread> threads;
      for (int d = 0; d < size(); ++d) {
        threads.emplace_back([&, d] {
          try {
            detail::cuda_check(cudaSetDevice(d), "cudaSetDevice");
            f(place(d));
          } catch (...) {
            failures[static_cast<std::size_t>(d)] = std::current_exception();
          }
        });
      }
    }
    for (const auto& failure : failures) {
      if (failure != nullptr) std::rethrow_exception(failure);
    }
  }

 private:
  /// Makes an object that owns nothing: what a constructor adds before it throws is given back.
  struct none_yet {};
  explicit all_devices(none_yet) {}

  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
