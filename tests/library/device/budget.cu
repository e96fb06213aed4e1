// What budget.cmake compiles for its registers: the calls that most programs make.
#include <cstdint>
#include <span>

#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/sort.hpp"

using warpfold::device, warpfold::status;

template <class T>
status reductions(std::span<const T> in, T* out, warpfold::position<T>* best) {
  status s = warpfold::reduce_into(device, in, out);
  if (s.ok()) s = warpfold::reduce_into(device, in, out, T{}, warpfold::maximum{});
  if (s.ok()) s = warpfold::argmin_into(device, in, best);
  return s;
}
template status reductions(std::span<const std::int32_t>, std::int32_t*,
                           warpfold::position<std::int32_t>*);
template status reductions(std::span<const float>, float*, warpfold::position<float>*);
template status reductions(std::span<const double>, double*, warpfold::position<double>*);

template <class T>
status scans(std::span<const T> in, std::span<T> out) {
  return warpfold::exclusive_scan(device, in, out, T{});
}
template status scans(std::span<const std::int8_t>, std::span<std::int8_t>);
template status scans(std::span<const std::uint16_t>, std::span<std::uint16_t>);
template status scans(std::span<const std::int32_t>, std::span<std::int32_t>);
template status scans(std::span<const float>, std::span<float>);
template status scans(std::span<const double>, std::span<double>);

/// Of a number on the device.
status sized(std::span<const float> in, const std::size_t* size, std::span<float> out) {
  const auto first = warpfold::device_sized(in, size);
  status s = warpfold::reduce_into(device, first, out.data());
  if (s.ok()) s = warpfold::inclusive_scan(device, first, out);
  return s.ok() ? warpfold::exact_sum_into(device, first, out.data()) : s;
}

status rows(std::span<const float> in, std::span<float> out) {
  return warpfold::reduce_rows(device, in, out.size(), in.size() / out.size(), out);
}

status exact_sums(std::span<const float> in, std::span<const double> wide, float* out,
                  double* wide_out) {
  status s = warpfold::exact_sum_into(device, in, out);
  if (s.ok()) s = warpfold::exact_sum_into(device, wide, wide_out);
  if (s.ok()) s = warpfold::exact_dot_into(device, wide, wide, wide_out);
  return s;
}

struct by_last_byte {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 256 < b % 256; }
};
status sorts(std::span<std::uint32_t> keys, std::span<std::uint64_t> items) {
  const status s = warpfold::sort(device, keys, by_last_byte{});
  return s.ok() ? warpfold::sort_by_key(device, keys, items, by_last_byte{}) : s;
}

struct pixel {
  unsigned char red, green, blue, alpha;
};
status sorts(std::span<const std::uint16_t> keys, std::span<const pixel> items,
             std::span<std::uint16_t> keys_out, std::span<pixel> items_out) {
  return warpfold::sort_by_key(device, keys, items, keys_out, items_out);
}
