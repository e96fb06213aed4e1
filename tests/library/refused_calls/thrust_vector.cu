// refused by nvcc: pass std::span(thrust::raw_pointer_cast(v.data()), v.size())
#include <thrust/device_vector.h>

#include "warpfold/reduce.hpp"

int sum(const thrust::device_vector<int>& v) { return warpfold::reduce(warpfold::device, v); }
