#include "ladder/steps/steps.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace warpfold::ladder {

std::string step_array::text(const step_cells& now, std::size_t index) const {
  if (index >= now.size() || !now[index]) return "·";
  return to_text(load_scalar(type, &*now[index]));
}

std::optional<std::pair<step_cell, step_cell>> step_move::joined() const {
  using indices = std::set<std::size_t>;
  std::map<std::size_t, indices> read, touched;  // by array
  for (const step_cell& c : reads) {
    read[c.array].insert(c.index);
    touched[c.array].insert(c.index);
  }
  for (const step_cell& c : writes) touched[c.array].insert(c.index);
  for (const auto* arrays : {&read, &touched}) {
    for (const auto& [array, cells] : *arrays) {
      if (cells.size() > 2) return std::nullopt;
      if (cells.size() == 2) {
        return std::pair{step_cell{array, *cells.begin()}, step_cell{array, *cells.rbegin()}};
      }
    }
  }
  return std::nullopt;
}

bool step_move::went_elsewhere(std::size_t array) const {
  return !writes.empty() && std::none_of(writes.begin(), writes.end(),
                                         [&](const step_cell& c) { return c.array == array; });
}

std::vector<const step_move*> step::workers() const {
  std::vector<const step_move*> all;
  for (const step_move& m : moves) {
    if (m.applies || number == 0) all.push_back(&m);
  }
  return all;
}

namespace {

/// What `f` makes of the two cells that each worker joined, if it is the same for all.
template <class F>
std::optional<std::size_t> common(const step& s, F f) {
  std::optional<std::size_t> value;
  for (const step_move* m : s.workers()) {
    const auto pair = m->joined();
    if (!pair) {
      if (m->reads.size() + m->writes.size() > 2) return std::nullopt;
      continue;  // a lane that took its own value
    }
    const std::size_t mine = f(pair->first.index, pair->second.index);
    if (value && *value != mine) return std::nullopt;
    value = mine;
  }
  return s.number > 0 ? value : std::nullopt;
}

}  // namespace

std::optional<std::size_t> step::stride() const {
  return common(*this, [](std::size_t low, std::size_t high) { return high - low; });
}

std::optional<std::size_t> step::mirror() const {
  if (stride()) return std::nullopt;
  const auto mask = common(*this, [](std::size_t low, std::size_t high) { return low ^ high; });
  return mask && std::has_single_bit(*mask + 1) ? std::optional(*mask + 1) : std::nullopt;
}

}  // namespace warpfold::ladder
