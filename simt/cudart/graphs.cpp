// CUDA's graphs: captures, instances and their launches. nodes.cpp builds them node by node,
// edges.cpp says what waits for what.
#include <algorithm>
#include <utility>

#include "simt/cudart/captures.hpp"

namespace {

using simt::detail::capture_of;
using simt::detail::graph_node;
using simt::detail::guarded;
using simt::detail::remember;

/// Puts what a graph's nodes cost behind what stands in the stream.
class on_timeline {
 public:
  on_timeline(simt::detail::timeline_state* line, cudaStream_t stream, std::size_t nodes)
      : line_(line), stream_(stream) {
    if (line_ == nullptr) return;
    line_->call();
    first_ = line_->before(stream);
    ids_.resize(nodes);
  }
  void add(std::size_t number, const graph_node& node) {
    if (line_ == nullptr) return;
    simt::detail::tail after = node.after.empty() ? first_ : simt::detail::tail{};
    for (const std::size_t id : node.after) after.push_back(ids_[id]);
    last_ = ids_[number] =
        node.records != nullptr
            ? line_->mark(std::move(after))
            : line_->put(std::move(after), node.what, line_->speeds.graph_latency_us,
                         line_->number_of(node.stream), node.label);
  }
  [[nodiscard]] std::size_t last() const { return last_; }
  void close() {
    if (line_ != nullptr && !ids_.empty()) line_->follow(stream_, {line_->mark(ids_)});
  }

 private:
  simt::detail::timeline_state* line_;
  cudaStream_t stream_;
  simt::detail::tail first_, ids_;  // of the nodes, by their numbers
  std::size_t last_ = 0;
};

}  // namespace

simt::detail::graph_node simt::detail::allocation_node(std::shared_ptr<graph_memory> memory) {
  return {.work = [m = memory.get()] { return m->allocate(); },
          .type = cudaGraphNodeTypeMemAlloc,
          .memory = std::move(memory)};
}
simt::detail::graph_node simt::detail::free_node(void* pointer) {
  return {.work = [=] { return cudaFree(pointer); },
          .type = cudaGraphNodeTypeMemFree,
          .frees = pointer};
}

std::vector<std::size_t> simt::detail::order_of(const std::vector<graph_node>& nodes) {
  std::vector<std::size_t> order;
  std::vector<bool> done(nodes.size());
  for (bool any = true; any;) {
    any = false;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto ends = [&](std::size_t before) { return done[before]; };
      if (done[n] || !std::all_of(nodes[n].after.begin(), nodes[n].after.end(), ends)) continue;
      done[n] = any = true;
      order.push_back(n);
    }
  }
  return order;
}

