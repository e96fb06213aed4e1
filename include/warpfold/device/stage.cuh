// A pipeline's stage on a device. One copy engine copies a chunk to the device while a kernel works
// on the chunk before it and the other copy engine copies the results of an earlier chunk back.
//
//   pinned_memory memory;
//   pipeline line({.slots = 4, .memory = &memory});
//   device_stage stage(line, result_bytes);
//   line.run({.read = …,
//             .in_order = [&](const auto& c) { stage.enqueue_chunk(c, back, [&](in, out, stream) {
//             … }); }, .finish = [&](const auto& c) { stage.wait(c); }});
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include <cuda_runtime_api.h>

#include "warpfold/device/detail/cuda_check.cuh"
#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Host memory that copy engines read and write at full speed. If the driver refuses to pin more,
/// it is pageable memory: copies from it are slower and do not overlap. refused() returns whether
/// this happened.
class pinned_memory : public std::pmr::memory_resource {
 public:
  /// Whether the driver refused to pin some of it.
  [[nodiscard]] bool refused() const { return !pageable_.empty(); }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* p = nullptr;
    if (cudaHostAlloc(&p, bytes, cudaHostAllocPortable) == cudaSuccess) return p;
    (void)cudaGetLastError();
    p = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    pageable_.push_back(p);
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (std::erase(pageable_, p) > 0) {
      std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    } else {
      (void)cudaFreeHost(p);
    }
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::vector<void*> pageable_;
};

/// Device memory for the input and the output of a chunk in every slot, and three streams: to copy
/// in, to work, and to copy back.
class device_stage {
 public:
  /// `out_bytes` is the maximum size of one chunk's results. Throws device_error if the device has
  /// too little memory.
  device_stage(const pipeline& line, std::size_t out_bytes) : slots_(line.slots()) {
    try {
      for (cudaStream_t* s : {&in_, &work_, &out_}) {
        detail::cuda_check(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "a stream");
      }
      for (slot_memory& s : slots_) {
        s.in = {line.chunk_bytes(), "memory for a chunk on the device"};
        s.out = {out_bytes, "memory for results on the device"};
        for (cudaEvent_t* e : {&s.arrived, &s.done, &s.back}) {
          detail::cuda_check(
              cudaEventCreateWithFlags(e, cudaEventDisableTiming | cudaEventBlockingSync),
              "an event");
        }
      }
      // The streams do not wait for the default one, in which the memory was allocated.
      detail::wait_for(device.stream()).throw_if_failed("memory of a pipeline on the device");
    } catch (...) {
      release();
      throw;
    }
  }
  ~device_stage() { release(); }
  device_stage(const device_stage&) = delete;
  device_stage& operator=(const device_stage&) = delete;

  /// The stream that kernels run in.
  [[nodiscard]] cudaStream_t work_stream() const { return work_; }

  /// Bytes [from, from + bytes) of a chunk's results come back to `to`; if there are none, nothing.
  struct result_copy {
    void* to = nullptr;     ///< in host memory
    std::size_t bytes = 0;  ///< how many
    std::size_t from = 0;   ///< the first one's offset
  };

  /// In order, or else one call at a time. Copies the chunk in; then enqueue(in, out,
  /// stream) puts its work into the stream, in and out being device memory; then the results are
  /// copied back. Returns at once.
  template <class Enqueue>
  void enqueue_chunk(const pipeline::chunk& c, result_copy back, const Enqueue& enqueue) {
    slot_memory& s = slots_[c.slot];
    detail::cuda_check(cudaStreamWaitEvent(in_, s.done, 0), "a wait for the chunk before");
    detail::cuda_check(
        cudaMemcpyAsync(s.in.data(), c.bytes.data(), c.bytes.size(), cudaMemcpyHostToDevice, in_),
        "a copy to the device");
    detail::cuda_check(cudaEventRecord(s.arrived, in_), "an event");
    detail::cuda_check(cudaStreamWaitEvent(work_, s.arrived, 0), "a wait for a copy");
    enqueue(s.in.data(), s.out.data(), work_);
    detail::cuda_check(cudaEventRecord(s.done, work_), "an event");
    s.comes_back = back.bytes > 0;
    if (!s.comes_back) return;
    detail::cuda_check(cudaStreamWaitEvent(out_, s.done, 0), "a wait for results");
    const auto* const from = s.out.data() + back.from;
    detail::cuda_check(cudaMemcpyAsync(back.to, from, back.bytes, cudaMemcpyDeviceToHost, out_),
                       "a copy from the device");
    detail::cuda_check(cudaEventRecord(s.back, out_), "an event");
  }

  /// Waits until the chunk's results are on the host, or, if there are none, until its host memory
  /// may be used again.
  void wait(const pipeline::chunk& c) {
    const slot_memory& s = slots_[c.slot];
    detail::cuda_check(cudaEventSynchronize(s.comes_back ? s.back : s.arrived),
                       "the work on a chunk");
  }

 private:
  struct slot_memory {
    detail::device_buffer<std::byte> in, out;
    cudaEvent_t arrived = nullptr, done = nullptr, back = nullptr;
    bool comes_back = false;
  };

  void release() {
    for (cudaStream_t s : {in_, work_, out_}) {
      if (s != nullptr) (void)cudaStreamSynchronize(s);
    }
    for (slot_memory& s : slots_) {
      for (cudaEvent_t e : {s.arrived, s.done, s.back}) {
        if (e != nullptr) (void)cudaEventDestroy(e);
      }
    }
    for (cudaStream_t s : {in_, work_, out_}) {
      if (s != nullptr) (void)cudaStreamDestroy(s);
    }
  }

  std::vector<slot_memory> slots_;
  cudaStream_t in_ = nullptr, work_ = nullptr, out_ = nullptr;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
