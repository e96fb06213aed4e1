#include "cli/program.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <sys/auxv.h>
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

/// Has `builder` build the program; ends as it does where it fails, since it has said why.
void build(const char* builder, const std::string& program) {
  std::vector<std::string> words{builder, "program", program};
  const pid_t child = fork();
  if (child == 0) {
    execv(builder, pointers_to(words).data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    throw error(std::string(builder) + ": " + std::strerror(errno));
  }
  if (status != 0) std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
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
  std::error_code no_proc;
  auto self = std::filesystem::read_symlink("/proc/self/exe", no_proc);
  if (no_proc) self = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (const char* builder = std::getenv("WARPFOLD_BUILD")) build(builder, program);
  const auto path = self.parent_path() / program;
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execv(path.c_str(), pointers_to(words).data());
  throw error(path.string() + ": " + std::strerror(errno) +
              "; each command is a program beside warpfold: build the target warpfold_cli, or "
              "install them all");
}

}  // namespace warpfold::cli
