// Tells a timeline what a rung puts into streams: whose chunk it is, and what the kernel reads.
#pragma once

#include "ladder/streams/rung.hpp"
#include "simt/timeline.hpp"

namespace warpfold::ladder::streams_ladder {

/// Tells the timeline what the operations are.
class timeline_labels final : public observer {
 public:
  explicit timeline_labels(simt::timeline& line) : line_(line) {}
  void starts() override { line_.forget_spans(); }
  void before(simt::engine, const chunk_range& p, std::size_t bytes, void*) override {
    line_.label(static_cast<int>(p.index), bytes);
  }
  void host_begins(std::size_t bytes) override { line_.host_works(bytes); }

 private:
  simt::timeline& line_;
};

}  // namespace warpfold::ladder::streams_ladder
