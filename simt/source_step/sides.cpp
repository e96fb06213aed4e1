#include "sides.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "heads.hpp"
#include "markers.hpp"
#include "scratch.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](auto p) { return text.find(p) != std::string_view::npos; });
}

/// Which side the functions of a header are of that says nothing about it.
enum class side : std::uint8_t { host, both, device };

side side_of(std::string_view file, std::string_view headers) {
  if (!headers.empty() && file.starts_with(headers)) {
    const std::string_view name = file.substr(headers.size());
    if (name == "cuda.hpp") return side::device;  // __syncthreads, atomicAdd
    const bool about_calls = name.starts_with("runtime/memory.h") ||
                             contains_any(name, {"refused_calls", "graphics_calls"});
    return about_calls ? side::host : side::both;
  }
  // Of the C++ library, what nvcc takes on both sides: functions of <cmath>, move and forward.
  const bool both = contains_any(file, {"/bits/mathcalls", "/bits/std_abs.h", "/bits/specfun.h",
                                        "/bits/move.h", "/tr1/"}) ||
                    file.ends_with("/math.h") || file.ends_with("/cmath") ||
                    file.ends_with("/type_traits") || file.ends_with("/initializer_list") ||
                    // Else a parsed head loses the host's operator delete, and clang crashes.
                    file.ends_with("/new") ||
                    file.ends_with("/warpfold/platform/simt.hpp");  // no text of CUDA's, either
  return both ? side::both : side::host;
}

std::string_view begin_of(side s) {
  if (s == side::both) return "#pragma clang force_cuda_host_device begin\n";
  if (s == side::host) return "";
  return "#pragma clang attribute push(__attribute__((device)), apply_to = function)\n";
}
std::string_view end_of(side s) {
  if (s == side::both) return "#pragma clang force_cuda_host_device end\n";
  return s == side::host ? "" : "#pragma clang attribute pop\n";
}

/// Of clang's own errors in its CUDA mode, those that nvcc has, too.
constexpr std::array<std::string_view, 11> kinds{
    "must have void return type",
    "dynamic initialization is not supported for __device__",
    "__shared__ local variables not allowed in",
    "call to global function",
    "kernel call to non-global function",
    "cannot use 'throw' in",
    "cannot use 'try' in",
    "thread-local storage is not supported",
    "capture host variable",
    "must be a free function or static member",
    "cannot use thread_local"};

/// One of clang's: an error or a note, with the lines of text under it.
struct remark {
  std::string_view place, kind, message, under;
};

std::optional<remark> remark_of(std::string_view line) {
  for (const std::string_view kind : {"error", "fatal error", "warning", "note"}) {
    const std::string mark = ": " + std::string(kind) + ": ";
    const auto at = line.find(mark);
    if (at == npos) continue;
    return remark{line.substr(0, at), kind, line.substr(at + mark.size()), {}};
  }
  return std::nullopt;
}

/// All of them, each error before its notes.
std::vector<remark> remarks_of(std::string_view said) {
  std::vector<remark> all;
  for_each_line(said, [&](std::string_view line) {
    if (const auto r = remark_of(line)) {
      all.push_back(*r);
      all.back().under = {line.data() + line.size(), 0};
    } else if (!all.empty() && !line.starts_with("In file included from") &&
               line.find(" generated when compiling") == npos) {
      const char* const begin = all.back().under.data();
      all.back().under = {begin, static_cast<std::size_t>(line.data() + line.size() - begin)};
    }
  });
  return all;
}

/// `'name'` in a message, without its quotes.
std::string_view quoted(std::string_view message) {
  const auto open = message.find('\'');
  if (open == npos) return {};
  return message.substr(open + 1, message.find('\'', open + 1) - open - 1);
}

class judge {
 public:
  judge(std::string_view said, std::string_view headers)
      : remarks_(remarks_of(said)), headers_(headers) {}

  side_errors run() {
    for (std::size_t i = 0; i < remarks_.size();) {
      std::size_t end = i + 1;
      while (end < remarks_.size() && remarks_[end].kind == "note") ++end;
      if (remarks_[i].kind == "error") judge_error(i, end);
      i = end;
    }
    return std::move(all_);
  }

 private:
  [[nodiscard]] bool of_user(std::string_view place) const {
    const bool machine = !headers_.empty() && place.starts_with(headers_);
    return !machine && !place.starts_with("/usr/") && !place.starts_with("<") &&
           place.find(':') != npos;
  }

  static std::string_view file_of(std::string_view place) {
    return place.substr(0, place.find(':'));
  }

