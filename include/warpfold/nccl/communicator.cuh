// The place of calls across GPUs, and NCCL's results as a status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nccl.h>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

inline status to_status(ncclResult_t result) {
  return result == ncclSuccess ? status{} : status{1, ncclGetErrorString(result)};
}
/// The same of a call on `comm` that is not in a group; waits until a communicator that does not
/// block has put it into the stream.
inline status to_status(ncclResult_t result, ncclComm_t comm) {
  while (result == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) return to_status(asked);
  }
  return to_status(result);
}
/// Of a call in a group: whatever is in progress ends with the group.
inline status to_status_in_group(ncclResult_t result) {
  return to_status(result == ncclInProgress ? ncclSuccess : result);
}

}  // namespace nccl_detail

/// A place on every GPU of a communicator. A value; copying it costs nothing.
template <device_place Where>
class across_gpus {
 public:
  /// All ranks of `comm` together. Throws device_error where NCCL does not know it.
  across_gpus(ncclComm_t comm, Where where) : where_(where), comm_(comm) {
    ncclResult_t made = ncclSuccess;
    nccl_detail::to_status(ncclCommGetAsyncError(comm, &made))
        .throw_if_failed("ncclCommGetAsyncError");
    nccl_detail::to_status(made, comm).throw_if_failed("a communicator that was being made");
    nccl_detail::to_status(ncclCommUserRank(comm, &rank_)).throw_if_failed("ncclCommUserRank");
    nccl_detail::to_status(ncclCommCount(comm, &size_)).throw_if_failed("ncclCommCount");
  }

  /// Where this rank works on its part: the device and the stream.
  [[nodiscard]] const Where& here() const { return where_; }
  /// The stream, as NCCL takes it.
  [[nodiscard]] cudaStream_t stream() const { return static_cast<cudaStream_t>(where_.stream()); }
  /// The communicator.
  [[nodiscard]] ncclComm_t comm() const { return comm_; }
  /// This rank, from 0.
  [[nodiscard]] int rank() const { return rank_; }
  /// How many ranks there are.
  [[nodiscard]] int size() const { return size_; }

 private:
  Where where_;
  ncclComm_t comm_;
  int rank_ = 0, size_ = 1;
};

/// `where`, which is `device.on(stream)` or what `with` made of it, on all ranks of `comm`. The
/// current device is that of the communicator.
template <device_place Where>
across_gpus<Where> across(ncclComm_t comm, Where where) {
  return {comm, where};
}

namespace nccl_detail {

/// A value of each rank, in device memory, in the order of the ranks.
template <class T>
class rank_values {
 public:
  template <class Where>
  status allocate(const across_gpus<Where>& place, std::size_t each = 1) {
    each_ = each;
    const auto ranks = static_cast<std::size_t>(place.size());
    mine_ = static_cast<std::size_t>(place.rank()) * each;
    const status s = all_.allocate(ranks * each, place.here().stream());
    // No kernel writes a struct's padding, yet all of it is sent.
    return s.ok() && !std::is_arithmetic_v<T> ? all_.zero() : s;
  }
  /// This rank's own.
  [[nodiscard]] T* mine() const { return all_.data() + mine_; }
  [[nodiscard]] T* all() const { return all_.data(); }
  /// Fills the others' places.
  template <class Where>
  status gather(const across_gpus<Where>& place) const {
    return to_status(
        ncclAllGather(mine(), all(), each_ * sizeof(T), ncclUint8, place.comm(), place.stream()),
        place.comm());
  }

 private:
  detail::device_buffer<T> all_;
  std::size_t each_ = 1, mine_ = 0;
};

template <class T>
__global__ void __launch_bounds__(32) store_kernel(T* to, T value) {
  if (threadIdx.x == 0) *to = value;
}
/// Puts a value of the host's into device memory: by a launch, which takes it along.
template <class T>
status store(T* to, T value, detail::stream_type stream) {
  return detail::try_launch({.grid = 1, .block = 32, .stream = stream}, store_kernel<T>, to, value);
}

/// finish(all, ranks), by one thread.
template <class T, class Finish>
__global__ void __launch_bounds__(32) finish_kernel(const T* all, unsigned ranks, Finish finish) {
  if (threadIdx.x == 0) finish(all, ranks);
}

/// local(T*) leaves this rank's value there; finish(all, ranks), in a kernel, gets every rank's.
template <class T, class Where, class Local, class Finish>
status gather_and_finish(const across_gpus<Where>& place, const Local& local,
                         const Finish& finish) {
  rank_values<T> values;
  status state = values.allocate(place);
  if (state.ok()) state = local(values.mine());
  if (state.ok()) state = values.gather(place);
  if (!state.ok()) return state;
  return detail::try_launch({.grid = 1, .block = 32, .stream = place.here().stream()},
                            finish_kernel<T, Finish>, values.all(),
                            static_cast<unsigned>(place.size()), finish);
}

}  // namespace nccl_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
