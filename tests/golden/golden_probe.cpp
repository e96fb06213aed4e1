// golden_probe statements|optimised: launches those kernels once each, for ncu to watch; see
// capture_kernels.sh.
#include <cstdio>
#include <exception>
#include <string_view>

#include "tests/golden/golden_runs.hpp"

int main(int argc, char** argv) {
  try {
    const std::string_view which = argc == 2 ? argv[1] : "";
    if (which != "statements" && which != "optimised") {
      std::fputs("usage: golden_probe statements|optimised\n", stderr);
      return 2;
    }
    for (const auto& r : which == "statements" ? statement_runs() : optimised_runs()) launch(r);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "golden_probe: %s\n", e.what());
    return 5;
  }
}
