#include "ladder/steps/arrays.hpp"

#include <cstring>

#include <fmt/format.h>

namespace warpfold::ladder {

namespace {

value_type unsigned_of(unsigned bytes) {
  return bytes >= 8 ? value_type::u64 : bytes == 4 ? value_type::u32 : value_type::u8;
}

}  // namespace

step_arrays::step_arrays(walkthrough& walk, std::span<const device_array_name> known,
                         const shared_layout& shared)
    : walk_(walk), known_(known), shared_(shared) {
  for (const step_array& a : walk.arrays) now_.push_back(a.cells);
}

std::size_t step_arrays::new_array(value_type type, step_space space, std::size_t offset) {
  walk_.arrays.push_back({.name = {}, .type = type, .space = space, .offset = offset, .cells = {}});
  now_.emplace_back();
  return now_.size() - 1;
}

/// Makes `offset` relative to the array.
std::size_t step_arrays::shared_array(const simt::watched_cell& c, unsigned bytes,
                                      std::size_t dynamic_bytes, std::size_t& offset) {
  unsigned column = 0;
  value_type type = bytes % size_of(shared_.type) == 0 ? shared_.type : unsigned_of(bytes);
  if (shared_.value_bytes != 0 && c.object == 0) {
    const std::size_t key_bytes = size_of(shared_.type);
    const std::size_t keys = dynamic_bytes / (key_bytes + shared_.value_bytes) * key_bytes;
    if (offset >= keys) {
      column = 1;
      offset -= keys;
      type = value_type::u32;
    }
  }
  const auto [known, is_new] = in_shared_.try_emplace({c.block, c.object, column}, 0);
  if (is_new) known->second = new_array(type, step_space::shared, c.address - offset);
  return known->second;
}

std::vector<cell_value> step_arrays::cells_of(const simt::watched_access& a, unsigned lane,
                                              std::size_t dynamic_bytes) {
  const simt::watched_cell& c = a.cell[lane];
  std::size_t offset = c.address;
  std::size_t array = 0;
  if (a.space == simt::memory_space::global) {
    while (array < known_.size() && c.address - known_[array].begin >= known_[array].bytes) {
      ++array;
    }
    if (array == known_.size()) return {};
    offset -= known_[array].begin;
  } else {
    array = shared_array(c, a.bytes, dynamic_bytes, offset);
  }
  const std::size_t each = size_of(walk_.arrays[array].type);
  std::vector<cell_value> cells;
  for (std::size_t i = 0; (i + 1) * each <= a.bytes; ++i) {
    cells.push_back({{array, offset / each + i}, 0});
    std::memcpy(&cells.back().bits, c.value.data() + i * each, each);
  }
  return cells;
}

std::size_t step_arrays::registers_of(unsigned block, unsigned warp, std::size_t index) {
  const auto [known, is_new] = registers_.try_emplace({block, warp, index}, 0);
  if (is_new) {
    const value_type type = index % per_item() == 1 ? value_type::u32 : shared_.type;
    known->second = new_array(type, step_space::registers, 0);
  }
  return known->second;
}

void step_arrays::store(const cell_value& v) {
  step_cells& cells = now_[v.cell.array];
  if (cells.size() <= v.cell.index) cells.resize(v.cell.index + 1);
  cells[v.cell.index] = v.bits;
  if (v.bits != 0) not_zero_.insert(v.cell.array);
}

std::set<std::size_t> step_arrays::name_all() {
  std::set<std::size_t> idle;
  std::erase_if(registers_, [&](const auto& r) {
    const bool hide = std::get<2>(r.first) >= per_item() && !not_zero_.contains(r.second);
    if (hide) idle.insert(r.second);
    return hide;
  });
  std::set<unsigned> blocks;
  for (const auto& [key, array] : in_shared_) blocks.insert(std::get<0>(key));
  for (const auto& [key, array] : registers_) blocks.insert(std::get<0>(key));
  walk_.many_blocks = blocks.size() > 1;
  name_shared();
  name_registers();
  return idle;
}

void step_arrays::name_shared() {
  std::map<unsigned, unsigned> objects, named;  // of each block
  for (const auto& [key, array] : in_shared_) {
    const auto [block, object, column] = key;
    if (column == 0) ++objects[block];
  }
  for (const auto& [key, array] : in_shared_) {
    const auto [block, object, column] = key;
    std::string& name = walk_.arrays[array].name;
    name = column == 0 ? "shared" : "shared values";
    if (column == 0 && objects[block] > 1) name += fmt::format(" {}", ++named[block]);
    if (walk_.many_blocks) name += fmt::format(" of block {}", block);
  }
}

void step_arrays::name_registers() {
  for (const auto& [key, array] : registers_) {
    const auto [block, warp, index] = key;
    std::string& name = walk_.arrays[array].name;
    name = index % per_item() == 1 ? "values" : "registers";
    if (registers_.contains({block, warp, per_item()})) {
      name += fmt::format(" {}", index / per_item() + 1);
    }
    if (walk_.block > lanes_of_warp) name += fmt::format(", warp {}", warp);
    if (walk_.many_blocks) name += fmt::format(", block {}", block);
  }
}

}  // namespace warpfold::ladder
