#include "simt/src/record/memory_findings.hpp"

#include <string>
#include <string_view>

#include "simt/src/check/source.hpp"
#include "simt/src/memory/allocations.hpp"
#include "simt/src/memory/guard.hpp"

namespace simt::detail {

namespace {

/// Whether the user knows the file.
bool is_users(const source_place& at) {
  const std::string_view file = at.file;
  return at.line != 0 && !is_machine(file) && !file.starts_with("/usr/") &&
         file.find("/simt/src/") == std::string_view::npos &&
         file.find("/simt/cudart/") == std::string_view::npos;
}

/// The places that a call came through, the innermost first; at least one.
std::vector<finding_side> sides_of(const call_stack& from, const std::string& doing) {
  constexpr std::size_t most = 2;
  std::vector<std::uintptr_t> positions;
  for (const std::uintptr_t p : from) {
    if (p != 0) positions.push_back(p);
  }
  const auto places = source_places(positions);
  std::vector<finding_side> sides;
  for (const std::uintptr_t p : positions) {
    const source_place& at = places.at(p);
    if (!is_users(at) || sides.size() == most) continue;
    sides.push_back({.file = at.file,
                     .line = at.line,
                     .doing = sides.empty() ? doing : "calls it",
                     .threads = 0});
  }
  if (sides.empty()) {
    const std::string place =
        positions.empty() ? "(place not known)" : places.at(positions[0]).file;
    sides.push_back({.file = place, .doing = doing, .threads = 0});
  }
  return sides;
}

finding finding_at(finding_kind kind, const call_stack& from, const std::string& doing) {
  std::vector<finding_side> sides = sides_of(from, doing);
  finding f{.kind = kind, .space = memory_space::global, .here = sides[0], .other = sides.back()};
  f.more.assign(sides.begin() + 1, sides.end());
  return f;
}

std::string name_of_allocation(std::uintptr_t begin) {
  std::string name;
  for_each_allocation([&](const allocation_view& a) {
    if (a.begin == begin) name = a.name;
  });
  return name.empty() ? "an allocation" : name;
}

}  // namespace

std::vector<finding> findings_of_touches() {
  std::vector<finding> all;
  for (const host_touch& t : host_guard::take()) {
    finding f = finding_at(finding_kind::device_memory, t.from,
                           t.writes ? "the host writes it" : "the host reads it");
    f.object = name_of_allocation(t.of.begin);
    f.offset = static_cast<std::ptrdiff_t>(t.address - t.of.begin);
    f.size = t.of.bytes;
    f.detail = "at offset " + std::to_string(f.offset) + " of " + f.object + ", " +
               std::to_string(f.size) + " bytes";
    add_finding(all, f);
  }
  return all;
}

std::vector<finding> findings_of_unfreed(std::uint64_t allocations) {
  std::vector<finding> all;
  for (const allocation& u : unfreed_since(allocations)) {
    finding f =
        finding_at(finding_kind::not_freed, u.from, "allocates it with " + std::string(u.call));
    f.bytes = u.bytes;
    add_finding(all, f);
  }
  return all;
}

}  // namespace simt::detail
