// Streams that are being captured, and the graphs that come of it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "simt/src/runtime/state.hpp"
#include "simt/src/runtime/timeline.hpp"

namespace simt::detail {

struct graph_node {
  operation what;
  int label = -1;                     // of the timeline, when it was captured
  cudaStream_t stream = nullptr;      // the one it was captured from
  std::vector<std::size_t> after;     // nodes
  std::function<cudaError_t()> work;  // none where an event is recorded
  cudaEvent_t records = nullptr;
};

/// All streams that take part in one capture share it.
struct capture {
  cudaStream_t origin;
  std::vector<graph_node> nodes;
  std::map<cudaStream_t, tail> tails;
  std::map<cudaEvent_t, tail> events;
  bool broken = false;

  void add(cudaStream_t stream, graph_node node);
  /// Whether all that was captured comes before the end of the origin.
  [[nodiscard]] bool is_joined() const;
};

/// Null when it is not being captured.
std::shared_ptr<capture> capture_of(cudaStream_t stream);
/// The one in which the event was recorded last.
std::shared_ptr<capture> capture_with(cudaEvent_t event);
void begin_capture(cudaStream_t stream);
void join_capture(cudaStream_t stream, const std::shared_ptr<capture>& into);
void end_capture(const std::shared_ptr<capture>& c);

/// What a call that a capture can't hold returns; the capture is broken then.
cudaError_t refuse_in_capture(const char* call, cudaStream_t stream);
/// The default stream can't wait for a stream that does nothing yet.
cudaError_t refuse_beside_capture(const char* call, cudaStream_t stream);

/// Now, in the time of the computer and of the timeline.
void stamp(cudaEvent_t event, std::size_t task);

}  // namespace simt::detail

struct CUgraph_st {
  std::vector<simt::detail::graph_node> nodes;
};
struct CUgraphExec_st {
  std::vector<simt::detail::graph_node> nodes;
};
