#include "positions.hpp"

#include <unordered_set>
#include <vector>

#include "instruction.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

/// The positions that are of no line.
std::unordered_set<view> unknown_positions(view text) {
  std::unordered_set<view> all;
  for_each_line(text, [&](view line) {
    const auto is = line.find(" = !DILocation(line: 0,");
    const auto again = line.find(" = distinct !DILocation(line: 0,");
    if (line.starts_with("!") && (is != npos || again != npos)) {
      all.insert(line.substr(0, line.find(' ')));
    }
  });
  return all;
}

/// "!7" of ", !dbg !7, …"; else "".
view position_of(view line) {
  constexpr view word = ", !dbg ";
  const auto at = line.rfind(word);
  if (at == npos) return {};
  const view name = line.substr(at + word.size());
  return name.substr(0, name.find_first_of(", "));
}

/// Whether the optimiser leaves the instruction where it is.
bool stays(view line) {
  if (line.find("@llvm.") != npos) return false;
  for (const view opcode : {"  call ", "= call ", "  tail call ", "= tail call ", "= load ",
                            "  store ", "  br ", "  ret ", "  switch ", "  unreachable"}) {
    const auto at = line.find(opcode);
    if (at != npos && (opcode[0] == '=' || at == 0)) return true;
  }
  return false;
}

class position_writer {
 public:
  explicit position_writer(view text) : unknown_(unknown_positions(text)) {}

  std::string run(view text) {
    std::string out;
    out.reserve(text.size());
    const auto flush = [&](view position) {
      for (const view line : held_) append(out, line, position);
      held_.clear();
    };
    for_each_line(text, [&](view line) {
      const bool is_guard = line.find(guard_call) != npos && line.starts_with("  ");
      if (is_guard || !line.starts_with("  ")) flush({});
      if (is_guard || !held_.empty()) {
        held_.push_back(line);
        const view position = position_of(line);
        const bool known = !position.empty() && !unknown_.contains(position);
        if (!is_guard && known && stays(line)) flush(position);
      } else {
        out.append(line).append("\n");
      }
    });
    flush({});
    return out;
  }

 private:
  /// The callback at `position`, if there is one; other lines as they are.
  static void append(std::string& out, view line, view position) {
    const view old = position_of(line);
    if (line.find(guard_call) == npos || position.empty() || old.empty()) {
      out.append(line).append("\n");
      return;
    }
    const auto at = static_cast<std::size_t>(old.data() - line.data());
    out.append(line.substr(0, at)).append(position);
    out.append(line.substr(at + old.size())).append("\n");
  }

  std::unordered_set<view> unknown_;
  std::vector<view> held_;  // from a block's callback on, while its line is not known
};

}  // namespace

std::string with_block_positions(view assembly) { return position_writer(assembly).run(assembly); }

}  // namespace simt::source_step
