// The benchmark of an algorithm as `warpfold bench` runs it without options, on the first device.
#pragma once

#include <string>

#include "bench/harness/program.hpp"

namespace warpfold::bench {

inline void run_default_sizes(session& s, algorithm what) {
  const auto where = make_cuda_backend();
  benchmark wanted;
  wanted.common.what = what;
  wanted.common.samples = s.samples(where->default_samples());
  wanted.types = {what == algorithm::sort ? key_types.front() : number_types.front()};
  wanted.sizes = where->default_sizes(what);
  for (const peer& p : where->peers()) wanted.against.emplace_back(p.name);
  s.add(run(*where, wanted, [](std::string_view, std::size_t, std::size_t) {}));
}

}  // namespace warpfold::bench
