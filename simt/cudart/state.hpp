// What calls of CUDA's runtime share.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simt/runtime.hpp"
#include "simt/src/errors.hpp"

struct CUstream_st {
  int priority = 0, device = 0;
  bool blocking = true;  // the default stream waits for it, and it for the default stream
  std::map<cudaLaunchAttributeID, cudaLaunchAttributeValue> attributes = {};
};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
  bool timed = true;
  bool captured = false;   // its last record is in a graph
  std::uint64_t line = 0;  // of which timeline `task` is a mark; 0: of none
  std::size_t task = 0;
};

namespace simt::detail {

/// Tells whoever watches, else the user, what is behind a status.
void explain(const std::string& what);

/// Notes the error, if it is one, as this thread's last; says why.
cudaError_t remember(cudaError_t error, const char* call, const std::string& why);

/// Counts the host threads that call the runtime; the first call of one waits while a launch of
/// another runs again (orders.hpp).
void note_host_thread();

/// Runs `body`, which returns a status, unless there is a sticky error.
template <class Body>
cudaError_t guarded(Body body) {
  note_host_thread();
  if (const cudaError_t stuck = sticky_error(); stuck != cudaSuccess) return stuck;
  return body();
}

/// A stream that exists; the default one does.
bool is_stream(cudaStream_t stream);
cudaError_t bad_stream(const char* call);

/// Bytes of dynamic shared memory that a launch of the kernel may have.
std::size_t allowed_shared(const void* kernel);
/// Whether its clusters may have more than 8 blocks.
bool takes_large_clusters(const void* kernel);
/// Of a thread of the kernel on this device, as SIMT_REGISTERS says; 0: not known.
unsigned known_registers(const void* kernel);

/// Runs `status_of_work` now, as an operation of the stream, or captures it.
cudaError_t enqueue(const char* call, cudaStream_t stream, const operation& what,
                    const std::function<cudaError_t()>& status_of_work);
/// The same of a launch that is not in a stream: no capture, no timeline.
cudaError_t run_with_status(const launch_config& config, const void* kernel, entry body,
                            void* arguments);
/// How many launches the grid that has just ended has made that have not run yet.
std::size_t pending_children();
/// Forgets them, but for so many first ones.
void forget_children(std::size_t kept = 0);
/// How many launches a grid may have pending: cudaLimitDevRuntimePendingLaunchCount.
void set_most_children(std::size_t count);
/// In a kernel that has launched others: ends it, and says what to do.
void refuse_wait_in_kernel();
/// On the timeline: the host waits until all is done.
void wait_for_device();

/// Memory of the device for what has another form to the program.
cudaError_t allocate_for(const char* call, void** pointer, std::size_t bytes);
/// Bytes that device memory still has from there on; 0: it is none, or was freed.
std::size_t device_bytes_from(const void* pointer);
/// A copy, now.
cudaError_t copy_rows(const char* call, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind);
/// The pool it came from, if any, has it back.
void leave_pool(const void* pointer);
void free_all_memory();

}  // namespace simt::detail
