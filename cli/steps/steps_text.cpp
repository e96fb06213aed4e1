#include "cli/steps/steps_text.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/text.hpp"

namespace warpfold::cli {

namespace {

using ladder::step;
using ladder::step_array;
using ladder::step_cells;
using ladder::walkthrough;

constexpr std::size_t line_width = 140;
constexpr std::size_t most_cells_shown = 16;  // of one thread

/// "0–7", "0, 2, 4, … 14", "3": ascending numbers in short.
std::string ranges(const std::vector<unsigned>& n) {
  if (n.size() < 3) return fmt::format("{}", fmt::join(n, ", "));
  const unsigned gap = n[1] - n[0];
  bool even = true;
  for (std::size_t i = 1; i < n.size(); ++i) even &= n[i] - n[i - 1] == gap;
  if (even && gap == 1) return fmt::format("{}–{}", n.front(), n.back());
  if (even && n.size() > 4) return fmt::format("{}, {}, {}, … {}", n[0], n[1], n[2], n.back());
  std::string text;
  for (std::size_t i = 0; i < n.size();) {
    std::size_t end = i + 1;
    while (end < n.size() && n[end] == n[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end - i > 2
                ? fmt::format("{}–{}", n[i], n[end - 1])
                : fmt::format("{}", fmt::join(n.begin() + static_cast<std::ptrdiff_t>(i),
                                              n.begin() + static_cast<std::ptrdiff_t>(end), ", "));
    i = end;
  }
  return text;
}

/// Of each array: how far it is shown, and how wide its cells are.
class layout {
 public:
  explicit layout(const walkthrough& w) : w_(w), shown_(w.arrays.size()) {
    for (std::size_t a = 0; a < w.arrays.size(); ++a) look_at(a, w.arrays[a].cells);
    for (const step& s : w.steps) {
      for (const auto& after : s.after) look_at(after.array, after.cells);
    }
    std::size_t most = 0;
    for (const std::size_t n : shown_) most = std::max(most, n);
    per_line_ = 32;
    while (per_line_ > 1 && label_ + per_line_ * width_ > line_width) per_line_ /= 2;
    indexed_ = std::min(most, per_line_);
    if (most > per_line_) {
      label_ = std::max(label_, label_of((most - 1) / per_line_ * per_line_).size());
    }
  }

  [[nodiscard]] std::string indices() const {
    std::string line(label_, ' ');
    for (std::size_t i = 0; i < indexed_; ++i) line += fmt::format("{:>{}}", i, width_);
    return line + "\n";
  }

  /// The array's lines; `changed` are shown bright.
  [[nodiscard]] std::string rows(std::size_t array, const step_cells& cells,
                                 const std::set<std::size_t>& changed, bool color) const {
    const step_array& a = w_.arrays[array];
    std::string text;
    for (std::size_t from = 0; from < shown_[array]; from += per_line_) {
      text += padded(from == 0 ? a.name : label_of(from), label_);
      for (std::size_t i = from; i < std::min(from + per_line_, shown_[array]); ++i) {
        const std::string value = a.text(cells, i);
        const std::string blanks(width_ - measure::display_width(value), ' ');
        text += blanks + (color && changed.contains(i) ? "\x1b[1;32m" + value + "\x1b[0m" : value);
      }
      text += "\n";
    }
    const std::size_t hidden = cells.size() - std::min(cells.size(), shown_[array]);
    if (hidden > 0) text += padded("", label_) + fmt::format("  … and {} more\n", hidden);
    return text;
  }

 private:
  static std::string label_of(std::size_t from) { return fmt::format("  from {}", from); }

  static std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, measure::display_width(text)), ' ');
  }

  void look_at(std::size_t array, const step_cells& cells) {
    const step_array& a = w_.arrays[array];
    shown_[array] = std::max(shown_[array], shown_cells(w_, cells));
    label_ = std::max(label_, measure::display_width(a.name) + 2);
    for (std::size_t i = 0; i < shown_[array]; ++i) {
      width_ = std::max(width_, measure::display_width(a.text(cells, i)) + 2);
    }
  }

