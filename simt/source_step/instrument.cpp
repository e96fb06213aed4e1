#include "instrument.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <vector>

#include "instruction.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

bool is_of_standard_library(view function) {
  constexpr std::array<view, 7> begins{"_ZNSt",  "_ZNKSt",        "_ZSt",          "_ZNSa",
                                       "_ZNKSa", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};
  return std::any_of(begins.begin(), begins.end(),
                     [&](view begin) { return function.starts_with(begin); });
}

/// Of a line that defines an inline function of the standard library; else "".
view inline_function(view line) {
  if (!line.starts_with("define linkonce_odr ")) return {};
  const view name = name_at(line, line.find('@'));
  return is_of_standard_library(name) ? name : view();
}

/// " comdat" or " comdat($name)" behind `from`: where it stands and how long it is.
view comdat_in(view line, std::size_t from) {
  const auto at = line.find(" comdat", from);
  if (at == npos) return {};
  const auto end = at + view(" comdat").size();
  return line.substr(at, (line.substr(end, 1) == "(" ? line.find(')', end) + 1 : end) - at);
}

std::string without(view line, view comdat) {
  if (comdat.empty()) return std::string(line);
  auto at = static_cast<std::size_t>(comdat.data() - line.data());
  const view rest = line.substr(at + comdat.size());
  if (line[at - 1] == ',') --at;  // of a variable
  return std::string(line.substr(0, at)).append(rest);
}

/// Comdat groups of functions that stay in the file.
std::set<view> groups_kept(view text) {
  std::set<view> groups;
  for_each_line(text, [&](view line) {
    const view function = inline_function(line);
    if (function.empty()) return;
    const view comdat = comdat_in(line, line.find(function));
    const auto named = comdat.find('$');
    groups.insert(named == npos ? function : name_at(comdat, named));
  });
  return groups;
}

std::string as_internal(view line) {
  std::string out = without(line, comdat_in(line, line.find(inline_function(line))));
  const auto name = out.find('@');
  std::string head = out.substr(0, name);
  for (const view word : {"linkonce_odr ", "dso_local ", "hidden ", "protected "}) {
    if (const auto at = head.find(word); at != std::string::npos) head.erase(at, word.size());
  }
  head.insert(view("define ").size(), "internal ");
  return head + out.substr(name);
}

