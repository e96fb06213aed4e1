// Operations in streams: what the machine's runtime tells apart when it captures a graph, or when a
// timeline says at what time each of them would run. Work is done when a call returns; a stream's
// order is kept by that alone, so without a capture or a timeline a stream is but a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace simt {

struct launch_config;

/// What does the work: the host's thread, the two copy engines, the multiprocessors, and the thread
/// on which the runtime calls functions that wait in streams.
enum class engine : std::uint8_t { host, copy_in, copy_out, compute, callback };

struct operation {
  engine where = engine::compute;
  std::size_t bytes = 0;
  /// A copy whose host side is not pinned: the host itself moves it, piece by piece, through memory
  /// that is.
  bool staged = false;
};

/// Runs `work` now, as one operation of the stream, or puts it into the graph that the stream is
/// being captured into. Null is the default stream.
void submit(void* stream, const operation& what, const std::function<void()>& work);

/// Waits for the stream; at once, but for the clock of a timeline.
void wait_for(void* stream);

bool is_capturing(void* stream);

namespace detail {
/// Puts a launch into the graph; `arguments` are its own copies.
void capture_launch(const launch_config& config, const void* kernel,
                    void (*body)(void*, const void*), std::shared_ptr<void> arguments);
}  // namespace detail

}  // namespace simt
