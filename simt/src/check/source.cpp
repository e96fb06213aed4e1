// The kernels' line tables are read by the symbolizer that is here.
#include "simt/src/check/source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simt/src/memory/symbols.hpp"
#include "simt/src/run/basic_blocks.hpp"

namespace simt::detail {

namespace {

source_place parse(std::string line) {
  if (const auto space = line.find(" ("); space != std::string::npos) line.resize(space);
  // file:line, or file:line:column.
  std::array<std::string, 3> parts;
  std::size_t last = 0;
  for (; last < 2; ++last) {
    const auto colon = line.rfind(':');
    if (colon == std::string::npos || colon + 1 == line.size() ||
        line.find_first_not_of("0123456789?", colon + 1) != std::string::npos) {
      break;
    }
    parts[last] = line.substr(colon + 1);
    line.resize(colon);
  }
#ifdef SIMT_SHARED_ROOT  // objects that clones share name none of them, and this is built in each
  if (constexpr std::string_view shared = "/warpfold/"; line.starts_with(shared)) {
    line.replace(0, shared.size() - 1, SIMT_SHARED_ROOT);
  }
#endif
  return {.file = line,
          .line = last == 0 ? 0 : std::atoi(parts[last - 1].c_str()),
          .column = last == 2 ? std::atoi(parts[0].c_str()) : 0};
}

/// Starts a program as no child of this process: a process between the two starts it and ends. It
/// shares this one's memory, which waits meanwhile: where no process may be copied, it works too.
class orphan {
 public:
  orphan(const std::vector<std::string>& words, int input_and_output) {
    for (const std::string& w : words) words_.push_back(const_cast<char*>(w.c_str()));
    words_.push_back(nullptr);
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input_and_output, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, input_and_output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::byte> stack(stack_bytes);
    const pid_t between =
        clone(start, stack.data() + stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, this);
    while (between > 0 && waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
    posix_spawn_file_actions_destroy(&actions_);
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{256} << 10;

  static int start(void* self) {
    auto& o = *static_cast<orphan*>(self);
    pid_t process = 0;
    return posix_spawnp(&process, o.words_.front(), &o.actions_, nullptr, o.words_.data(), environ);
  }

  std::vector<char*> words_;
  posix_spawn_file_actions_t actions_{};
};

using places = std::unordered_map<std::uintptr_t, source_place>;

/// A process that answers questions about a module as long as this one lives. It is no child of
/// this one, which may wait for all its children.
class symbolizer {
 public:
  symbolizer(const std::string& tool, const std::string& path) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    orphan({tool, "-a", "-f", "-C", "-i", "-e", path}, ends[1]);
    close(ends[1]);
    answers_.reset(fdopen(ends[0], "r"));
    if (!answers_) close(ends[0]);
  }

  /// False when the tool is not here, or no more.
  bool ask(const module& m, std::span<const std::uintptr_t> positions, places& found) {
    constexpr std::size_t at_once = 1024;  // that the socket holds
    for (; !positions.empty(); positions = positions.subspan(std::min(at_once, positions.size()))) {
      if (!ask_few(m, positions.first(std::min(at_once, positions.size())), found)) return false;
    }
    return true;
  }

 private:
  struct closed {
    void operator()(FILE* file) const { fclose(file); }
  };
  std::unique_ptr<FILE, closed> answers_;

  bool send_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fileno(answers_.get()), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return false;
      text.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
    }
    return true;
  }

