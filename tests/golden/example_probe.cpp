// Runs the example's kernels once each, for ncu to watch; see capture_example.sh.
#include <cstdio>
#include <exception>

#include "tests/golden/example_runs.hpp"

int main() {
  try {
    for (const auto& r : example_runs::all()) r.launch();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "example_probe: %s\n", e.what());
    return 5;
  }
}
