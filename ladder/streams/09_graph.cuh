// The calls of rung 06, captured once into a graph. Its nodes are the operations, its edges the
// order of each stream and the events between streams. One call then launches the whole graph.
#pragma once

#include "ladder/streams/06_both_engines.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class graph {
 public:
  static constexpr description about{
      .number = 9,
      .name = "graph",
      .idea = "rung 06, captured in a graph: one call starts all of it",
      .improves = "the host's calls: three a chunk, and two for the event",
      .also = "time with many small chunks (--chunks 256)",
      .source = "beyond the documents; graphs came with CUDA 10"};

  explicit graph(const work& w) : issuer_(w) {
    check(cudaStreamBeginCapture(out_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    // A stream takes part once it waits for an event of the capture.
    check(cudaEventRecord(fork_, out_), "cudaEventRecord");
    check(cudaStreamWaitEvent(in_, fork_, 0), "cudaStreamWaitEvent");
    issuer_.issue(w, in_, out_);
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(out_, &captured), "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiate(&graph_, captured, 0);
    cudaGraphDestroy(captured);
    check(made, "cudaGraphInstantiate");
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph() { cudaGraphExecDestroy(graph_); }

  unsigned run(const work& w) {
    check(cudaGraphLaunch(graph_, out_), "cudaGraphLaunch");
    check(cudaStreamSynchronize(out_), "cudaStreamSynchronize");
    return w.chunks;
  }

 private:
  both_engines issuer_;
  stream in_, out_;
  event fork_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
