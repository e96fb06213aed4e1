#include "lockstep.hpp"

#include <algorithm>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;
using marks = std::vector<bool>;
constexpr view callee = "@_ZN4simt6detail11in_lockstepEPVKvj";

const char* begin_of_line(const instruction& i) {
  const char* at = i.opcode.data();
  while (at[-1] != '\n') --at;
  return at;
}
const char* behind_line(const instruction& i) {
  const char* at = i.opcode.data();
  while (*at != '\n') ++at;
  return at + 1;
}

struct loop {
  std::size_t header;
  marks blocks;
  std::size_t depth = 0;
};

/// The loops of a function, and ranks of its blocks that rise along each way but back to a header.
/// What lies behind a loop has higher ranks than all of the loop.
class block_order {
 public:
  explicit block_order(const control_flow& f) : ranks(f.blocks.size(), 0), f_(f) {
    open_ = done_ = marks(f.blocks.size(), false);
    visit(0);
    for (loop& l : loops) {
      l.depth = static_cast<std::size_t>(std::count_if(
          loops.begin(), loops.end(), [&](const loop& o) { return o.blocks[l.header]; }));
    }
    std::sort(loops.begin(), loops.end(),
              [](const loop& a, const loop& b) { return a.depth > b.depth; });
    open_ = done_ = marks(f.blocks.size(), false);
    left_ = f.blocks.size();
    visit(0);
  }

  std::vector<std::size_t> ranks;
  std::vector<loop> loops;  // inner ones first

 private:
  /// Out of the innermost loop, as far as they are known.
  [[nodiscard]] bool leaves(std::size_t block, std::size_t to) const {
    const auto inner =
        std::find_if(loops.begin(), loops.end(), [&](const loop& l) { return l.blocks[block]; });
    return inner != loops.end() && !inner->blocks[to];
  }

  void visit(std::size_t block) {
    open_[block] = true;
    for (const bool outside : {true, false}) {
      for (const std::size_t to : f_.blocks[block].successors) {
        if (open_[to]) add_loop(block, to);
        if (!open_[to] && !done_[to] && leaves(block, to) == outside) visit(to);
      }
    }
    open_[block] = false;
    done_[block] = true;
    ranks[block] = --left_;
  }

  void add_loop(std::size_t from, std::size_t header) {
    auto known =
        std::find_if(loops.begin(), loops.end(), [&](const loop& l) { return l.header == header; });
    if (known == loops.end()) {
      known = loops.insert(known, {header, marks(f_.blocks.size(), false)});
      known->blocks[header] = true;
    }
    std::vector<std::size_t> next{from};
    while (!next.empty()) {
      const std::size_t b = next.back();
      next.pop_back();
      if (known->blocks[b]) continue;
      known->blocks[b] = true;
      for (std::size_t k = 0; k < f_.blocks.size(); ++k) {
        const auto& to = f_.blocks[k].successors;
        if (std::find(to.begin(), to.end(), b) != to.end()) next.push_back(k);
      }
    }
  }

  const control_flow& f_;
  marks open_, done_;
  std::size_t left_ = 0;
};

/// Whether a round may go past `block`.
bool goes_past(const control_flow& f, const loop& l, std::size_t block) {
  marks seen(f.blocks.size(), false);
  std::vector<std::size_t> next{l.header};
  if (block == l.header) return false;
  while (!next.empty()) {
    const std::size_t b = next.back();
    next.pop_back();
    for (const std::size_t to : f.blocks[b].successors) {
      if (to == l.header) return true;
      if (to == block || !l.blocks[to] || seen[to]) continue;
      seen[to] = true;
      next.push_back(to);
    }
  }
  return false;
}

/// Whether the next volatile access of the block's comes before anything that must find what all
/// lanes have done.
bool meets_soon(const control_flow& f, const noted_access& a) {
  const auto& code = f.blocks[a.block].code;
  for (const instruction* i = a.access + 1; i != code.data() + code.size(); ++i) {
    if (i->has("note_volatileEPVKv")) return true;
    const bool accesses =
        i->opcode == "store" || (i->opcode == "load" && a.access->opcode == "store");
    const bool calls =
        i->is({"call", "invoke"}) && !i->has("@__sanitizer_cov_") && !i->has("@llvm.");
    if (accesses || calls || i->is({"atomicrmw", "cmpxchg"})) return false;
  }
  return false;
}

std::string call(view pointer, std::size_t rank) {
  return "  call void " + std::string(callee) + "(" + std::string(pointer) + ", i32 " +
         std::to_string(rank) + ")\n";
}

}  // namespace

void add_meetings(const control_flow& f, const std::vector<noted_access>& all,
                  const std::vector<std::size_t>& polls, std::vector<edit>& edits) {
  if (std::none_of(all.begin(), all.end(),
                   [](const noted_access& a) { return a.access->opcode == "store"; })) {
    return;
  }
  const block_order order(f);
  const std::size_t most = 2 * all.size() + order.loops.size() + 1;  // ranks of a block
  std::size_t known = 0;
  view type;
  for (const noted_access& a : all) {
    std::size_t end = 0;
    const view pointer = arguments_at(a.note->rest, a.note->rest.find("PVKv(") + 4, end)[0];
    const auto meet = [&](const char* at) {
      edits.push_back({at, 0, call(pointer, most * order.ranks[a.block] + known++)});
    };
    meet(begin_of_line(*a.note));
    if (!meets_soon(f, a)) meet(behind_line(*a.access));
    type = pointer.substr(0, pointer.find(' '));
  }
  for (const loop& l : order.loops) {
    const auto passes_by = [&](const noted_access& a) {
      return l.blocks[a.block] && goes_past(f, l, a.block);
    };
    const auto waits = [&](std::size_t block) { return l.blocks[block]; };
    if (std::none_of(all.begin(), all.end(), passes_by) ||
        std::any_of(polls.begin(), polls.end(), waits)) {
      continue;
    }
    std::size_t last = 0;
    for (std::size_t k = 0; k < f.blocks.size(); ++k) {
      if (l.blocks[k]) last = std::max(last, order.ranks[k]);
    }
    const auto& code = f.blocks[l.header].code;
    const auto first = std::find_if(code.begin(), code.end(),
                                    [](const instruction& i) { return i.opcode != "phi"; });
    edits.push_back({begin_of_line(*first), 0,
                     call(std::string(type) + " null", most * last + most - l.depth)});
  }
}

std::string declared_meetings(view text) {
  const auto used = text.find(callee);
  if (used == npos || text.find("declare void " + std::string(callee)) != npos) return {};
  const view type = text.substr(used + callee.size() + 1, 3);
  return "declare void " + std::string(callee) + "(" + (type == "ptr" ? "ptr" : "i8*") + ", i32)\n";
}

}  // namespace simt::source_step
