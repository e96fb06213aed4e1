// What architectures.cmake compiles: each kernel of the library once.
#include <cstdint>
#include <span>

#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/sort.hpp"

using warpfold::device, warpfold::status;

struct by_last_byte {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 256 < b % 256; }
};

status calls(std::span<const double> in, std::span<double> out, std::span<std::uint32_t> keys,
             std::span<std::uint64_t> items, double* sum) {
  status s = warpfold::reduce_into(device, in, sum);
  if (s.ok()) s = warpfold::reduce_rows(device, in, out.size(), in.size() / out.size(), out);
  if (s.ok()) s = warpfold::exclusive_scan(device, in, out, 0.0);
  if (s.ok()) s = warpfold::exact_sum_into(device, in, sum);
  if (s.ok()) s = warpfold::sort_by_key(device, keys, items);
  return s.ok() ? warpfold::sort(device, keys, by_last_byte{}) : s;
}
