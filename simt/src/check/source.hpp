// From code positions to lines of the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simt/findings.hpp"
#include "simt/src/memory/allocations.hpp"

namespace simt::detail {

struct source_place {
  std::string file;
  int line = 0;
  int column = 0;           // 0: not known
  bool is_callers = false;  // the instruction itself has no line
  /// The innermost place of those inlined there that is not the library's; line 0: none.
  std::string outer_file{};
  int outer_line = 0, outer_column = 0;
};

/// Whether the file is one of the machine's own headers.
bool is_machine(std::string_view file);
/// Whether the file is one of the library's.
bool is_library(std::string_view file);

/// The user's places that a call came through, the innermost first; at least one.
std::vector<finding_side> sides_of(const call_stack& from, const std::string& doing);
/// The same of an allocation; none where nobody asked or no line is known.
std::vector<finding_side> sides_of_allocation(const allocation_site& site);

/// All that are known, these positions among them.
std::unordered_map<std::uintptr_t, source_place> source_places(
    const std::vector<std::uintptr_t>& positions);

/// The places that a call came through, the innermost first; at least one.
std::vector<finding_side> sides_of(const call_stack& from, const std::string& doing);

}  // namespace simt::detail
