#include "simt/src/record/memory_findings.hpp"

#include <string>
#include <utility>

#include "simt/src/check/source.hpp"
#include "simt/src/memory/allocations.hpp"
#include "simt/src/memory/guard.hpp"

namespace simt::detail {

namespace {

finding finding_at(finding_kind kind, const call_stack& from, const std::string& doing) {
  std::vector<finding_side> sides = sides_of(from, doing);
  finding f{.kind = kind, .space = memory_space::global, .here = sides[0], .other = sides.back()};
  f.more.assign(sides.begin() + 1, sides.end());
  return f;
}

/// Of the allocation that begins there.
void name_object(finding& f, std::uintptr_t begin) {
  f.object = "an allocation";
  for_each_allocation([&](const allocation_view& a) {
    if (a.begin == begin && !a.name.empty()) f.object = a.name;
  });
  for (finding_side& s : sides_of_allocation(site_of(begin))) f.more.push_back(std::move(s));
}

}  // namespace

std::vector<finding> findings_of_touches() {
  std::vector<finding> all;
  for (const host_touch& t : host_guard::take()) {
    finding f = finding_at(finding_kind::device_memory, t.from,
                           t.writes ? "the host writes it" : "the host reads it");
    name_object(f, t.of.begin);
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
    finding f = finding_at(finding_kind::not_freed, u.site.from,
                           "allocates it with " + std::string(u.site.call));
    f.bytes = u.bytes;
    add_finding(all, f);
  }
  return all;
}

}  // namespace simt::detail
