#include "cli/program.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
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

/// The program in this one's folder; built, where WARPFOLD_BUILD says by what.
std::filesystem::path path_of(const std::string& program) {
  std::error_code no_proc;
  auto self = std::filesystem::read_symlink("/proc/self/exe", no_proc);
  if (no_proc) self = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (const char* builder = std::getenv("WARPFOLD_BUILD")) build(builder, program);
  return self.parent_path() / program;
}

std::vector<std::string> with_name(const std::filesystem::path& path,
                                   std::span<const std::string> arguments) {
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

constexpr int not_there = 127;  // the exit code where no program is

error no_program(const std::filesystem::path& path, const std::string& why) {
  return error(path.string() + ": " + why +
               "; each command is a program beside warpfold: build the target warpfold_cli, or "
               "install them all");
}

std::string read_all(int from) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
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
  const auto path = path_of(program);
  auto words = with_name(path, arguments);
  execv(path.c_str(), pointers_to(words).data());
  throw no_program(path, std::strerror(errno));
}

program_output output_of(const std::string& program, std::span<const std::string> arguments,
                         bool quiet) {
  const auto path = path_of(program);
  auto words = with_name(path, arguments);
  const auto pointers = pointers_to(words);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw error(path.string() + ": " + std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (quiet) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    execv(path.c_str(), pointers.data());
    _exit(not_there);
  }
  close(ends[1]);
  program_output out{.text = child < 0 ? "" : read_all(ends[0])};
  close(ends[0]);
  int status = 0;
  if (child < 0) throw error(path.string() + ": " + std::strerror(errno));
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) throw error(path.string() + ": " + std::strerror(errno));
  }
  if (!WIFEXITED(status)) throw error(path.string() + " ended by a signal");
  out.code = WEXITSTATUS(status);
  if (out.code == not_there) throw no_program(path, "can't be run");
  return out;
}

}  // namespace warpfold::cli
