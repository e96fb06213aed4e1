// What a sort across ranks takes of the memory; with two ranks.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "warpfold/mpi.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)

namespace {

/// Of this process, from /proc: "VmRSS" what it has, "VmHWM" what it had at most.
double resident_bytes(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == which + ":") {
      status >> word;
      return 1024 * std::stod(word);
    }
  }
  return 0;
}
void forget_most_resident() { std::ofstream("/proc/self/clear_refs") << 5; }

/// A rank's part, a copy while it is sorted, and what comes.
TEST(mpi, a_sort_takes_three_times_its_part_at_most) {
  const auto place = across(MPI_COMM_WORLD, host.threads(1));
  if (place.size() != 2) GTEST_SKIP() << "its figures are those of two ranks";
  mallopt(M_MMAP_THRESHOLD, 1 << 16);  // what is given up goes back to the system
  constexpr std::size_t n = std::size_t{1} << 20;
  std::mt19937 random(31 + static_cast<unsigned>(place.rank()));
  for (const char* kind : {"random", "equal", "sorted", "zipf", "all on rank 0"}) {
    const bool on_one = kind == std::string("all on rank 0");
    const double before = resident_bytes("VmRSS");
    std::vector<std::uint64_t> keys(on_one ? 2 * n * (place.rank() == 0 ? 1 : 0) : n);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      switch (*kind) {
        case 'e': keys[i] = 7; break;
        case 's': keys[i] = static_cast<std::size_t>(place.rank()) * n + i; break;
        case 'z': keys[i] = (std::uint64_t{1} << 32) / (random() + 1); break;
        default: keys[i] = random();
      }
    }
    forget_most_resident();
    const auto part = static_cast<double>(std::max(n, keys.size()) * sizeof(std::uint64_t));
    on_one ? balanced_sort(place, keys) : sort(place, keys);
    EXPECT_LE(resident_bytes("VmHWM") - before, 3 * part) << kind;
    EXPECT_GE(resident_bytes("VmHWM") - before, part) << kind;  // it is seen
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << kind;
  }
}

}  // namespace
