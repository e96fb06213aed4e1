// Streams that are being captured, and the graphs that come of it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "simt/cudart/graph_memory.hpp"
#include "simt/cudart/state.hpp"
#include "simt/cudart/timeline.hpp"

namespace simt::detail {

struct graph_node {
  operation what;
  int label = -1;                     // of the timeline, when it was captured
  cudaStream_t stream = nullptr;      // the one it was captured from
  std::vector<std::size_t> after;     // nodes
  std::function<cudaError_t()> work;  // none where an event is recorded
  cudaEvent_t records = nullptr;
  cudaGraphNodeType type = cudaGraphNodeTypeKernel;
  cudaKernelNodeParams kernel{};           // of a kernel node made by hand; its arguments are kept
  std::shared_ptr<CUgraph_st> child{};     // of a child node
  std::shared_ptr<graph_memory> memory{};  // of a node that allocates
  bool gone = false;                       // its number stays
  // Of a node made by hand that fills, calls the host, copies, or allocates.
  std::variant<std::monostate, cudaMemsetParams, cudaHostNodeParams, cudaMemcpy3DParms,
               cudaMemAllocNodeParams>
      params{};
  cudaEvent_t waits_for = nullptr;
  void* frees = nullptr;
  bool enabled = true;
};

/// What conditional nodes go by.
struct condition {
  std::atomic<unsigned> value{0};
  unsigned at_launch = 0;
  bool is_set_at_launch = false;
};

/// A node that allocates, and one that frees.
graph_node allocation_node(std::shared_ptr<graph_memory> memory);
graph_node free_node(void* pointer);

/// The nodes in an order in which they can run; too few where they wait in a circle.
std::vector<std::size_t> order_of(const std::vector<graph_node>& nodes);
/// Runs them now, one after the other.
cudaError_t run_nodes(const std::vector<graph_node>& nodes);

/// All streams that take part in one capture share it.
struct capture {
  cudaStream_t origin;
  std::vector<graph_node> nodes;
  cudaGraph_t into = nullptr;                 // cudaStreamBeginCaptureToGraph; its nodes come first
  std::vector<cudaGraphNode_t> last_handles;  // what cudaStreamGetCaptureInfo gave out
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

/// What a call returns that was given no graph, or a node of another one.
cudaError_t bad_graph(const char* call);

/// Now, in the time of the computer and of the timeline.
void stamp(cudaEvent_t event, std::size_t task);

}  // namespace simt::detail

struct CUgraphNode_st {
  cudaGraph_t graph;
  std::size_t number;
};
/// Gives its data back when the last holder is gone.
struct CUuserObject_st {
  void* data;
  cudaHostFn_t destroy;
  unsigned holders;  // of the program's own
  ~CUuserObject_st() { destroy(data); }
};
struct CUgraph_st {
  std::vector<simt::detail::graph_node> nodes;
  std::deque<CUgraphNode_st> handles{};  // of the node with the same number
  std::vector<std::shared_ptr<simt::detail::condition>> conditions{};
  bool is_child = false;
  std::vector<std::shared_ptr<CUuserObject_st>> holds{};

  cudaGraphNode_t handle(std::size_t number) {
    while (handles.size() <= number) handles.push_back({this, handles.size()});
    return &handles[number];
  }
};
struct CUgraphExec_st {
  std::vector<simt::detail::graph_node> nodes;
  std::vector<std::shared_ptr<simt::detail::condition>> conditions{};
  unsigned long long flags = 0;
  std::vector<std::shared_ptr<CUuserObject_st>> holds{};

  /// What its nodes have allocated.
  [[nodiscard]] bool frees_at_launch() const {
    return (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  }
};
