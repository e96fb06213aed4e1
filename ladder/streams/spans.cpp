#include "ladder/streams/spans.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpfold::ladder::streams_ladder {

namespace {

using interval = std::pair<double, double>;

/// Sorted, and none touches the next.
std::vector<interval> merged(std::vector<interval> all) {
  std::sort(all.begin(), all.end());
  std::vector<interval> result;
  for (const auto& i : all) {
    if (!result.empty() && i.first <= result.back().second) {
      result.back().second = std::max(result.back().second, i.second);
    } else {
      result.push_back(i);
    }
  }
  return result;
}

double length(const std::vector<interval>& all) {
  double sum = 0;
  for (const auto& [begin, end] : all) sum += end - begin;
  return sum;
}

}  // namespace

occupation occupation_of(std::span<const simt::timeline_span> spans) {
  std::vector<interval> copies, sums;
  for (const auto& s : spans) {
    if (s.where == simt::engine::compute) sums.emplace_back(s.begin_us, s.end_us);
    if (s.where == simt::engine::copy_in || s.where == simt::engine::copy_out) {
      copies.emplace_back(s.begin_us, s.end_us);
    }
  }
  copies = merged(copies);
  sums = merged(sums);
  std::vector<interval> both = copies;
  both.insert(both.end(), sums.begin(), sums.end());
  const double copying = length(copies), summing = length(sums);
  return {copying, summing, copying + summing - length(merged(both))};
}

double extent_of(std::span<const simt::timeline_span> spans) {
  if (spans.empty()) return 0;
  double begin = spans.front().begin_us, end = begin;
  for (const auto& s : spans) {
    begin = std::min(begin, s.begin_us);
    end = std::max(end, s.end_us);
  }
  return end - begin;
}

}  // namespace warpfold::ladder::streams_ladder
