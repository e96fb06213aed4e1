// What stands out in a kernel: lines whose accesses take more passes or sectors than they must.
#include <algorithm>

#include "simt/report.hpp"
#include "simt/src/record/format.hpp"

namespace simt {

namespace {

using detail::decimal;
using detail::with_separators;

constexpr double sector_cycles =
    0.5;                             // the second-level cache gives a multiprocessor 64 bytes each
constexpr double least_share = 0.1;  // that is worth a word

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string of(std::uint64_t part, std::uint64_t whole, const std::string& what) {
  return with_separators(part) + " of " + with_separators(whole) + " " + what;
}

class line_remarks {
 public:
  line_remarks(const line_counts& line, std::uint64_t steps_of_kernel, std::vector<remark>& all)
      : line_(line), all_(all) {
    const counters& c = line.counted;
    counters::memory shared = c.shared_load;
    shared.wavefronts += c.shared_store.wavefronts;
    shared.conflicts += c.shared_store.conflicts;
    conflicts(shared);
    sectors(c.global_load, "a load");
    sectors(c.global_store, "a store");
    sectors(c.global_atomic, "an atomic");
    atomics(c);
    lanes(steps_of_kernel);
  }

 private:
  void add(std::string what, std::string wasted, double cost) {
    all_.push_back({.file = line_.file,
                    .line = line_.line,
                    .what = std::move(what),
                    .wasted = std::move(wasted),
                    .cost = cost});
  }

  void conflicts(const counters::memory& m) {
    if (m.conflicts == 0) return;
    const double way = share(m.wavefronts, m.wavefronts - m.conflicts);
    add(decimal(way, 1) + "-way bank conflict",
        of(m.conflicts, m.wavefronts,
           "wavefronts wasted: pad the rows by a word, or let "
           "neighbouring lanes take neighbouring words"),
        static_cast<double>(m.conflicts));
  }

  void sectors(const counters::memory& m, const std::string& kind) {
    const std::uint64_t needed = std::max(m.requests, (m.bytes + 31) / 32);
    if (m.sectors <= needed || share(m.sectors - needed, m.sectors) < least_share) return;
    const std::uint64_t more = m.sectors - needed;
    // One more a request is no waste: a row with a halo begins anywhere, a word is less than a
    // sector.
    const bool used_in_part = more <= m.requests;
    add(decimal(share(m.sectors, m.requests), 1) + " sectors " + kind + " where " +
            decimal(share(needed, m.requests), 1) +
            (used_in_part ? " would hold its bytes" : " would do"),
        of(more, m.sectors,
           used_in_part ? "sectors more: single words, or rows not aligned to 32 bytes"
                        : "sectors wasted: let neighbouring lanes take neighbouring words"),
        sector_cycles * static_cast<double>(more));
  }

  void atomics(const counters& c) {
    if (const auto& m = c.shared_atomic; m.conflicts != 0) {
      const std::uint64_t turns = m.requests + m.conflicts;
      add("shared atomics in " + decimal(share(turns, m.requests), 1) + " turns",
          of(m.conflicts, turns, "turns spent waiting: reduce in the warp first"),
          static_cast<double>(m.conflicts));
    }
  }

  void lanes(std::uint64_t steps_of_kernel) {
    const std::uint64_t slots = line_.warp_steps * 32;
    const std::uint64_t idle = slots - line_.lane_steps;
    if (share(idle, steps_of_kernel * 32) < least_share || share(idle, slots) < 0.25) return;
    add(decimal(line_.active_lanes(), 1) + " of 32 lanes active",
        of(idle, slots, "lanes of its steps idle: give them work, or take fewer threads"),
        static_cast<double>(idle) / 32);
  }

  const line_counts& line_;
  std::vector<remark>& all_;
};

}  // namespace

std::string remark::text() const {
  std::string where = detail::base_name(file);
  if (line != 0) where += ":" + std::to_string(line);
  return where + " · " + what + " · " + wasted;
}

std::vector<remark> remarks(const kernel_report& kernel) {
  std::vector<remark> all;
  for (const line_counts& l : kernel.lines) line_remarks(l, kernel.total.warp_steps, all);
  std::stable_sort(all.begin(), all.end(),
                   [](const remark& a, const remark& b) { return a.cost > b.cost; });
  return all;
}

}  // namespace simt
