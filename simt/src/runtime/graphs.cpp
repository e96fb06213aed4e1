// CUDA's graphs, as far as they come from captures.
#include <algorithm>
#include <utility>

#include "simt/src/runtime/captures.hpp"

namespace {

using simt::detail::capture_of;
using simt::detail::graph_node;
using simt::detail::guarded;
using simt::detail::remember;

/// Puts what a graph's nodes cost behind what stands in the stream.
class on_timeline {
 public:
  on_timeline(simt::detail::timeline_state* line, cudaStream_t stream)
      : line_(line), stream_(stream) {
    if (line_ == nullptr) return;
    line_->call();
    first_ = line_->before(stream);
  }
  void add(const graph_node& node) {
    if (line_ == nullptr) return;
    simt::detail::tail after = node.after.empty() ? first_ : simt::detail::tail{};
    for (const std::size_t id : node.after) after.push_back(ids_[id]);
    ids_.push_back(node.records != nullptr
                       ? line_->mark(std::move(after))
                       : line_->put(std::move(after), node.what, line_->speeds.graph_latency_us,
                                    line_->number_of(node.stream), node.label));
  }
  [[nodiscard]] std::size_t last() const { return ids_.empty() ? 0 : ids_.back(); }
  void close() {
    if (line_ != nullptr && !ids_.empty()) line_->follow(stream_, {line_->mark(ids_)});
  }

 private:
  simt::detail::timeline_state* line_;
  cudaStream_t stream_;
  simt::detail::tail first_, ids_;
};

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return guarded([&] {
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaStreamBeginCapture");
    if (simt::detail::is_legacy(stream)) {
      return remember(cudaErrorStreamCaptureUnsupported, "cudaStreamBeginCapture",
                      "the default stream can't be captured; make one with cudaStreamCreate");
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
    *graph = nullptr;
    const auto c = capture_of(stream);
    if (c == nullptr) return remember(cudaErrorIllegalState, call, "there is no capture to end");
    if (c->origin != stream) {
      return remember(cudaErrorStreamCaptureUnmatched, call,
                      "the capture began in another stream, and ends there");
    }
    simt::detail::end_capture(c);
    if (c->broken) {
      return remember(cudaErrorStreamCaptureInvalidated, call, "an earlier call broke the capture");
    }
    if (!c->is_joined()) {
      return remember(cudaErrorStreamCaptureUnjoined, call,
                      "a stream that took part has work that this one never waits for; record an "
                      "event at its end, and cudaStreamWaitEvent here");
    }
    *graph = new CUgraph_st{std::move(c->nodes)};
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

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (nodes != nullptr) {
    return remember(cudaErrorNotSupported, "cudaGraphGetNodes",
                    "nodes are counted here, not given out; pass nullptr");
  }
  *count = graph->nodes.size();
  return simt::detail::sticky_error();
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return guarded([&] {
    *exec = new CUgraphExec_st{graph->nodes};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return guarded([&] {
    constexpr const char* call = "cudaGraphLaunch";
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
    if (const auto e = simt::detail::refuse_in_capture(call, stream); e != cudaSuccess) return e;
    if (const auto e = simt::detail::refuse_beside_capture(call, stream); e != cudaSuccess) {
      return e;
    }
    on_timeline line(simt::detail::current_timeline(), stream);
    for (const graph_node& node : exec->nodes) {
      line.add(node);
      if (node.records != nullptr) {
        simt::detail::stamp(node.records, line.last());
      } else if (const cudaError_t status = node.work(); status != cudaSuccess) {
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
  delete graph;
  return simt::detail::sticky_error();
}
