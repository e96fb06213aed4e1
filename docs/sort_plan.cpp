#include "docs/sort_plan.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "warpfold/tuning/sort.hpp"

namespace {

using warpfold::tuning::sort_plan;

template <std::size_t KeyBytes, std::size_t ItemBytes>
std::string row() {
  constexpr std::size_t bytes = KeyBytes + ItemBytes;
  constexpr std::size_t rows = sort_plan::merged_a_multiprocessor<KeyBytes, bytes>;
  return fmt::format("| {} | {} | {} | {} |\n", KeyBytes,
                     ItemBytes == 0 ? "–" : fmt::format("{}", ItemBytes), rows, 132 * rows);
}

template <std::size_t KeyBytes>
std::string rows_of_keys() {
  return row<KeyBytes, 0>() + row<KeyBytes, 1>() + row<KeyBytes, 2>() + row<KeyBytes, 4>() +
         row<KeyBytes, 8>();
}

}  // namespace

std::string sort_plan_table() {
  return "| key, bytes | item, bytes | merges, up to rows a multiprocessor | on an H100 or H200 |\n"
         "|---:|---:|---:|---:|\n" +
         rows_of_keys<1>() + rows_of_keys<2>() + rows_of_keys<4>() + rows_of_keys<8>() +
         rows_of_keys<16>();
}
