// The ladder's own kernels against Nsight Compute on an H100: 64 blocks of 512 threads, int32.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "ladder/reduce/01_neighbored.cuh"
#include "ladder/reduce/02_neighbored_less.cuh"
#include "ladder/reduce/03_interleaved.cuh"
#include "ladder/reduce/10_modulo.cuh"
#include "ladder/reduce/11_strided.cuh"
#include "ladder/reduce/12_sequential.cuh"
#include "tests/simt/machine.hpp"

namespace warpfold::tests {
namespace {

namespace rungs = ladder::reduce_ladder;

constexpr unsigned grid = 64, block = 512;

using counts = std::map<std::string, double>;

std::map<std::string, counts> golden() {
  std::ifstream file(WARPFOLD_GOLDEN "/ladder_h100.csv");
  std::string line;
  std::map<std::string, counts> all;
  std::vector<std::string> columns;
  while (std::getline(file, line)) {
    std::istringstream stream(line);
    std::vector<std::string> row;
    for (std::string part; std::getline(stream, part, ',');) row.push_back(part);
    if (columns.empty()) {
      columns = row;
      continue;
    }
    for (std::size_t i = 1; i < row.size(); ++i) all[row[0]][columns[i]] = std::stod(row[i]);
  }
  return all;
}

template <class Rung>
void expect_golden(const std::string& name, simt::run_options options = {}) {
  const std::size_t n = std::size_t{grid} * block;
  const device_array<int> in(n, 3), out(grid);
  const auto counted = tests::counted(
      [&] {
        Rung::template run<int, plus>({.in = in.data(),
                                       .out = out.data(),
                                       .n = n,
                                       .grid = grid,
                                       .block = block,
                                       .scratch = nullptr,
                                       .stream = nullptr});
      },
      options);
  for (const int sum : out) EXPECT_EQ(sum, 3 * static_cast<int>(block));
  const counts measured = golden().at(name);
  for (const auto& [counter, expected] : measured) {
    // Instructions, stalls and branches of the device's own code have no equal here.
    if (counter.starts_with("smsp__") && !counter.starts_with("smsp__sass_average_data")) continue;
    EXPECT_EQ(std::round(value_of(counted, counter) * 100) / 100, expected)
        << name << ": " << counter;
  }
}

TEST(golden, rungs_in_global_memory) {
  expect_golden<rungs::neighbored>("neighbored");
  expect_golden<rungs::neighbored_less>("neighbored_less");
  expect_golden<rungs::interleaved>("interleaved");
}

TEST(golden, rungs_in_shared_memory) {
  expect_golden<rungs::modulo>("r1");
  expect_golden<rungs::strided>("r2");
  expect_golden<rungs::sequential>("r3");
}

TEST(golden, whatever_the_order) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    expect_golden<rungs::neighbored>("neighbored", {.seed = seed});
    expect_golden<rungs::strided>("r2", {.workers = 1, .seed = seed});
  }
}

}  // namespace
}  // namespace warpfold::tests
