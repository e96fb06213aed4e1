// The device's part of a pipeline: chunks go in on one copy engine while earlier ones are worked on
// and still earlier ones come back on the other.
//
//   pinned_memory room;
//   pipeline line({.lanes = 4, .memory = &room});
//   device_passage passage(line, result_bytes);
//   line.run({.read = …,
//             .turn = [&](const auto& c) { passage.send(c, back, [&](in, out, stream) { … }); },
//             .finish = [&](const auto& c) { passage.wait(c); }});
#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <vector>

#include <cuda_runtime_api.h>

#include "warpfold/environment.hpp"
#include "warpfold/pipeline.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {
inline void require(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // leaves it to the exception
  throw device_error(call, ": ", cudaGetErrorString(result));
}
}  // namespace detail

/// Host memory that copy engines reach at full speed. Where the driver refuses to pin more, it is
/// ordinary memory, copies from which are slower and don't overlap: refused() tells.
class pinned_memory : public std::pmr::memory_resource {
 public:
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

/// Room on the device for a chunk of every lane, in and out, and what orders the engines: a stream
/// to copy in, one to work in, one to copy back.
class device_passage {
 public:
  /// `out_bytes` is the most that one chunk brings back. Throws device_error when the device has no
  /// room.
  device_passage(const pipeline& line, std::size_t out_bytes) : lanes_(line.lanes()) {
    try {
      for (cudaStream_t* s : {&in_, &work_, &out_}) {
        detail::require(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "a stream");
      }
      for (lane& l : lanes_) {
        detail::require(cudaMalloc(&l.in, line.chunk_bytes()), "room for a chunk on the device");
        detail::require(cudaMalloc(&l.out, out_bytes), "room for results on the device");
        for (cudaEvent_t* e : {&l.arrived, &l.done, &l.back}) {
          detail::require(
              cudaEventCreateWithFlags(e, cudaEventDisableTiming | cudaEventBlockingSync),
              "an event");
        }
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~device_passage() { release(); }
  device_passage(const device_passage&) = delete;
  device_passage& operator=(const device_passage&) = delete;

  [[nodiscard]] cudaStream_t work_stream() const { return work_; }

  /// Bytes [from, from + bytes) of a chunk's results come back to `to`; if there are none, nothing.
  struct way_back {
    void* to = nullptr;
    std::size_t bytes = 0;
    std::size_t from = 0;
  };

  /// In the chunk's turn, or else one call at a time. Copies the chunk in; then enqueue(in, out,
  /// stream) puts its work into the stream, in and out being device memory; then the results are
  /// copied back. Returns at once.
  template <class Enqueue>
  void send(const pipeline::chunk& c, way_back back, const Enqueue& enqueue) {
    lane& l = lanes_[c.lane];
    detail::require(cudaStreamWaitEvent(in_, l.done, 0), "a wait for the chunk before");
    detail::require(
        cudaMemcpyAsync(l.in, c.bytes.data(), c.bytes.size(), cudaMemcpyHostToDevice, in_),
        "a copy to the device");
    detail::require(cudaEventRecord(l.arrived, in_), "an event");
    detail::require(cudaStreamWaitEvent(work_, l.arrived, 0), "a wait for a copy");
    enqueue(static_cast<std::byte*>(l.in), static_cast<std::byte*>(l.out), work_);
    detail::require(cudaEventRecord(l.done, work_), "an event");
    l.comes_back = back.bytes > 0;
    if (!l.comes_back) return;
    detail::require(cudaStreamWaitEvent(out_, l.done, 0), "a wait for results");
    const auto* const from = static_cast<const std::byte*>(l.out) + back.from;
    detail::require(cudaMemcpyAsync(back.to, from, back.bytes, cudaMemcpyDeviceToHost, out_),
                    "a copy from the device");
    detail::require(cudaEventRecord(l.back, out_), "an event");
  }

  /// After the chunk's turn: until its results are back, or, if there are none, until its room on
  /// the host may be used again.
  void wait(const pipeline::chunk& c) {
    const lane& l = lanes_[c.lane];
    detail::require(cudaEventSynchronize(l.comes_back ? l.back : l.arrived), "the work on a chunk");
  }

 private:
  struct lane {
    void *in = nullptr, *out = nullptr;
    cudaEvent_t arrived = nullptr, done = nullptr, back = nullptr;
    bool comes_back = false;
  };

  void release() {
    for (cudaStream_t s : {in_, work_, out_}) {
      if (s != nullptr) (void)cudaStreamSynchronize(s);
    }
    for (lane& l : lanes_) {
      for (cudaEvent_t e : {l.arrived, l.done, l.back}) {
        if (e != nullptr) (void)cudaEventDestroy(e);
      }
      (void)cudaFree(l.in);
      (void)cudaFree(l.out);
    }
    for (cudaStream_t s : {in_, work_, out_}) {
      if (s != nullptr) (void)cudaStreamDestroy(s);
    }
  }

  std::vector<lane> lanes_;
  cudaStream_t in_ = nullptr, work_ = nullptr, out_ = nullptr;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