  const walkthrough& w_;
  std::vector<std::size_t> shown_;
  std::size_t label_ = 8, width_ = 4, per_line_ = 0, indexed_ = 0;
};

std::string cells_text(const walkthrough& w, const std::vector<ladder::step_cell>& cells,
                       std::size_t quiet) {
  std::string text;
  for (const auto& c : cells) {
    text += fmt::format("{}{}[{}]", text.empty() ? "" : " ",
                        c.array == quiet ? "" : w.arrays[c.array].name, c.index);
  }
  return text;
}

/// Words side by side, in as many lines as they need.
std::string wrapped(const std::vector<std::string>& words, std::size_t gap) {
  constexpr std::size_t indent = 8;
  std::string text, line;
  for (const std::string& word : words) {
    const std::size_t width = measure::display_width(line) + gap + measure::display_width(word);
    if (!line.empty() && indent + width > line_width) {
      text += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : std::string(gap, ' ')) + word;
  }
  return line.empty() ? text : text + std::string(indent, ' ') + line + "\n";
}

/// "0: [0] [8] → [0]": what each worker reads and writes. One that joins a single cell adds it to a
/// value that it holds in a register.
std::string moves_text(const walkthrough& w, const step& s) {
  std::vector<std::string> moves;
  for (const auto* m : s.workers()) {
    if (m->reads.size() + m->writes.size() > most_cells_shown) return {};
    const std::size_t quiet = m->reads.empty() ? ~std::size_t{0} : m->reads.front().array;
    moves.push_back(fmt::format("{}: {}{}{}", m->thread, adds_to_held(*m) ? "held " : "",
                                cells_text(w, m->reads, quiet),
                                m->writes.empty() ? "" : " → " + cells_text(w, m->writes, quiet)));
  }
  return wrapped(moves, 3);
}

/// The comparators of a step, and which of them changed places where that can be seen.
std::string comparators_text(const step& s) {
  std::vector<std::string> pairs, swapped;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  bool elsewhere = false;
  for (const auto* m : s.workers()) {
    const auto pair = m->applies ? m->joined() : std::nullopt;
    if (!pair || !seen.insert({pair->first.index, pair->second.index}).second) continue;
    pairs.push_back(fmt::format("{}:{}", pair->first.index, pair->second.index));
    if (m->went_elsewhere(pair->first.array)) {
      elsewhere = true;
    } else if (!m->writes.empty()) {
      swapped.push_back(pairs.back());
    }
  }
  if (pairs.empty()) return {};
  using ladder::step_direction;
  const char* const direction = s.direction == step_direction::smaller_first   ? ", smaller first"
                                : s.direction == step_direction::greater_first ? ", greater first"
                                : s.direction == step_direction::both          ? ", both ways"
                                                                               : "";
  std::vector<std::string> words{"compare"};
  words.insert(words.end(), pairs.begin(), pairs.end());
  words.back() += direction;
  if (!swapped.empty() || !elsewhere) {
    words.back() += ";";
    words.emplace_back("swapped");
    words.insert(words.end(), swapped.begin(), swapped.end());
    if (swapped.empty()) words.emplace_back("none");
  }
  return wrapped(words, 1);
}

}  // namespace

std::string heading_of(const walkthrough& w, const step& s) {
  std::vector<std::string> parts;
  if (s.number > 0) parts.push_back(fmt::format("step {}", s.number));
  if (w.launches > 1) parts.push_back(fmt::format("launch {}", s.launch + 1));
  const std::string pattern = pattern_text(w, s);
  if (!pattern.empty()) parts.push_back(pattern);
  parts.push_back(threads_text(s, w.many_blocks));
  if (!s.taken_by.empty()) parts.push_back(s.taken_by);
  if (s.conflicts > 0) parts.push_back(fmt::format("{} bank conflicts", s.conflicts));
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string threads_text(const step& s, bool many_blocks) {
  std::string text;
  std::vector<unsigned> threads;
  const auto workers = s.workers();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.push_back(workers[i]->thread);
    if (i + 1 < workers.size() && workers[i + 1]->block == workers[i]->block) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        threads.size() == 1 ? "thread" : "threads", ranges(threads));
    if (many_blocks) text += fmt::format(" of block {}", workers[i]->block);
    threads.clear();
  }
  return text;
}

