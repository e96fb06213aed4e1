// Labels a timeline's operations with the chunks that they are about, and adds a span for the time
// that the host spends asking, which the timeline's own calls do not show.
#pragma once

#include <vector>

#include "ladder/streams/rung.hpp"
#include "simt/timeline.hpp"

namespace warpfold::ladder::streams_ladder {

class timeline_labels final : public observer {
 public:
  explicit timeline_labels(simt::timeline& line) : line_(line) {}
  void starts() override {
    line_.forget_spans();
    asked_.clear();
    start_us_ = line_.now_us();
  }
  void before(simt::engine, const chunk_range& p, std::size_t bytes, void*) override {
    line_.label(static_cast<int>(p.index), bytes);
  }
  void host_begins(std::size_t bytes) override { line_.host_works(bytes); }
  void asking_begins() override {
    const double now = line_.now_us() - start_us_;
    asked_.push_back({simt::engine::host, 0, -1, "polls", now, now});
  }
  void asking_ends() override { asked_.back().end_us = line_.now_us() - start_us_; }

  /// The timeline's, and those of the host's questions.
  [[nodiscard]] std::vector<simt::timeline_span> spans() const {
    auto all = line_.spans();
    all.insert(all.end(), asked_.begin(), asked_.end());
    return all;
  }

 private:
  simt::timeline& line_;
  double start_us_ = 0;
  std::vector<simt::timeline_span> asked_;
};

}  // namespace warpfold::ladder::streams_ladder
