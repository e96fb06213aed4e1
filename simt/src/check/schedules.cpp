#include "simt/src/check/schedules.hpp"

#include <algorithm>
#include <cstring>

#include "simt/src/check/checker.hpp"
#include "simt/src/check/source.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/names.hpp"

namespace simt::detail {

namespace {

constexpr unsigned char poison = 0xA5;

/// Who wrote the word at `address` last, in the launches of `scope`.
void add_writer(finding& f, const observe& scope, std::uintptr_t address) {
  const auto regions = live_regions();
  const region* const r = find_region(regions, address);
  if (r == nullptr || address - r->begin >= r->bytes) return;
  const target at = target_in(r, address);
  f.object = name_of(at);
  f.offset = at.offset;
  f.size = at.size;
  const access_mark m = r->memory->last_write(address - r->begin);
  for (const launch_record& l : record_of(scope).launches) {
    f.kernel = kernel_name(l.kernel);
    if (l.id != m.launch || m.launch == 0) continue;
    const auto position = full_position(m.site, reinterpret_cast<std::uintptr_t>(l.kernel));
    const source_place there = source_places({position}).at(position);
    f.here = {.block = block_at(m.block, l.grid, l.cluster),
              .thread = unflatten(m.thread(), l.block),
              .warp = m.thread() / warp_size,
              .what = m.atomic() ? access_type::atomic : access_type::write,
              .file = there.file,
              .line = there.line,
              .column = there.column};
    break;
  }
}

}  // namespace

std::vector<finding> compare(const result_view& now, const std::vector<std::byte>& first,
                             const observe& scope, bool again) {
  std::size_t differ = 0, at = 0;
  for (std::size_t i = now.count; i-- > 0;) {
    if (now.same(now.begin + i * now.size, first.data() + i * now.size)) continue;
    ++differ;
    at = i;
  }
  if (differ == 0) return {};
  const std::byte* const here = now.begin + at * now.size;
  const std::byte* const there = first.data() + at * now.size;
  const std::vector<std::byte> untouched(now.size, std::byte{poison});
  const auto show = [&](const std::byte* p) {
    const bool none = std::memcmp(p, untouched.data(), now.size) == 0;
    return none ? std::string("not written") : now.show(p);
  };
  finding f{.kind = again ? finding_kind::not_repeatable : finding_kind::order_dependent,
            .bytes = now.size,
            .seed = scope.options.seed};
  f.detail = std::to_string(differ) + " of " + std::to_string(now.count) +
             (now.count == 1 ? " value differs" : " values differ") + "; value " +
             std::to_string(at) + " is " + show(here) + ", and in the first run it was " +
             show(there);
  add_writer(f, scope, reinterpret_cast<std::uintptr_t>(here));
  if (again && !record_of(scope).stale_across_launches.empty()) {
    const finding& stale = record_of(scope).stale_across_launches.front();
    f.kernel = stale.kernel;
    f.here = stale.here;
    f.here.doing = "takes offset " + std::to_string(stale.offset) + " of " +
                   (stale.object.empty() ? "an allocation" : stale.object) +
                   " as left by an earlier launch";
  }
  f.other = f.here;
  return {f};
}

std::vector<finding> try_schedules(unsigned n, const std::function<void()>& launches,
                                   const result_view& result, run_options options) {
  std::vector<finding> all;
  std::vector<std::byte> first;
  options.workers = 1;
  for (unsigned run = 0; run <= n; ++run) {
    options.seed = run == 0 ? 0 : run - 1;
    {
      const device_memory_open open;
      std::memset(result.begin, poison, result.count * result.size);
    }
    observe scope(options);
    launches();
    const device_memory_open open;
    for (const finding& f : scope.findings) add_finding(all, f);
    const bool ended = std::any_of(scope.findings.begin(), scope.findings.end(),
                                   [](const finding& f) { return f.ends_launch; });
    if (ended) break;
    if (run == 0) {
      first.assign(result.begin, result.begin + result.count * result.size);
      continue;
    }
    const auto difference = compare(result, first, scope, run == 1);
    all.insert(all.end(), difference.begin(), difference.end());
    if (!difference.empty()) break;
  }
  return all;
}

}  // namespace simt::detail
