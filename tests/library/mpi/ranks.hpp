// The places of tests across ranks, and this rank's part of values that all ranks have made.
#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

namespace warpfold::test {

inline auto ranks() { return across(MPI_COMM_WORLD, host.threads(1)).checked(); }
inline auto exact_ranks() {
  return across(MPI_COMM_WORLD, host.threads(1).with(determinism::gpu_to_gpu)).checked();
}

template <class T>
struct part_of {
  std::size_t begin;
  std::span<const T> values;
};
template <class T>
part_of<T> random_part(const std::vector<T>& all, std::mt19937& random) {
  const auto place = ranks();
  const auto bounds = random_split(all.size(), place.size(), random);
  const auto r = static_cast<std::size_t>(place.rank());
  return {bounds[r], std::span(all).subspan(bounds[r], bounds[r + 1] - bounds[r])};
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace warpfold::test
