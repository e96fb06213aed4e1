// An order that no library knows, so that none can sort keys by their bits.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::bench {

struct own_less {
  template <class K>
  __host__ __device__ bool operator()(const K& a, const K& b) const {
    return a < b;
  }
};

}  // namespace warpfold::bench