cudaError_t simt::detail::run_nodes(const std::vector<graph_node>& nodes) {
  for (const std::size_t n : order_of(nodes)) {
    if (!nodes[n].enabled) continue;
    if (nodes[n].records != nullptr) {
      stamp(nodes[n].records, 0);
    } else if (nodes[n].work) {
      if (const cudaError_t status = nodes[n].work(); status != cudaSuccess) return status;
    }
  }
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return guarded([&] {
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamBeginCapture");
    if (simt::detail::is_legacy(stream)) {
      return remember(cudaErrorStreamCaptureUnsupported, "cudaStreamBeginCapture",
                      "the default stream can't be captured; create one with cudaStreamCreate");
    }
    if (capture_of(stream) != nullptr) {
      return remember(cudaErrorIllegalState, "cudaStreamBeginCapture",
                      "the stream is being captured already");
    }
    simt::detail::begin_capture(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return guarded([&] {
    constexpr const char* call = "cudaStreamEndCapture";
    if (graph != nullptr) *graph = nullptr;
    const auto c = capture_of(stream);
    if (c == nullptr) return remember(cudaErrorIllegalState, call, "there is no capture to end");
    if (c->origin != stream) {
      return remember(cudaErrorStreamCaptureUnmatched, call,
                      "the capture began in another stream and must end there");
    }
    simt::detail::end_capture(c);
    if (c->broken) {
      return remember(cudaErrorStreamCaptureInvalidated, call, "an earlier call broke the capture");
    }
    if (!c->is_joined()) {
      return remember(cudaErrorStreamCaptureUnjoined, call,
                      "another captured stream has work that this stream does not wait for; record "
                      "an event at its end and pass it to cudaStreamWaitEvent here");
    }
    if (c->into != nullptr) {
      c->into->nodes = std::move(c->nodes);
      if (graph != nullptr) *graph = c->into;
    } else if (graph == nullptr) {
      return remember(cudaErrorInvalidValue, call, "the pointer to the graph is null");
    } else {
      *graph = new CUgraph_st{std::move(c->nodes)};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const auto c = capture_of(stream);
  *status = c == nullptr ? cudaStreamCaptureStatusNone
            : c->broken  ? cudaStreamCaptureStatusInvalidated
                         : cudaStreamCaptureStatusActive;
  return simt::detail::sticky_error();
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return guarded([&] {
    if (simt::detail::order_of(graph->nodes).size() != graph->nodes.size()) {
      return remember(cudaErrorInvalidValue, "cudaGraphInstantiate", "the nodes form a cycle");
    }
    *exec = new CUgraphExec_st{graph->nodes, graph->conditions, flags, graph->holds};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  constexpr const char* call = "cudaGraphInstantiateWithParams";
  params->errNode_out = nullptr;
  params->result_out = cudaGraphInstantiateError;
  if (graph == nullptr) return simt::detail::bad_graph(call);
  if ((params->flags & cudaGraphInstantiateFlagUpload) != 0 &&
      !simt::detail::is_stream(params->uploadStream)) {
    return simt::detail::bad_stream(call);
  }
  const auto fails = [&](std::size_t node, cudaGraphInstantiateResult why) {
    params->errNode_out = graph->handle(node);
    params->result_out = why;
  };
  const auto order = simt::detail::order_of(graph->nodes);
  for (std::size_t n = 0; n < graph->nodes.size(); ++n) {
    if (std::find(order.begin(), order.end(), n) == order.end()) {
      fails(n, cudaGraphInstantiateInvalidStructure);
      break;
    }
    const auto type = graph->nodes[n].type;
    const bool on_device = type == cudaGraphNodeTypeKernel || type == cudaGraphNodeTypeMemcpy ||
                           type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeGraph;
    if ((params->flags & cudaGraphInstantiateFlagDeviceLaunch) != 0 && !on_device) {
      fails(n, cudaGraphInstantiateNodeOperationNotSupported);
      return remember(cudaErrorInvalidValue, call, "a device can't launch a node of this type");
    }
  }
  const auto status = cudaGraphInstantiateWithFlags(exec, graph, params->flags);
  if (status == cudaSuccess) params->result_out = cudaGraphInstantiateSuccess;
  return status;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return guarded([&] {
    constexpr const char* call = "cudaGraphLaunch";
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
    if (const auto c = capture_of(stream); c != nullptr) {
      c->add(stream, {.work = [nodes = exec->nodes] { return simt::detail::run_nodes(nodes); },
                      .type = cudaGraphNodeTypeGraph});
      return cudaSuccess;
    }
    if (const auto e = simt::detail::refuse_beside_capture(call, stream); e != cudaSuccess) {
      return e;
    }
    on_timeline line(simt::detail::current_timeline(), stream, exec->nodes.size());
    for (const auto& c : exec->conditions) {
      if (c->is_set_at_launch) c->value = c->at_launch;
    }
    for (const graph_node& node : exec->nodes) {
      if (exec->frees_at_launch() && node.memory != nullptr) node.memory->free_if_allocated();
    }
    for (const std::size_t number : simt::detail::order_of(exec->nodes)) {
      const graph_node& node = exec->nodes[number];
      line.add(number, node);
      if (!node.enabled) continue;
      if (node.records != nullptr) {
        simt::detail::stamp(node.records, line.last());
      } else if (const cudaError_t status = node.work ? node.work() : cudaSuccess;
                 status != cudaSuccess) {
        return status;
      }
    }
    line.close();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return simt::detail::sticky_error();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph == nullptr || graph->is_child) return simt::detail::sticky_error();
  delete graph;
  return simt::detail::sticky_error();
}
