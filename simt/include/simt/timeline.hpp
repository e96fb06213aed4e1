// A virtual clock for streams: when each copy, kernel and host function would begin and end on a
// device whose engines have given speeds. Results do not depend on it; they are there when a call
// returns, as ever.
//
//   simt::timeline line({.copy_in_gbs = 54});
//   … cudaMemcpyAsync, launches, events, cudaStreamSynchronize …
//   line.now_us();    // what the host's clock would show
//   line.spans();     // who worked when
//
// The rules: operations of a stream one after the other; each engine one operation at a time, the
// one that has been ready the longest, and never broken off; the default stream waits for all
// streams, and all for it, but for those made with cudaStreamNonBlocking; a stream that waits for
// an event goes on when that has come; a graph's operations wait for what they waited for when they
// were captured. While a timeline is alive, events hold its times, and queries answer by its clock.
#pragma once

#include <memory>
#include <vector>

#include "simt/streams.hpp"

namespace simt {

/// Speeds and prices, as measured on an H100 80GB HBM3 on PCIe 5.0.
struct engine_speeds {
  double copy_in_gbs = 54;      // pinned host memory to the device
  double copy_out_gbs = 55;     // and back
  double kernel_gbs = 3000;     // what a kernel reads; say how much with timeline::label
  double pageable_gbs = 7.5;    // a copy from or to host memory that is not pinned
  double host_gbs = 8;          // what one thread of the host goes through
  double call_us = 2;           // the host's, for each call about streams
  double latency_us = 2;        // before an operation begins
  double graph_latency_us = 1;  // and in a graph
  /// 1: both directions share one, as on the smaller devices.
  unsigned copy_engines = 2;
  /// Each engine takes its operations in the order of the calls, whatever stream they are in: one
  /// queue for each, as before Kepler.
  bool one_queue = false;
};

/// In microseconds from where the spans begin: the host's first moment, or timeline::forget_spans.
struct timeline_span {
  engine where;
  unsigned stream;  // 0: the default one; others in the order in which they came
  int label;        // see timeline::label
  const char* what;
  double begin_us, end_us;
};

namespace detail {
struct timeline_state;
}

/// Keeps the time of what this host thread does during its life. They do not nest.
class timeline {
 public:
  explicit timeline(const engine_speeds& speeds = {});
  ~timeline();
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;

  /// The host's clock.
  [[nodiscard]] double now_us() const;
  /// The host does something by itself that goes through so many bytes.
  void host_works(std::size_t bytes);
  /// Of the operations from now on: their name in the spans, and what each kernel reads.
  void label(int label, std::size_t kernel_bytes);
  /// What has run, in the order of beginnings; waits for all of it, without the host's clock.
  [[nodiscard]] std::vector<timeline_span> spans() const;
  /// Forgets the spans so far; those to come count from now.
  void forget_spans();

 private:
  std::unique_ptr<detail::timeline_state> state_;
};

}  // namespace simt
