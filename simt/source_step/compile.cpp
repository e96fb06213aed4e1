#include "compile.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "constructors.hpp"
#include "diagnostics.hpp"
#include "heads.hpp"
#include "markers.hpp"
#include "rewrite.hpp"
#include "scratch.hpp"
#include "sides.hpp"
#include "text_lines.hpp"
#include "two_sides.hpp"

namespace simt::source_step {

namespace {

std::vector<char*> pointers(words& command) {
  std::vector<char*> argv;
  for (auto& w : command) argv.push_back(w.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

int run(words command, const std::string& messages) {
  auto argv = pointers(command);
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!messages.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
  const int e = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (e != 0) {
    std::fprintf(stderr, "warpfold-source-step: %s: %s\n", command[0].c_str(), std::strerror(e));
    return 127;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) throw refusal("warpfold-source-step: " + path + ": can't be read");
  return text;
}

bool write_file(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return out.good();
}

void replace(const std::string& path, std::string_view text) {
  if (!write_file(path, text)) {
    throw refusal("warpfold-source-step: " + path + ": can't be written");
  }
}

namespace {

std::optional<std::string> line_of(std::string_view file, std::size_t number) {
  std::ifstream in{std::string(file)};
  std::string line;
  while (number-- > 0) {
    if (!std::getline(in, line)) return {};
  }
  return line;
}

/// A compiler's command, taken apart.
struct parts {
  std::string source, object;
  words dependencies;  // what to write about them
  words options;       // all else, the compiler in front

  explicit parts(const words& command) {
    for (std::size_t i = 0; i < command.size(); ++i) {
      const std::string& w = command[i];
      const bool has_next = i + 1 < command.size();
      if (w == "-c" && has_next) {
        source = command[++i];
      } else if (w == "-o" && has_next) {
        object = command[++i];
      } else if (w == "-MD" || w == "-MMD" || w == "-MP") {
        dependencies.push_back(w);
      } else if ((w == "-MT" || w == "-MF" || w == "-MQ") && has_next) {
        dependencies.insert(dependencies.end(), {w, command[++i]});
      } else {
        options.push_back(w);
      }
    }
  }
};

/// The options less those that are only about C++.
words without_headers(const words& options) {
  words rest;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& w = options[i];
    if (w == "-Xclang" || w == "-include" || w == "-isystem" || w == "-x") {
      ++i;
    } else if (!w.starts_with("-std=")) {
      rest.push_back(w);
    }
  }
  return rest;
}

words joined(words first, const words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The options that matter to a preprocessed text, the compiler in front.
words for_preprocessed(const words& options) {
  words rest;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& w = options[i];
    const bool has_value =
        w == "-include" || w == "-isystem" || w == "-x" || w == "-mllvm" || w == "-I" || w == "-D";
    if (has_value) ++i;
    const bool of_files = w.starts_with("-I") || w.starts_with("-D") || w.starts_with("-U") ||
                          w.starts_with("-isystem") || w.find("-prefix-map=") != npos ||
                          w.find("plugin=") != npos || w == "-fcolor-diagnostics";
    if (!has_value && !of_files) rest.push_back(w);
  }
  return rest;
}

/// Takes the head off that the compiler finds parsed: returns the options for that. None: the text
/// stays whole.
words take_head(std::string& text, const words& options) {
  const words parse =
      joined(for_preprocessed(options), {"-Qunused-arguments", "-x", "c++-cpp-output"});
  const auto ends = ends_of_heads(text);
  for (const std::size_t end : ends) {
    parted_text parted = parted_at(text, end);
    const words found =
        options_for_head(parse, parted.head,
                         end == ends.back() ? head_use::every_file : head_use::if_it_comes_again);
    if (found.empty()) continue;
    text = std::move(parted.tail);
    return found;
  }
  return {};
}

/// A C++ source's first header by option, as it is found parsed.
words with_header(const words& translate) {
  const auto at = std::find(translate.begin(), translate.end(), "-include");
  if (at == translate.end() || at + 1 == translate.end()) return translate;
  words rest(translate.begin(), at), parse;
  rest.insert(rest.end(), at + 2, translate.end());
  const auto has = [&](const char* w) {
    return std::find(rest.begin(), rest.end(), w) != rest.end();
  };
  if (has("-include") || has("-include-pch") || *(at - 1) == "-Xclang") return translate;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::string& w = rest[i];
    const bool has_value = w == "-mllvm" || w == "-o" || w == "-x";
    const bool of_code = has_value || w == "-c" || w == "-emit-llvm" || w.find("plugin=") != npos ||
                         w == "-fcolor-diagnostics";
    if (has_value) ++i;
    if (!of_code) parse.push_back(w);
  }
  const words found = options_for_header(
      joined(std::move(parse), {"-Qunused-arguments", "-x", "c++-header"}), at[1]);
  return found.empty() ? translate : joined(std::move(rest), found);
}

}  // namespace

const words& macros_of_nvcc() {
  static const words macros{"-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",
                            "-D__CUDACC_VER_BUILD__=88"};
  return macros;
}

words macros_of_cuda(const words& command) {
  constexpr std::string_view asks = "-DSIMT_CUDA_ARCH=";
  const auto asked = std::find_if(command.begin(), command.end(),
                                  [=](const std::string& w) { return w.starts_with(asks); });
  const std::string architecture = asked != command.end() ? asked->substr(asks.size()) : "900";
  return joined({"-D__SIMT__=1", "-D__CUDACC__=1", "-D__CUDA_ARCH__=" + architecture},
                macros_of_nvcc());
}

int compile(const words& command) {
  const parts p(command);
  if (p.source.empty() || p.object.empty()) {
    std::fprintf(stderr, "warpfold-source-step: expected a command with -o FILE and -c FILE\n");
    return 2;
  }
  const auto has = [&](const char* w) {
    return std::find(command.begin(), command.end(), w) != command.end();
  };
  scratch_file text, optimised;
  words translate = joined(p.options, {"-c"});
  const bool is_quick = has("-DSIMT_QUICK_CODE=1");
  if (is_quick) {
    optimised.path = p.object + ".simt.bc";
    translate.emplace_back("-emit-llvm");
  }
  translate.insert(translate.end(), {"-o", is_quick ? optimised.path : p.object});
  std::string rewritten;
  if (has("-DSIMT_CUDA_SOURCE")) {
    text.path = p.object + ".simt.ii";
    const words preprocess =
        joined(joined(p.options, macros_of_cuda(command)), {"-E", p.source, "-o", text.path});
    if (const int status = run(joined(preprocess, p.dependencies)); status != 0) return status;
    std::string device = contents(text.path), host;
    const bool differ = asks_for_side(device);
    if (differ) {
      if (const int status = run(joined(preprocess, {"-U__CUDA_ARCH__"})); status != 0)
        return status;
      host = contents(text.path);
    }
    if (!check_sides(p.options, device, differ ? host : device, p.object)) return 1;
    if (differ) {
      std::string warnings;
      device = for_two_sides(device, host, warnings);
      std::fputs(warnings.c_str(), stderr);
    }
    rewritten =
        rewrite(device, has("-DSIMT_WHOLE_PROGRAM") ? device_code::of_file : device_code::shared);
    translate = joined(joined(std::move(translate), take_head(rewritten, p.options)),
                       {"-Qunused-arguments", "-x", "c++-cpp-output", text.path});
    replace(text.path, rewritten);
  } else {
    translate = joined(joined(with_header(translate), p.dependencies), {p.source});
  }
  scratch_file messages;
  if (!text.path.empty()) messages.path = p.object + ".simt.said";
  if (isatty(STDERR_FILENO) == 1) translate.emplace_back("-fcolor-diagnostics");
  const int translated = run(translate, messages.path);
  if (!messages.path.empty()) {
    std::string said = contents(messages.path);
    const std::string warnings = warnings_of_constructors(said, rewritten);
    std::fputs(with_lines_as_written(said, line_of).c_str(), stderr);
    if (!has("-w")) std::fputs(warnings.c_str(), stderr);
  }
  if (translated != 0) return translated;
  const auto rule = std::find(p.dependencies.begin(), p.dependencies.end(), "-MF");
  if (text.path.empty() && rule != p.dependencies.end() && access(rule[1].c_str(), R_OK) == 0) {
    replace(rule[1], without_heads(contents(rule[1])));
  }
  if (!is_quick) return 0;
  // What the back end makes code of is optimised.
  return run(joined(without_headers(p.options),
                    {"-O0", "-Xclang", "-disable-llvm-passes", "-Qunused-arguments", "-x", "ir",
                     "-c", optimised.path, "-o", p.object}));
}

}  // namespace simt::source_step