  static std::string not_allowed(std::string_view side, std::string_view name,
                                 std::string_view from) {
    return "calling the " + std::string(side) + " function '" + std::string(name) + "' from a " +
           std::string(from) + " is not allowed";
  }

  void say(const remark& r, std::string_view kind, std::string message) {
    const auto renamed = message.find("simt_syncthreads");
    if (renamed != std::string::npos) message.replace(renamed, 4, "_");
    all_.text += std::string(r.place) + ": " + std::string(kind) + ": " + message +
                 std::string(r.under) + '\n';
  }

  /// Whether the error is within an operand that is not evaluated: nvcc lets it name any function.
  static bool is_unevaluated(const remark& error) {
    const auto colon = error.place.rfind(':');
    const std::size_t column =
        std::strtoul(std::string(error.place.substr(colon + 1)).c_str(), nullptr, 10);
    const std::string_view line = error.under.substr(std::min<std::size_t>(1, error.under.size()));
    const std::string_view before = line.substr(0, std::min(line.find('\n'), column - 1));
    for (const std::string_view word : {"decltype(", "sizeof(", "noexcept(", "alignof("}) {
      const auto at = before.rfind(word);
      if (at == npos) continue;
      const std::string_view inside = before.substr(at);
      if (std::count(inside.begin(), inside.end(), '(') >
          std::count(inside.begin(), inside.end(), ')')) {
        return true;
      }
    }
    return false;
  }

  /// An error and its notes, which end before `end`.
  void judge_error(std::size_t at, std::size_t end) {
    const remark& error = remarks_[at];
    if (!of_user(error.place)) return;
    if (error.message.find("deduction guide") != npos) return;  // nvcc's are of both sides
    if (is_unevaluated(error)) return;
    constexpr std::string_view call = "call to __";
    for (std::size_t n = at + 1; n < end; ++n) {
      const auto found = remarks_[n].message.find(call);
      if (found == npos) continue;
      return refuse_call(error, remarks_[n], remarks_[n].message.substr(found + 8));
    }
    if (error.message.starts_with("reference to __")) return judge_reference(error, at + 1, end);
    const bool known = std::any_of(kinds.begin(), kinds.end(),
                                   [&](auto k) { return error.message.find(k) != npos; });
    if (!known) return;
    ++all_.errors;
    say(error, "error", std::string(error.message));
  }

  /// `sides`: "__host__ function from __global__ function".
  void refuse_call(const remark& error, const remark& candidate, std::string_view sides) {
    // Instructions of the host's processor, for some of which clang takes the wrong side.
    if (sides.starts_with("__device__") && candidate.place.find("/lib/clang/") != npos) return;
    // A template of another file calls it in many places: the first says enough.
    if (file_of(error.place) != file_of(candidate.place)) {
      if (std::find(called_.begin(), called_.end(), candidate.place) != called_.end()) return;
      called_.push_back(candidate.place);
    }
    const auto from = sides.find(" function from ");
    ++all_.errors;
    say(error, "error",
        not_allowed(sides.substr(0, from), quoted(error.message), sides.substr(from + 15)));
    say(candidate, "note", "it is declared here");
  }

  void judge_reference(const remark& error, std::size_t note, std::size_t end) {
    const std::string_view m = error.message;
    const bool variable = m.find(" variable ") != npos,
               of_both = m.ends_with("__ __device__ function");
    if (m.starts_with("reference to __global__")) return;         // launched from a kernel
    if (variable && m.ends_with("in __host__ function")) return;  // its address, most often
    // nvcc takes it that a function of both sides calls one of the host: with a warning.
    const bool taken = of_both && !variable && m.starts_with("reference to __host__");
    if (!taken) ++all_.errors;
    const auto side_end = m.find(" function "), in = m.find(" in ");
    say(error, taken ? "warning" : "error",
        variable ? std::string(m)
                 : not_allowed(m.substr(13, side_end - 13), quoted(m), m.substr(in + 4)));
    for (; note < end; ++note) {
      if (of_user(remarks_[note].place))
        say(remarks_[note], "note", std::string(remarks_[note].message));
    }
  }

  std::vector<remark> remarks_;
  std::vector<std::string_view> called_;  // where such functions are declared
  std::string headers_;
  side_errors all_;
};