  bool ask_few(const module& m, std::span<const std::uintptr_t> positions, places& found) {
    if (!answers_) return false;
    std::string questions;
    for (const auto p : positions) {
      std::array<char, 32> number{};
      std::snprintf(number.data(), number.size(), "0x%zx\n",
                    static_cast<std::size_t>(p - m.base - 1));
      questions += number.data();
    }
    if (!send_all(questions + "0x0\n")) return false;  // no code is there: its answer is the end
    char* text = nullptr;
    std::size_t room = 0;
    std::uintptr_t at = 0;
    bool name_next = false, innermost = false, ended = false;
    while (!ended && getline(&text, &room, answers_.get()) > 0) {
      std::string line(text);
      while (!line.empty() && line.back() == '\n') line.pop_back();
      if (line.starts_with("0x")) {
        at = std::strtoul(line.c_str(), nullptr, 16) + m.base + 1;
        name_next = innermost = true;
      } else if (!line.empty()) {
        name_next = !name_next;
        if (!name_next) continue;  // that was the function
        ended = at == m.base + 1;
        if (ended) continue;
        const source_place here = parse(line);
        source_place& place = found[at];
        const bool is_callers = innermost ? here.line == 0 : place.is_callers;
        if (here.line != 0 && (place.line == 0 || is_machine(place.file))) {
          place.file = here.file;
          place.line = here.line;
          place.column = here.column;
        }
        place.is_callers = is_callers;
        if (place.outer_line == 0 && !is_machine(here.file) && !is_library(here.file)) {
          place.outer_file = here.file;
          place.outer_line = here.line;
          place.outer_column = here.column;
        }
        innermost = false;
      }
    }
    std::free(text);
    return ended;
  }
};

void ask_any(const module& m, const std::vector<std::uintptr_t>& positions, places& known) {
  if (positions.empty()) return;
  // Asked when the program has ended, too.
  static auto& symbolizers = *new std::map<std::pair<pid_t, std::string>, symbolizer>;
  const auto key = std::pair(getpid(), m.path);  // one who forks must not answer for the other
  if (const auto here = symbolizers.find(key); here != symbolizers.end()) {
    if (here->second.ask(m, positions, known)) return;
    symbolizers.erase(here);
  }
  for (const char* tool : {"llvm-symbolizer", "llvm-symbolizer-14", "addr2line"}) {
    symbolizer one(tool, m.path);
    if (!one.ask(m, positions, known)) continue;
    symbolizers.emplace(key, std::move(one));
    return;
  }
}

/// Where the compiler puts registers aside at a block's begin, those instructions have no line, and
/// neither has what it made of several: the first one behind them that has is taken.
void look_into_blocks(const module& m, std::vector<std::uintptr_t> blocks, places& known) {
  constexpr unsigned farthest = 64, step = 4, at_once = 4 * step;
  for (unsigned from = step; from <= farthest && !blocks.empty(); from += at_once) {
    std::vector<std::uintptr_t> asked;
    for (const auto p : blocks) {
      for (unsigned at = from; at < from + at_once; at += step) asked.push_back(p + at);
    }
    places found;
    ask_any(m, asked, found);
    std::erase_if(blocks, [&](std::uintptr_t p) {
      for (unsigned at = from; at < from + at_once; at += step) {
        const source_place& place = found[p + at];
        if (place.line != 0 && !place.is_callers && !is_machine(place.file)) {
          known[p] = place;
          return true;
        }
      }
      return false;
    });
  }
}

std::string function_at(std::uintptr_t position) {
  const symbol function = symbol_at(position);
  if (function.name.empty()) return "(no name)";
  return function.name + "+" + std::to_string(position - function.begin);
}

}  // namespace

// Their frames stand for the kernel's line that called them.
bool is_machine(std::string_view file) {
  return file.find("include/simt/") != std::string_view::npos ||
         file.ends_with("warpfold/platform.hpp");
}

bool is_library(std::string_view file) {
  return file.find("include/warpfold/") != std::string_view::npos;
}

std::unordered_map<std::uintptr_t, source_place> source_places(
    const std::vector<std::uintptr_t>& positions) {
  static std::mutex mutex;
  // A report may be written when the program has ended.
  static auto& known = *new places;
  const std::scoped_lock lock(mutex);
  std::map<std::string, std::pair<module, std::vector<std::uintptr_t>>> asked;
  for (const auto p : positions) {
    if (known.contains(p)) continue;
    const module m = module_of(p);
    auto& [of, list] = asked[m.path];
    of = m;
    if (std::find(list.begin(), list.end(), p) == list.end()) list.push_back(p);
  }
  for (const auto& [path, question] : asked) {
    const auto& [of, list] = question;
    ask_any(of, list, known);
    std::vector<std::uintptr_t> blocks;
    for (const auto p : list) {
      const bool unknown = known[p].line == 0 || known[p].is_callers;
      if (unknown && (begins_block(p) || is_machine(known[p].file))) blocks.push_back(p);
    }
    look_into_blocks(of, std::move(blocks), known);
    for (const auto p : list) {
      if (known[p].line == 0) known[p] = {.file = function_at(p)};
    }
  }
  return known;
}

namespace {

/// Whether the user knows the file.
bool is_users(const source_place& at) {
  const std::string_view file = at.outer_file;
  return at.outer_line != 0 && !file.starts_with("/usr/") &&
         file.find("/csu/") == std::string_view::npos &&  // of the C library: calls main
         !file.starts_with("../sysdeps/") && file.find("/simt/src/") == std::string_view::npos &&
         file.find("/simt/cudart/") == std::string_view::npos;
}

}  // namespace

std::vector<finding_side> sides_of(const call_stack& from, const std::string& doing) {
  constexpr std::size_t most = 2;
  std::vector<std::uintptr_t> positions;
  for (const std::uintptr_t p : from) {
    if (p != 0) positions.push_back(p);
  }
  const auto places = source_places(positions);
  std::vector<finding_side> sides;
  for (const std::uintptr_t p : positions) {
    const source_place& at = places.at(p);
    if (!is_users(at) || sides.size() == most) continue;
    sides.push_back({.file = at.outer_file,
                     .line = at.outer_line,
                     .column = at.outer_column,
                     .doing = sides.empty() ? doing : "calls it",
                     .threads = 0});
  }
  if (sides.empty()) {
    const std::string place = positions.empty() ? "(unknown line)" : places.at(positions[0]).file;
    sides.push_back({.file = place, .doing = doing, .threads = 0});
  }
  return sides;
}

std::vector<finding_side> sides_of_allocation(const allocation_site& site) {
  if (site.call == nullptr) return {};
  auto sides = sides_of(site.from, "allocates it with " + std::string(site.call));
  if (sides.front().line == 0) sides.clear();
  return sides;
}

}  // namespace simt::detail
