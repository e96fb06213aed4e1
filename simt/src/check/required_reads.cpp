#include "simt/src/check/required_reads.hpp"

#include <algorithm>

#include "simt/src/check/checker.hpp"
#include "simt/src/check/source.hpp"
#include "simt/src/run/names.hpp"

namespace simt::detail {

void read_map::note(std::uintptr_t address, unsigned bytes, std::uintptr_t pc) {
  const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
  const std::uintptr_t end = begin + range.count * range.size;
  const std::uintptr_t from = std::max(address, begin), to = std::min(address + bytes, end);
  if (from >= to) return;
  for (std::size_t i = (from - begin) / range.size; i <= (to - 1 - begin) / range.size; ++i) {
    __atomic_store_n(&sites[i], static_cast<std::uint32_t>(pc), __ATOMIC_RELAXED);
  }
}

bool read_map::touches(const region& r) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(range.begin);
  return begin < r.begin + r.bytes && r.begin < begin + range.count * range.size;
}

namespace {

/// The first of them, how many there are, and the line that read the value before them.
finding unread(read_map& map, std::size_t first, const observe& scope, const grid& last) {
  std::size_t end = first, all = 0;
  while (end < map.sites.size() && map.sites[end] == 0) ++end;
  for (std::size_t i = first; i < map.sites.size(); ++i) all += map.sites[i] == 0 ? 1U : 0U;
  const auto address = reinterpret_cast<std::uintptr_t>(map.range.begin) + first * map.range.size;
  const auto regions = live_regions();
  const region* const r = find_region(regions, address);
  const target at = target_in(r, address);
  finding f{.kind = finding_kind::never_read,
            .kernel = kernel_name(last.kernel),
            .object = name_of(at),
            .bytes = map.range.size,
            .offset = at.offset,
            .size = at.size,
            .count = all,
            .seed = scope.options.seed};
  f.detail = "values " + std::to_string(first) + " to " + std::to_string(end - 1) + " of " +
             std::to_string(map.range.count) + " are not read" +
             (all != end - first ? ", nor are others" : "");
  const std::size_t neighbour = first != 0 ? first - 1 : end;
  if (neighbour < map.sites.size()) {
    const auto position =
        full_position(map.sites[neighbour], reinterpret_cast<std::uintptr_t>(last.kernel));
    const source_place place = source_places({position}).at(position);
    f.here.file = place.file;
    f.here.line = place.line;
    f.here.column = place.column;
    f.here.doing = "reads the values up to there";
    f.here.threads = 0;
  }
  f.other = f.here;
  return f;
}

}  // namespace

std::vector<finding> unread_values(const observe& scope, const grid& last) {
  std::vector<finding> all;
  for (const auto& map : record_of(scope).required_reads) {
    for (std::size_t i = 0; i < map->sites.size(); ++i) {
      if (map->sites[i] != 0) continue;
      all.push_back(unread(*map, i, scope, last));
      break;
    }
  }
  return all;
}

}  // namespace simt::detail
