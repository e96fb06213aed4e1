// The parts of the rungs: owners of streams and events, and the three operations on a chunk of
// the values. Each operation is one call of CUDA's runtime (or one launch). The listener is called
// around it; while a rung is timed the listener does nothing.
#pragma once

#include <string>

#include <cuda_runtime.h>

#include "ladder/streams/rung.hpp"
#include "warpfold/error.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

inline void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw device_error(std::string(call) + ": " + cudaGetErrorString(error));
}

class stream {
 public:
  explicit stream(unsigned flags = cudaStreamDefault) {
    check(cudaStreamCreateWithFlags(&stream_, flags), "cudaStreamCreateWithFlags");
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

/// Events without a time are cheaper, and the default here.
class event {
 public:
  explicit event(unsigned flags = cudaEventDisableTiming) {
    check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
  }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaEvent_t event_ = nullptr;
};

/// Puts the library's reduction of `n` values into the stream; the sum goes to `out`.
void sum_values(value_type type, const void* values, std::size_t n, void* out, void* workspace,
                std::size_t workspace_bytes, cudaStream_t s);
std::size_t sum_workspace_bytes(value_type type);

inline std::byte* sum_slot(const work& w, const chunk_range& p, std::byte* sums) {
  return sums + p.index * size_of(w.type);
}

inline void copy_in(const work& w, const chunk_range& p, cudaStream_t s) {
  if (p.count == 0) return;  // nothing comes in; its sum is 0 all the same
  const std::size_t size = size_of(w.type);
  w.listener->before(simt::engine::copy_in, p, p.count * size, s);
  check(cudaMemcpyAsync(w.device_values + p.at * size, w.values + p.first * size, p.count * size,
                        cudaMemcpyHostToDevice, s),
        "cudaMemcpyAsync to the device");
  w.listener->after(s);
}

inline void add_up(const work& w, const chunk_range& p, cudaStream_t s) {
  const std::size_t size = size_of(w.type);
  w.listener->before(simt::engine::compute, p, p.count * size, s);
  for (unsigned pass = 0; pass < w.passes; ++pass) {
    sum_values(w.type, w.device_values + p.at * size, p.count, sum_slot(w, p, w.device_sums),
               w.workspaces + p.index * w.workspace_bytes, w.workspace_bytes, s);
  }
  w.listener->after(s);
}

inline void copy_out(const work& w, const chunk_range& p, cudaStream_t s) {
  w.listener->before(simt::engine::copy_out, p, size_of(w.type), s);
  check(cudaMemcpyAsync(sum_slot(w, p, w.sums), sum_slot(w, p, w.device_sums), size_of(w.type),
                        cudaMemcpyDeviceToHost, s),
        "cudaMemcpyAsync to the host");
  w.listener->after(s);
}

/// The same two copies; each returns when it is done.
inline void copy_in_and_wait(const work& w, const chunk_range& p) {
  if (p.count == 0) return;
  const std::size_t size = size_of(w.type);
  w.listener->before(simt::engine::copy_in, p, p.count * size, nullptr);
  check(cudaMemcpy(w.device_values + p.at * size, w.values + p.first * size, p.count * size,
                   cudaMemcpyHostToDevice),
        "cudaMemcpy to the device");
  w.listener->after(nullptr);
}

inline void copy_out_and_wait(const work& w, const chunk_range& p) {
  w.listener->before(simt::engine::copy_out, p, size_of(w.type), nullptr);
  check(cudaMemcpy(sum_slot(w, p, w.sums), sum_slot(w, p, w.device_sums), size_of(w.type),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy to the host");
  w.listener->after(nullptr);
}

/// The calling thread adds the values of the chunk to the sum with index `p.index`.
inline void add_on_host(const work& w, const chunk_range& p) {
  const std::size_t size = size_of(w.type);
  w.listener->host_begins(p.count * size * w.passes);
  for (unsigned pass = 1; pass < w.passes; ++pass) {  // as much work as a kernel's
    std::byte spare[8]{};
    w.add_on_host(w.type, w.values + p.first * size, p.count, spare);
  }
  w.add_on_host(w.type, w.values + p.first * size, p.count, sum_slot(w, p, w.sums));
  w.listener->host_ends();
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
