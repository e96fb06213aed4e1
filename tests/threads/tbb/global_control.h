// How many threads there are: see parallel_for.h.
#pragma once

#include <cstddef>

#include <tbb/parallel_for.h>

namespace tbb {

struct global_control {
  enum parameter { max_allowed_parallelism };
  static std::size_t active_value(parameter) { return detail::cores; }
};

}  // namespace tbb
