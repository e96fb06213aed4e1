// What a graph's nodes wait for, and what a graph holds; its copies, updates, and captures into it.
#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "simt/cudart/captures.hpp"

namespace {

using simt::detail::bad_graph;
using simt::detail::capture_of;
using simt::detail::graph_node;
using simt::detail::remember;
using simt::detail::sticky_error;

/// Fills in as many as there is room for, or says how many there are.
template <class All>
cudaError_t give_out(const All& all, cudaGraphNode_t* nodes, std::size_t* count) {
  if (nodes != nullptr) {
    std::copy_n(all.begin(), std::min(*count, all.size()), nodes);
  }
  *count = all.size();
  return sticky_error();
}

}  // namespace

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (from[i]->graph != graph || to[i]->graph != graph) {
      return bad_graph("cudaGraphAddDependencies");
    }
    graph->nodes[to[i]->number].after.push_back(from[i]->number);
  }
  return sticky_error();
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::erase(graph->nodes[to[i]->number].after, from[i]->number);
  }
  return sticky_error();
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    if (!graph->nodes[n].gone) all.push_back(graph->handle(n));
  }
  return give_out(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    if (!graph->nodes[n].gone && graph->nodes[n].after.empty()) all.push_back(graph->handle(n));
  }
  return give_out(all, nodes, count);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
  std::vector<cudaGraphNode_t> begins, ends;
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    for (const std::size_t before : graph->nodes[n].after) {
      begins.push_back(graph->handle(before));
      ends.push_back(graph->handle(n));
    }
  }
  std::size_t room = *count;
  static_cast<void>(give_out(begins, from, &room));
  return give_out(ends, to, count);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         std::size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (const std::size_t n : node->graph->nodes[node->number].after) {
    all.push_back(node->graph->handle(n));
  }
  return give_out(all, nodes, count);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           std::size_t* count) {
  std::vector<cudaGraphNode_t> all;
  for (std::size_t n = 0; n < node->graph->nodes.size(); ++n) {
    const auto& after = node->graph->nodes[n].after;
    if (std::find(after.begin(), after.end(), node->number) != after.end()) {
      all.push_back(node->graph->handle(n));
    }
  }
  return give_out(all, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->graph->nodes[node->number].type;
  return sticky_error();
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  auto& nodes = node->graph->nodes;
  nodes[node->number] = {.type = cudaGraphNodeTypeEmpty, .gone = true};
  for (graph_node& n : nodes) std::erase(n.after, node->number);
  return sticky_error();
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  *clone =
      new CUgraph_st{.nodes = graph->nodes, .conditions = graph->conditions, .holds = graph->holds};
  return sticky_error();
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  if (original->number >= clone->nodes.size()) return bad_graph("cudaGraphNodeFindInClone");
  *node = clone->handle(original->number);
  return sticky_error();
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  *result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  const auto differ = [&](cudaGraphExecUpdateResult why, std::size_t n) {
    *result = {why, graph->handle(n), nullptr};
    return cudaErrorGraphExecUpdateFailure;
  };
  if (exec->nodes.size() != graph->nodes.size()) {
    result->result = cudaGraphExecUpdateErrorTopologyChanged;
    return cudaErrorGraphExecUpdateFailure;
  }
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    const graph_node &now = exec->nodes[n], &then = graph->nodes[n];
    if (now.type != then.type) return differ(cudaGraphExecUpdateErrorNodeTypeChanged, n);
    if (now.after != then.after) return differ(cudaGraphExecUpdateErrorTopologyChanged, n);
  }
  exec->nodes = graph->nodes;
  exec->conditions = graph->conditions;
  return sticky_error();
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t stream) {
  return simt::detail::is_stream(stream) ? sticky_error()
                                         : simt::detail::bad_stream("cudaGraphUpload");
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  std::ofstream file(path);
  file << "digraph {\n";
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    file << "  n" << n << ";\n";
    for (const std::size_t before : graph->nodes[n].after) {
      file << "  n" << before << " -> n" << n << ";\n";
    }
  }
  file << "}\n";
  return file ? sticky_error()
              : remember(cudaErrorOperatingSystem, "cudaGraphDebugDotPrint", "can't be written");
}
cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void* value) {
  *static_cast<std::uint64_t*>(value) = 0;
  return sticky_error();
}
cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType, void*) {
  return sticky_error();
}
cudaError_t cudaDeviceGraphMemTrim(int) { return sticky_error(); }

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  std::swap(*mode, current);
  return sticky_error();
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const void*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  const cudaError_t status = cudaStreamBeginCapture(stream, mode);
  if (status != cudaSuccess) return status;
  const auto c = capture_of(stream);
  c->into = graph;
  c->nodes = graph->nodes;
  for (std::size_t i = 0; i < count; ++i) c->tails[stream].push_back(after[i]->number);
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, std::size_t* count) {
  if (const auto e = cudaStreamIsCapturing(stream, status); e != cudaSuccess) return e;
  const auto c = capture_of(stream);
  if (c == nullptr) return cudaSuccess;
  if (id != nullptr) *id = reinterpret_cast<unsigned long long>(c.get());
  if (graph == nullptr && after == nullptr) return cudaSuccess;
  // The graph is made now: who asks for it adds nodes to it.
  if (c->into == nullptr) c->into = new CUgraph_st;
  c->into->nodes = c->nodes;
  c->last_handles.clear();
  for (const std::size_t n : c->tails[stream]) c->last_handles.push_back(c->into->handle(n));
  if (graph != nullptr) *graph = c->into;
  if (after != nullptr) *after = c->last_handles.data();
  if (count != nullptr) *count = c->last_handles.size();
  return cudaSuccess;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                std::size_t count, unsigned flags) {
  const auto c = capture_of(stream);
  if (c == nullptr) {
    return remember(cudaErrorIllegalState, "cudaStreamUpdateCaptureDependencies",
                    "the stream is not being captured");
  }
  if (c->into != nullptr && c->into->nodes.size() > c->nodes.size()) c->nodes = c->into->nodes;
  auto& last = c->tails[stream];
  if (flags == cudaStreamSetCaptureDependencies) last.clear();
  for (std::size_t i = 0; i < count; ++i) last.push_back(nodes[i]->number);
  return cudaSuccess;
}
