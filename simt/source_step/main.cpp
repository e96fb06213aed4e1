// warpfold-source-step <compiler> <arguments…>: stands before the compiler (CMake's compiler
// launcher) and compiles the sources that simt_add_kernels marked; for any other one the compiler
// runs as if nothing stood before it.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "compile.hpp"
#include "rewrite.hpp"

namespace {

using simt::source_step::words;

int become(words command) {
  std::vector<char*> argv;
  for (auto& w : command) argv.push_back(w.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  std::fprintf(stderr, "warpfold-source-step: %s: %s\n", argv[0], std::strerror(errno));
  return 127;
}

}  // namespace

int main(int argc, char** argv) {
  const words command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fprintf(stderr, "usage: warpfold-source-step COMPILER ARGUMENTS…\n");
    return 2;
  }
  const auto has = [&](const char* word) {
    return std::find(command.begin(), command.end(), word) != command.end();
  };
  const bool kernels =
      (has("-DSIMT_KERNELS=1") || has("-DSIMT_CUDA_SOURCE")) && has("-c") && !has("-emit-pch");
  try {
    return kernels ? simt::source_step::compile(command) : become(command);
  } catch (const simt::source_step::refusal& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