unsigned number_in(view text) {
  unsigned number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

unsigned alignment_of(view argument) {
  constexpr view word = " align ";
  const auto at = argument.find(word);
  return at == npos ? 1 : number_in(argument.substr(at + word.size()));
}

struct hooks {
  std::string pointer;              // its type, once one is used
  bool copy = false, fill = false;  // the file declares it itself
  std::set<std::string> parts;      // declarations
  unsigned odd = 0;                 // accesses that the compiler's callbacks leave out
};

/// Of a number, a pointer or a vector; 0: of anything else.
unsigned bits_of(view type) {
  if (type.starts_with("<")) {
    const auto element = type.find(" x ");
    return element == npos ? 0 : number_in(type.substr(1)) * bits_of(type.substr(element + 3));
  }
  if (type.find('*') != npos || type.starts_with("ptr") || type.starts_with("double")) return 64;
  if (type.starts_with("i")) return number_in(type.substr(1));
  if (type.starts_with("x86_fp80")) return 80;
  if (type.starts_with("float")) return 32;
  return type.starts_with("half") || type.starts_with("bfloat") ? 16 : 0;
}

/// The call that tells of an access of so many bytes that the compiler has no callback for it:
/// three of a bit-field, the 32 of a vector. Else "".
std::string told_of_odd(view line, hooks& used) {
  const bool stores = line.starts_with("  store ");
  const auto load = line.find(" = load ");
  if (!stores && load == npos) return {};
  view access = line.substr(stores ? view("  store ").size() : load + view(" = load ").size());
  if (access.starts_with("volatile ")) access.remove_prefix(view("volatile ").size());
  std::size_t end = 0;
  const std::string list = "(" + std::string(access) + ")";
  const auto operands = arguments_at(list, 0, end);
  const unsigned bytes = (bits_of(operands[0]) + 7) / 8;
  if (bytes == 0 || (bytes <= 16 && (bytes & (bytes - 1)) == 0)) return {};
  std::string pointer(operands[1]), call;
  const auto position = line.find(", !dbg ");
  const std::string behind(
      position == npos ? view() : line.substr(position, line.find(',', position + 1) - position));
  std::string type = "ptr";
  if (!pointer.starts_with(type)) {
    type = "i8*";
    const std::string name = "%simt.odd." + std::to_string(used.odd++);
    call = "  " + name + " = bitcast " + pointer + " to i8*" + behind + "\n";
    pointer = "i8* " + name;
  }
  const std::string hook = stores ? "@simt_store_parts(" : "@simt_load_parts(";
  used.parts.insert("declare void " + hook + type + ", i32, i32)");
  const unsigned width = std::min(16U, alignment_of(line));
  return call + "  call void " + hook + pointer + ", i32 " + std::to_string(bytes) + ", i32 " +
         std::to_string(width) + ")" + behind + "\n";
}

/// A callback for an access that may lie at an address that is no multiple of its size, as the call
/// of the machine that tells of it in parts: the optimiser makes one of several small accesses, and
/// a device would not. `next` is the access.
std::string told_in_parts(view line, view next, hooks& used) {
  constexpr view name = "call void @__sanitizer_cov_";
  const auto at = line.find(name);
  if (at == npos) return std::string(line);
  const view rest = line.substr(at + name.size());  // load4(i32* %p)
  const auto open = rest.find('(');
  const bool loads = rest.starts_with("load");
  const unsigned bytes = number_in(rest.substr(loads ? 4 : 5, open));
  const bool is_access = next.find(loads ? " load " : " store ") != npos ||
                         next.starts_with(loads ? "load " : "store ");
  const unsigned width = is_access ? alignment_of(next) : bytes;
  if (width >= bytes) return std::string(line);
  const std::string hook = "@simt_" + std::string(rest.substr(0, open)) + "_parts";
  const auto end = line.rfind(')');
  used.parts.insert("declare void " + hook + "(" +
                    std::string(rest.substr(open + 1, rest.find(' ', open) - open - 1)) + ", i32)");
  return std::string(line.substr(0, at)) + "call void " + hook +
         std::string(line.substr(at + name.size() + open, end - at - name.size() - open)) +
         ", i32 " + std::to_string(width) + std::string(line.substr(end));
}

/// A call that copies or fills, as a call of the machine's; else the line as it is.
std::string told(view line, hooks& used) {
  constexpr unsigned widest = 16;
  for (const view name : {"llvm.memcpy.", "llvm.memmove.", "llvm.memset."}) {
    const auto at = line.find("call void @" + std::string(name));
    if (at == npos) continue;
    const auto callee = line.find('@', at);
    const auto open = line.find('(', callee);
    std::size_t end = 0;
    const auto arguments = arguments_at(line, open, end);
    const bool whole =
        arguments.size() == 4 && arguments[2].starts_with("i64 ") && arguments[3] == "i1 false";
    if (!whole) break;
    const bool fills = name == "llvm.memset.";
    unsigned width = std::min(widest, alignment_of(arguments[0]));
    if (!fills) width = std::min(width, alignment_of(arguments[1]));
    std::string second(arguments[1]);
    if (fills) second.insert(2, " zeroext");  // i8
    used.pointer = arguments[0].substr(0, arguments[0].find(' '));
    return std::string(line.substr(0, callee)) + (fills ? "@simt_fill(" : "@simt_copy(") +
           std::string(arguments[0]) + ", " + second + ", " + std::string(arguments[2]) + ", i32 " +
           std::to_string(width) + ")" + std::string(line.substr(end));
  }
  return std::string(line);
}

}  // namespace

std::string instrument(view text) {
  const std::set<view> kept = groups_kept(text);
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  std::size_t body = npos;  // where the function begins in `text`; none
  hooks used;
  const auto add = [&](view line) { out.append(line).append("\n"); };
  for_each_line(text, [&](view line) {
    const auto at = static_cast<std::size_t>(line.data() - text.data());
    if (body == npos && line.starts_with("define ")) {
      body = at + line.size();
      inline_function(line).empty() ? add(line) : add(as_internal(line));
    } else if (line == "}") {
      const view function = text.substr(body, at - body);
      const bool watched = function.find(guard_call) != npos;
      view last;
      const auto pass_on = [&](view next) {
        if (last.data() != nullptr) {
          if (watched) out += told_of_odd(last, used);
          add(watched ? told(told_in_parts(last, next, used), used) : std::string(last));
        }
        last = next;
      };
      for_each_line(function.substr(1), pass_on);
      pass_on({});
      add(line);
      body = npos;
    } else if (body != npos) {
      return;  // once the whole function is known
    } else if (line.starts_with("$") && kept.contains(name_at(line, 0))) {
      return;
    } else if (line.starts_with("@")) {
      const view comdat = comdat_in(line, 0);
      const auto named = comdat.find('$');
      const bool goes = named != npos && kept.contains(name_at(comdat, named));
      add(goes ? without(line, comdat) : std::string(line));
    } else {
      if (line.starts_with("declare ")) {
        used.copy |= line.find("@simt_copy(") != npos;
        used.fill |= line.find("@simt_fill(") != npos;
      }
      add(line);
    }
  });
  if (const std::string& p = used.pointer; !p.empty()) {
    if (!used.copy) add("declare void @simt_copy(" + p + ", " + p + ", i64, i32)");
    if (!used.fill) add("declare void @simt_fill(" + p + ", i8 zeroext, i64, i32)");
  }
  for (const auto& declaration : used.parts) add(declaration);
  return out;
}

}  // namespace simt::source_step
