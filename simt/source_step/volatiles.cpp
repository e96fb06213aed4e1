#include "volatiles.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "lockstep.hpp"
#include "polling.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;
constexpr view callee = "@_ZN4simt6detail13note_volatileEPVKv";
constexpr view polled_callee = "@_ZN4simt6detail11note_polledEPVKv";

/// "!7" behind `word`.
view name_behind(view line, view word) {
  const auto at = line.find(word);
  if (at == npos) return {};
  const view name = line.substr(at + word.size());
  return name.substr(0, name.find_first_of(", )"));
}

/// The names of the descriptions of functions that are the machine's.
std::unordered_set<view> functions_of_machine(view text) {
  std::unordered_set<view> files, functions;
  for_each_line(text, [&](view line) {
    if (line.starts_with("!") && line.find(" !DIFile(") != npos &&
        line.find("include/simt/") != npos) {
      files.insert(line.substr(0, line.find(' ')));
    }
  });
  for_each_line(text, [&](view line) {
    if (line.starts_with("!") && line.find(" !DISubprogram(") != npos &&
        files.contains(name_behind(line, "file: "))) {
      functions.insert(line.substr(0, line.find(' ')));
    }
  });
  return functions;
}

/// Where the first comma that stands in no bracket is.
std::size_t comma_in(view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == ',' && depth == 0) return at;
  }
  return text.size();
}

/// The pointer of a volatile load or store, with its type; else "".
view volatile_pointer(view line) {
  for (const view word : {" = load volatile ", "  store volatile "}) {
    const auto at = line.find(word);
    if (at == npos || !line.starts_with("  ")) continue;
    view rest = line.substr(at + word.size());  // what is stored, or its type, then where
    rest.remove_prefix(std::min(comma_in(rest) + 2, rest.size()));
    return rest.substr(0, comma_in(rest));
  }
  return {};
}

class volatile_writer {
 public:
  explicit volatile_writer(view text) : machine_(functions_of_machine(text)) {}

  std::string run(view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 64);
    bool watched = false;
    for_each_line(text, [&](view line) {
      if (line.starts_with("define ")) {
        const view function = name_behind(line, " !dbg ");
        watched = !function.empty() && !machine_.contains(function);
      } else if (line.starts_with("declare ")) {
        declared_ |= line.find(callee) != npos;
      } else if (const view pointer = watched ? volatile_pointer(line) : view(); !pointer.empty()) {
        out += note(pointer, name_behind(line, ", !dbg "));
      }
      out.append(line).append("\n");
    });
    if (!type_.empty() && !declared_) {
      out.append("declare void ").append(callee).append("(" + type_ + ")\n");
    }
    return out;
  }

 private:
  std::string note(view pointer, view position) {
    const std::string behind = position.empty() ? "\n" : ", !dbg " + std::string(position) + "\n";
    std::string out, argument(pointer);
    type_ = pointer.starts_with("ptr ") ? "ptr" : "i8*";
    if (type_ != "ptr") {
      const std::string name = "%simt.volatile." + std::to_string(count_++);
      out = "  " + name + " = bitcast " + argument + " to i8*" + behind;
      argument = "i8* " + name;
    }
    return out.append("  call void ").append(callee).append("(" + argument + ")" + behind);
  }

  std::unordered_set<view> machine_;
  std::string type_;  // of a pointer, once one is noted
  bool declared_ = false;
  std::size_t count_ = 0;
};

/// What is to be changed in a function's text: the callee of calls for loads that decide about
/// their loop; meetings at all others.
void note_accesses(view body, std::vector<edit>& edits) {
  if (body.find(callee) == npos) return;
  const control_flow f(body);
  std::vector<noted_access> others;
  std::vector<std::size_t> polls;
  for (std::size_t k = 0; k < f.blocks.size(); ++k) {
    const instruction* note = nullptr;
    for (const instruction& i : f.blocks[k].code) {
      if (i.opcode == "call" && i.has(callee)) note = &i;
      if (note == nullptr || !i.is({"load", "store"}) || !i.has(" volatile ")) continue;
      if (may_poll(i) && decides_loop(f, k, i)) {
        edits.push_back({note->rest.data() + note->rest.find(callee), callee.size(),
                         std::string(polled_callee)});
        polls.push_back(k);
      } else {
        others.push_back({k, note, &i});
      }
      note = nullptr;
    }
  }
  add_meetings(f, others, polls, edits);
}

}  // namespace

std::string with_noted_volatiles(view assembly) { return volatile_writer(assembly).run(assembly); }

std::string with_noted_polls(view assembly) {
  std::vector<edit> edits;
  view declaration;
  for (std::size_t at = 0, end = 0; (at = assembly.find("\ndefine ", end)) != npos;) {
    end = std::min(assembly.find("\n}\n", at), assembly.size());
    note_accesses(assembly.substr(at + 1, end + 1 - at), edits);
  }
  if (edits.empty()) return std::string(assembly);
  std::stable_sort(edits.begin(), edits.end(),
                   [](const edit& a, const edit& b) { return a.at < b.at; });
  for_each_line(assembly, [&](view line) {
    if (line.starts_with("declare ") && line.find(callee) != npos) declaration = line;
  });
  std::string out;
  const char* from = assembly.data();
  for (const edit& e : edits) {
    out.append(from, e.at).append(e.text);
    from = e.at + e.length;
  }
  out.append(from, assembly.data() + assembly.size());
  if (out.find(polled_callee) != npos && assembly.find(polled_callee) == npos) {
    const auto name = declaration.find(callee);
    out.append(declaration.substr(0, name)).append(polled_callee);
    out.append(declaration.substr(name + callee.size())).append("\n");
  }
  return out.append(declared_meetings(out));
}

}  // namespace simt::source_step
