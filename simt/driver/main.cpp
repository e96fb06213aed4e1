// simt++: a compiler for CUDA programs that shall run on the CPU machine. It takes nvcc's command
// lines (`make NVCC=simt++`).
#include <cstdio>
#include <exception>

#include "built.hpp"
#include "driver.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "simt/source_step/rewrite.hpp"

namespace {

using simt::driver::question;

/// In the forms that build files look for: CMake knows nvcc by the second line.
constexpr const char* version =
    "simt++, CUDA for the CPU machine of warpfold " SIMT_VERSION
    "; compatible with\n"
    "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n";

int answer(question asked) {
  switch (asked) {
    case question::none: break;
    case question::version: std::fputs(version, stdout); break;
    case question::help: std::fputs(simt::driver::help().c_str(), stdout); break;
    case question::architectures: std::puts("compute_90"); break;
    case question::architecture_codes: std::puts("sm_90"); break;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const simt::driver::plan p = simt::driver::read_command_line({argv + 1, argv + argc});
    return p.asks != question::none ? answer(p.asks) : simt::driver::driver(p).run();
  } catch (const simt::source_step::refusal& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "simt++: %s\n", e.what());
    return 2;
  }
}
