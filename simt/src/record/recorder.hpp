// What a watched launch keeps until the threads that did it meet: then it becomes a step.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "simt/watch.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

struct watch_log {
  std::vector<watched_step>* steps = nullptr;
  unsigned launch = 0;
  std::string kernel;

  /// What a warp has done since its last step.
  struct part {
    std::vector<watched_access> accesses;
    std::map<std::pair<std::uint64_t, unsigned>, std::size_t> index;  // by site and visit
    std::map<std::pair<std::uint64_t, unsigned>, unsigned> visits;    // by site and lane
    std::array<std::uint32_t, warp_size> applications{};
  };
  std::map<const block*, std::vector<part>> parts;  // of the blocks in flight, by warp
  std::uint64_t applications = 0;                   // those up to here have been attributed
  std::size_t kept = 0;                             // accesses
};

}  // namespace simt::detail
