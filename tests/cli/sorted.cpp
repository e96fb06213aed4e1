#include "tests/cli/sorted.hpp"

#include <algorithm>
#include <cstdint>

namespace warpfold::cli {

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

template std::vector<std::uint8_t> sorted(std::vector<std::uint8_t>);
template std::vector<std::int32_t> sorted(std::vector<std::int32_t>);
template std::vector<std::uint32_t> sorted(std::vector<std::uint32_t>);
template std::vector<std::int64_t> sorted(std::vector<std::int64_t>);
template std::vector<std::uint64_t> sorted(std::vector<std::uint64_t>);
template std::vector<float> sorted(std::vector<float>);
template std::vector<double> sorted(std::vector<double>);

}  // namespace warpfold::cli