/// How clang is called for the check, without files.
words parse_command(const words& options, std::string_view text) {
  const bool relaxed =
      std::find(options.begin(), options.end(), "-D__CUDACC_RELAXED_CONSTEXPR__") !=
          options.end() ||
      text.find("simt/cuda_std.hpp\"") != npos;  // there the host's library is the device's
  words command{options[0]};
  for (std::size_t i = 1; i < options.size(); ++i) {
    const std::string& w = options[i];
    const bool about_target = w.starts_with("-m") && w != "-mllvm";
    if (w.starts_with("-std=") || w.starts_with("-fopenmp") || w.starts_with("--target=") ||
        w.starts_with("-stdlib=") || w == "-fdeclspec" || about_target) {
      command.push_back(w);
    }
    if (w == "-mllvm") ++i;
  }
  // Whether a toolkit is here changes nothing: clang takes launches to be those of CUDA 9.2 and
  // newer by the version alone.
  command.insert(
      command.end(),
      {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "--cuda-path=/dev/null",
       "-Xclang", "-target-sdk-version=11.0", "-w", "-ferror-limit=0", "-fno-color-diagnostics",
       "-Qunused-arguments", "-Xclang", "-fcuda-allow-variadic-functions"});
  if (!relaxed) command.insert(command.end(), {"-Xclang", "-fno-cuda-host-device-constexpr"});
  return command;
}

/// A word that clang's CUDA mode does not know where nvcc does.
void blank(std::string& text, std::string_view word) {
  for (auto at = text.find(word); at != npos; at = text.find(word, at + word.size())) {
    const auto before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    if (before == npos || std::string_view("(,_").find(text[before]) == npos) {
      text.replace(at, word.size(), word.size(), ' ');
    }
  }
}

}  // namespace

parted_text with_sides(std::string_view preprocessed, std::size_t end) {
  const std::string_view headers = headers_of(preprocessed);
  parted_text parted = parted_at(preprocessed, end);
  for (std::string* const text : {&parted.head, &parted.tail}) {
    blank(*text, "__noinline__");
    std::string sided;
    side current = side::host;
    for_each_line(*text, [&](std::string_view line) {
      const auto m = marker_of(line);
      const side next = m ? side_of(m->file, headers) : current;
      if (next != current) sided.append(end_of(current)).append(begin_of(next));
      current = next;
      sided.append(line).push_back('\n');
    });
    *text = sided.append(end_of(current));
  }
  parted.head +=
      "extern \"C\" int __cudaPushCallConfiguration(dim3, dim3 = 1, __SIZE_TYPE__ = 0, "
      "void* = nullptr);\n";
  return parted;
}

side_errors errors_about_sides(std::string_view said, std::string_view headers) {
  return judge(said, headers).run();
}

namespace {

/// Whether the user's files have the word.
bool has_functions_of_device(std::string_view text) {
  const std::string_view headers = headers_of(text);
  bool of_user = true, found = false;
  for_each_line(text.substr(end_of_head(text)), [&](std::string_view line) {
    const auto m = marker_of(line);
    if (m) of_user = !m->system && !m->file.starts_with(headers);
    found |= of_user && line.find("__device__") != npos;
  });
  return found;
}

/// Whether clang says nothing about sides in this text.
bool passes(words command, std::string_view preprocessed, const std::string& scratch) {
  const std::string_view headers = headers_of(preprocessed);
  const std::string words_of_cuda = std::string(headers) + "sides.hpp";
  const std::string first = "# 1 \"" + words_of_cuda + "\"\n" + contents(words_of_cuda);
  const auto ends = ends_of_heads(preprocessed);
  std::string text = first + std::string(preprocessed);
  for (const std::size_t end : ends) {
    parted_text parted = with_sides(preprocessed, end);
    parted.head.insert(0, first);
    const words head =
        options_for_head(command, parted.head,
                         end == ends.back() ? head_use::every_file : head_use::if_it_comes_again);
    text = head.empty() ? parted.head + parted.tail : std::move(parted.tail);
    if (head.empty()) continue;
    command.insert(command.end(), head.begin(), head.end());
    break;
  }
  const scratch_file parsed{scratch + ".sides.cu"}, said{scratch + ".sides.txt"};
  replace(parsed.path, text);
  command.insert(command.end(), {"-fsyntax-only", parsed.path});
  if (run(command, said.path) == 0) return true;
  const side_errors found = errors_about_sides(contents(said.path), headers);
  std::fputs(found.text.c_str(), stderr);
  return found.errors == 0;
}

}  // namespace

bool check_sides(const words& options, std::string_view device, std::string_view host,
                 const std::string& scratch) {
  if (headers_of(device).empty()) return true;  // no text of CUDA's
  words command = parse_command(options, device);
  words on_device = command;
  on_device.insert(on_device.end(), {"-Xclang", "-fcuda-is-device"});
  if (!passes(on_device, device, scratch)) return false;
  // Who calls a function of the device by its full name shows where the host's code is compiled.
  return !has_functions_of_device(host) || passes(command, host, scratch);
}

}  // namespace simt::source_step
