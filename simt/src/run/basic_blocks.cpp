#include "simt/src/run/basic_blocks.hpp"

namespace simt::detail {

namespace {

std::uint32_t blocks_known = 0;

/// The basic blocks of one program or library: their first number, and where they begin.
struct block_table {
  std::uint32_t first;
  const std::uintptr_t* begin;
  const std::uintptr_t* end;
};
std::vector<block_table>& block_tables() {
  static std::vector<block_table> tables;
  return tables;
}

}  // namespace

std::uint32_t known_blocks() { return blocks_known; }

std::uintptr_t position_of_block(std::uint32_t id) {
  for (const block_table& t : block_tables()) {
    const std::size_t at = 2 * (std::size_t{id} - t.first);  // pairs of a position and flags
    if (id >= t.first && t.begin + at < t.end) return t.begin[at] + 1;  // as a call's return
  }
  return 0;
}

bool begins_block(std::uintptr_t position) {
  for (const block_table& t : block_tables()) {
    for (const std::uintptr_t* entry = t.begin; entry != t.end; entry += 2) {
      if (*entry + 1 == position) return true;
    }
  }
  return false;
}

std::vector<std::pair<std::uintptr_t, std::uint32_t>> known_functions() {
  std::vector<std::pair<std::uintptr_t, std::uint32_t>> all;
  for (const block_table& t : block_tables()) {
    std::uint32_t id = t.first;
    for (const std::uintptr_t* entry = t.begin; entry != t.end; entry += 2, ++id) {
      if ((entry[1] & 1) != 0) all.emplace_back(entry[0], id);  // a function's entry
    }
  }
  return all;
}

instruction_counts cost_of_block(std::uint32_t id) {
  for (const block_table& t : block_tables()) {
    const std::size_t at = 2 * (std::size_t{id} - t.first);
    if (id >= t.first && t.begin + at < t.end) return unpacked(t.begin[at + 1]);
  }
  return {};
}

std::vector<instruction_counts> known_costs() {
  std::vector<instruction_counts> all(known_blocks() + 1);
  for (const block_table& t : block_tables()) {
    std::uint32_t id = t.first;
    for (const std::uintptr_t* entry = t.begin; entry != t.end; entry += 2, ++id) {
      all[id] = unpacked(entry[1]);
    }
  }
  return all;
}

}  // namespace simt::detail

// The compiler calls these before main, for each program or library. The names are its own.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-*)
extern "C" {

void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop) {
  if (start == stop || *start != 0) return;
  for (std::uint32_t* g = start; g != stop; ++g) *g = ++simt::detail::blocks_known;
}

/// Comes after the numbers of the same blocks.
void __sanitizer_cov_pcs_init(const std::uintptr_t* begin, const std::uintptr_t* end) {
  for (const auto& t : simt::detail::block_tables()) {
    if (t.begin == begin) return;
  }
  const auto blocks = static_cast<std::uint32_t>((end - begin) / 2);
  simt::detail::block_tables().push_back({simt::detail::blocks_known - blocks + 1, begin, end});
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-*)
