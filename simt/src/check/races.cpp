#include "simt/src/check/races.hpp"

#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

raw_finding finding_of(finding_kind kind, const access& a, const hit& h, const target& at) {
  raw_finding f{.kind = kind, .space = memory_space(a.where), .at = at, .bytes = a.bytes};
  f.here = {a.mark, access_type(a.kind), a.pc};
  f.other = f.here;
  if (h.found || h.voted) f.other = {h.other, h.what, full_position(h.other.site, a.pc)};
  return f;
}

/// The words may tell of a store that another worker is about to make. It is waited for, but not
/// for ever: what comes behind it may be no access.
void wait_for_store(block_check& b, const access& a, const access_mark& other) {
  std::vector<open_pages*> workers;
  {
    const std::scoped_lock lock(b.launch->mutex);
    for (auto& [worker, pages] : b.launch->pages) {
      if (&pages != b.pages) workers.push_back(&pages);
    }
  }
  const auto overlaps = [&](std::uintptr_t at) {
    return at < a.address + a.bytes && a.address < at + 16;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  for (open_pages* const w : workers) {
    std::uintptr_t at = w->storing.load();
    while (overlaps(at) && w->store.load() == other.id()) {
      if (std::chrono::steady_clock::now() > end) {
        w->storing.compare_exchange_strong(at, 0);
        break;
      }
      std::this_thread::yield();
      at = w->storing.load();
    }
  }
}

}  // namespace

void report(finding_kind kind, const access& a, const hit& h, const target& at,
            void (checker::*add)(const raw_finding&), bool ends) {
  checker& found = *check_of(*tls.current).launch;
  const hooks_disabled quiet;
  raw_finding f = finding_of(kind, a, h, at);
  f.ends = ends;
  (found.*add)(f);
}

void report_vote(const access& a, const hit& h, const target& at) {
  checker& found = *check_of(*tls.current).launch;
  const hooks_disabled quiet;
  raw_finding f = finding_of(finding_kind::race_in_warp, a, h, at);
  f.note = f.by_vote = true;
  found.add(f);
}

void report_race(block_check& b, const access& a, const hit& h, const target& at) {
  const bool same_warp = h.other.thread() / warp_size == a.thread / warp_size;
  const auto kind = h.other.block != b.id ? finding_kind::race_between_blocks
                    : same_warp           ? finding_kind::race_in_warp
                                          : finding_kind::race_between_warps;
  if (a.kind != access_kind::store || h.what != access_type::write) return report(kind, a, h, at);
  const hooks_disabled quiet;
  if (kind == finding_kind::race_between_blocks) wait_for_store(b, a, h.other);
  b.held.f = finding_of(kind, a, h, at);
  b.held.address = a.address;
  std::memcpy(b.held.before.data(), std::bit_cast<const void*>(a.address), a.bytes);
}

void report_held(block_check& b) {
  const void* const at = std::bit_cast<const void*>(std::exchange(b.held.address, 0));
  // Whoever comes last, the word is the same.
  b.held.f.note = std::memcmp(at, b.held.before.data(), b.held.f.bytes) == 0;
  const hooks_disabled quiet;
  b.launch->add(b.held.f);
}

}  // namespace simt::detail
