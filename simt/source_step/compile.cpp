#include "compile.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rewrite.hpp"

namespace simt::source_step {

namespace {

std::vector<char*> pointers(words& command) {
  std::vector<char*> argv;
  for (auto& w : command) argv.push_back(w.data());
  argv.push_back(nullptr);
  return argv;
}

/// A file that is gone afterwards.
struct scratch_file {
  std::string path;
  ~scratch_file() { std::remove(path.c_str()); }
};

}  // namespace

int run(words command) {
  auto argv = pointers(command);
  pid_t child = 0;
  if (const int e = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ); e != 0) {
    std::fprintf(stderr, "warpfold-source-step: %s: %s\n", command[0].c_str(), std::strerror(e));
    return 127;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int compile(const words& command) {
  words preprocess, compile;
  scratch_file text;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& w = command[i];
    const bool has_next = i + 1 < command.size();
    if (w == "-c" && has_next) {
      preprocess.insert(preprocess.end(), {"-E", command[i + 1]});
      ++i;
    } else if (w == "-o" && has_next) {
      text.path = command[++i] + ".simt.ii";
      preprocess.insert(preprocess.end(), {"-o", text.path});
      compile.insert(compile.end(), {"-o", command[i]});
    } else if ((w == "-MT" || w == "-MF" || w == "-MQ") && has_next) {  // what it depends on
      preprocess.insert(preprocess.end(), {w, command[++i]});
    } else {
      preprocess.push_back(w);
      if (w != "-MD" && w != "-MMD") compile.push_back(w);
    }
  }
  if (text.path.empty() ||
      std::find(preprocess.begin(), preprocess.end(), "-E") == preprocess.end()) {
    std::fprintf(stderr, "warpfold-source-step: expected a command with -o FILE and -c FILE\n");
    return 2;
  }
  preprocess.insert(preprocess.end(), {"-D__SIMT__=1", "-D__CUDACC__=1", "-D__CUDA_ARCH__=900",
                                       "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0"});
  if (const int status = run(preprocess); status != 0) return status;
  std::ifstream in(text.path, std::ios::binary);
  const std::string before{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string after = rewrite(before);
  std::ofstream out(text.path, std::ios::binary);
  out << after;
  out.close();
  if (!in || !out) {
    std::fprintf(stderr, "warpfold-source-step: %s: can't be read and written\n",
                 text.path.c_str());
    return 4;
  }
  compile.insert(compile.end(), {"-Qunused-arguments", "-x", "c++-cpp-output", "-c", text.path});
  return run(compile);
}

}  // namespace simt::source_step
