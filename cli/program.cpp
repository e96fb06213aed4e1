#include "cli/program.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// Ends this program as the script does if that fails, which has said why.
void build(const std::string& dev, const std::string& program) {
  std::vector<std::string> words{dev, "program", program};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What comes in belongs to the program.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, dev.c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw error("WARPFOLD_DEV=" + dev + ": " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

std::string program_of(std::string_view words) {
  std::string name = "warpfold-" + std::string(words);
  for (char& c : name) {
    if (c == ' ') c = '-';
  }
  return name;
}

void become(const std::string& program, std::span<const std::string> arguments) {
  if (const char* const dev = std::getenv("WARPFOLD_DEV"); dev != nullptr && *dev != '\0') {
    build(dev, program);
  }
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(path.c_str(), pointers_to(words).data());
  throw error(path.string() + ": " + std::strerror(errno) +
              "; each command is a program beside warpfold: build the target warpfold_cli, or "
              "install them all");
}

}  // namespace warpfold::cli