namespace {

/// Whether every thread only puts back the cell that it read: there was nothing to join it with.
bool writes_what_it_read(const step& s) {
  return s.number == 0 && std::all_of(s.moves.begin(), s.moves.end(), [](const auto& m) {
           return !m.writes.empty() && m.reads == m.writes;
         });
}

}  // namespace

std::string pattern_text(const walkthrough& w, const step& s) {
  std::vector<std::string_view> from, to;
  const auto add = [&](std::vector<std::string_view>& names, std::size_t array) {
    std::string_view name = w.arrays[array].name;
    if (name.starts_with("registers")) name = "registers";
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& m : s.moves) {
    for (const auto& c : m.reads) add(from, c.array);
    for (const auto& c : m.writes) add(to, c.array);
  }
  std::string text;
  if (const auto stride = s.stride()) {
    text = fmt::format("stride {}", *stride);
  } else if (const auto size = s.mirror()) {
    text = fmt::format("mirror images of {}", *size);
  }
  if (s.number > 0 && (from == to || to.empty())) return text;
  if (writes_what_it_read(s))
    return fmt::format("no partner: {} written back", fmt::join(to, ", "));
  if (!text.empty()) text += " · ";
  if (to.empty()) return text + fmt::format("{} read", fmt::join(from, ", "));
  if (from.empty()) return text + fmt::format("{} set", fmt::join(to, ", "));
  return text + fmt::format("{} → {}", fmt::join(from, ", "), fmt::join(to, ", "));
}

bool adds_to_held(const ladder::step_move& m) {
  return m.applies && m.reads.size() == 1 && m.writes.size() < 2;
}

bool adds_to_held(const step& s) {
  const auto workers = s.workers();
  return s.number > 0 && std::all_of(workers.begin(), workers.end(),
                                     [](const auto* m) { return adds_to_held(*m); });
}

std::size_t shown_cells(const walkthrough& w, const step_cells& cells) {
  const std::size_t n = w.arrays.front().cells.size();
  return std::min(cells.size(), std::max<std::size_t>(32, 2 * n));
}

std::string result_text(const walkthrough& w) {
  const auto& v = w.verdict;
  if (!v.right) return fmt::format("WRONG {}, not {}", v.result, v.expected);
  const std::size_t n = w.arrays.front().cells.size();
  return w.ladder == ladder::ladder_kind::scan
             ? fmt::format("✓ {} results, the last {}", n, v.result)
             : fmt::format("✓ {}", v.result);
}

namespace {

/// What words of the steps mean that the rung's steps have.
std::string words_text(const walkthrough& w) {
  const auto any = [&](bool (*is)(const step&)) {
    return std::any_of(w.steps.begin(), w.steps.end(), is);
  };
  std::string text;
  const bool held = any([](const step& s) {
    const auto workers = s.workers();
    return std::any_of(workers.begin(), workers.end(),
                       [](const auto* m) { return adds_to_held(*m); });
  });
  if (held) text += "held: a value that the thread keeps in a register\n";
  if (any(writes_what_it_read)) text += "written back: each value to where it was read\n";
  if (!text.empty()) text += "numbered: the steps that use the operator\n";
  return text;
}

}  // namespace

std::string steps_text(const walkthrough& w, std::string_view title, bool color) {
  const layout shape(w);
  const auto bright = [&](const std::string& text) {
    return color ? "\x1b[1m" + text + "\x1b[0m" : text;
  };
  std::string text = bright(std::string(title)) + "\n\n" + shape.indices();
  for (std::size_t a = 0; a < w.arrays.size(); ++a) {
    if (!w.arrays[a].cells.empty()) text += shape.rows(a, w.arrays[a].cells, {}, color);
  }
  for (const step& s : w.steps) {
    text += "\n" + bright(heading_of(w, s)) + "\n";
    if (s.number > 0)
      text += w.ladder == ladder::ladder_kind::sort ? comparators_text(s) : moves_text(w, s);
    for (const auto& after : s.after) {
      std::set<std::size_t> changed;
      for (const auto& m : s.moves) {
        for (const auto& c : m.writes) {
          if (c.array == after.array) changed.insert(c.index);
        }
      }
      text += shape.rows(after.array, after.cells, changed, color);
    }
  }
  return text + "\n" + result_text(w) + "\n" + words_text(w);
}

}  // namespace warpfold::cli
