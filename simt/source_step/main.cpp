// warpfold-source-step <compiler> <arguments…>: stands before the compiler (CMake's compiler
// launcher) and compiles the sources that simt_add_kernels marked; for any other one the compiler
// runs as if nothing stood before it. Where the compiler has ccache before it, the cache takes this
// program for the compiler: what it keeps is the object, after all steps.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

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

// The compiler that a cache's call of this program is about.
constexpr const char* compiler_variable = "SIMT_CACHED_COMPILER";

/// Of `ccache compiler arguments…` the number of words before the compiler; 0 without ccache.
std::size_t words_of_cache(const words& command) {
  if (command.size() < 3) return 0;
  const auto name = std::filesystem::path(command[0]).filename();
  return name == "ccache" || name == "cached" ? 1 : 0;
}

/// The file that the shell would run.
std::string found(const std::string& program) {
  std::error_code none;
  if (program.find('/') != std::string::npos) return std::filesystem::canonical(program, none);
  const char* const variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "";
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const auto file = std::filesystem::path(path.substr(at, end - at)) / program;
    if (access(file.c_str(), X_OK) == 0) return std::filesystem::canonical(file, none);
    at = end + 1;
  }
  return {};
}

/// The cache names the file last, wherever `-c` stands.
void put_file_behind(words& command, const char* option) {
  const auto at = std::find(command.begin(), command.end(), option);
  if (at == command.end()) return;
  command.erase(at);
  command.insert(command.end() - 1, option);
}

/// Lets the cache run this program as a compiler. It knows objects by the contents of all that
/// makes them, so that another clone finds them.
int through_cache(words command, std::size_t cache) {
  std::error_code none;
  const std::string self = std::filesystem::canonical("/proc/self/exe", none);
  const std::string compiler = found(command[cache]);
  if (self.empty() || compiler.empty()) return simt::source_step::compile(command);
  setenv(compiler_variable, command[cache].c_str(), 1);
  setenv("CCACHE_COMPILERTYPE", "clang", 1);
  setenv("CCACHE_COMPILERCHECK", "content", 1);
  const char* const more = std::getenv("CCACHE_EXTRAFILES");
  setenv("CCACHE_EXTRAFILES", (compiler + (more != nullptr ? ":" + std::string(more) : "")).c_str(),
         1);
  command[cache] = self;
  return become(std::move(command));
}

}  // namespace

int main(int argc, char** argv) {
  words command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fprintf(stderr, "usage: warpfold-source-step COMPILER ARGUMENTS…\n");
    return 2;
  }
  const char* const compiler = std::getenv(compiler_variable);
  const bool by_cache = compiler != nullptr && command[0].starts_with("-");
  if (by_cache) {
    command.insert(command.begin(), compiler);
    put_file_behind(command, "-c");
  }
  const auto has = [&](const char* word) {
    return std::find(command.begin(), command.end(), word) != command.end();
  };
  const bool kernels =
      (has("-DSIMT_KERNELS=1") || has("-DSIMT_CUDA_SOURCE")) && has("-c") && !has("-emit-pch");
  if (by_cache && has("-E") && has("-DSIMT_CUDA_SOURCE")) {
    const words macros = simt::source_step::macros_of_cuda(command);
    command.insert(command.end(), macros.begin(), macros.end());
    // The object is known by both texts of the file.
    if (const int status = simt::source_step::run(command); status != 0) return status;
    command.emplace_back("-U__CUDA_ARCH__");
  }
  try {
    if (!kernels) return become(std::move(command));
    const std::size_t cache = words_of_cache(command);
    return cache != 0 ? through_cache(std::move(command), cache)
                      : simt::source_step::compile(command);
  } catch (const simt::source_step::refusal& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
