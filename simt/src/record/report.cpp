#include "simt/report.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "simt/src/check/source.hpp"
#include "simt/src/errors.hpp"
#include "simt/src/memory/allocations.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/record/memory_findings.hpp"
#include "simt/src/run/basic_blocks.hpp"
#include "simt/src/run/failures.hpp"

namespace simt {

namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Whether the loop around this line has a `#pragma unroll 1`, as far as its text tells.
bool is_kept(const std::string& file, int line) {
  constexpr int most = 40;  // lines from the access up to its loop
  std::vector<std::string> lines;
  std::istringstream text(read_source(file));
  for (std::string l; std::getline(text, l) && static_cast<int>(lines.size()) < line;) {
    lines.push_back(l);
  }
  const auto begins_loop = [](const std::string& l) {
    const std::size_t word = l.find_first_not_of(" \t");
    return word != std::string::npos &&
           (l.compare(word, 3, "for") == 0 || l.compare(word, 5, "while") == 0 ||
            l.compare(word, 2, "do") == 0);
  };
  for (int i = static_cast<int>(lines.size()) - 1; i > 0 && i > line - most; --i) {
    if (!begins_loop(lines[static_cast<std::size_t>(i)])) continue;
    return lines[static_cast<std::size_t>(i) - 1].find("#pragma unroll 1") != std::string::npos;
  }
  return false;
}

nvcc_changes changes_of(const place_counts& p, bool kept) {
  nvcc_changes c;
  if (kept) return c;
  const auto requests = static_cast<std::int64_t>(p.requests_if_unrolled);
  const auto wavefronts = -static_cast<std::int64_t>(p.wavefronts_if_widened);
  (p.counted.global_load.requests != 0 ? c.load_requests : c.store_requests) = requests;
  (p.counted.shared_load.requests != 0 ? c.load_wavefronts : c.store_wavefronts) = wavefronts;
  return c;
}

using places = std::unordered_map<std::uintptr_t, detail::source_place>;
using costs = std::unordered_map<std::uintptr_t, std::uint64_t>;

/// Instructions of the basic block that begins there.
costs costs_by_position() {
  costs all;
  const auto known = detail::known_costs();
  for (std::uint32_t id = 1; id < known.size(); ++id) {
    const instruction_counts& c = known[id];
    all[detail::position_of_block(id)] =
        c.integers + c.multiplies + 20 * c.divides + c.floats + c.doubles + c.special + c.shuffles;
  }
  return all;
}

kernel_report report_on(const kernel_counts& k, const places& known, const costs& of_blocks) {
  kernel_report r{.name = k.name,
                  .grid = k.grid,
                  .block = k.block,
                  .shapes_differ = k.shapes_differ,
                  .shared_bytes = k.shared_bytes,
                  .total = k.total,
                  .lines = {},
                  .nvcc = {},
                  .launches = {}};
  std::map<std::pair<std::string, int>, place_counts> lines;
  std::map<std::pair<std::string, int>, nvcc_changes> changes;
  std::map<std::pair<std::string, int>, std::uint64_t> instructions;
  for (const place_counts& p : k.places) {
    const detail::source_place& at = known.at(p.position);
    if (detail::is_machine(at.file)) continue;  // how a thread begins
    lines[{at.file, at.line}] += p;
    const auto cost = of_blocks.find(p.position);
    if (cost != of_blocks.end()) instructions[{at.file, at.line}] += p.warp_steps * cost->second;
    if (p.requests_if_unrolled + p.wavefronts_if_widened == 0) continue;
    const nvcc_changes c = changes_of(p, is_kept(at.file, at.line));
    changes[{at.file, at.line}] += c;
    r.nvcc += c;
  }
  for (const auto& [at, p] : lines) {
    r.lines.push_back({.file = at.first,
                       .line = at.second,
                       .counted = p.counted,
                       .access_lanes = p.access_lanes,
                       .warp_steps = p.warp_steps,
                       .lane_steps = p.lane_steps,
                       .instructions = instructions[at],
                       .nvcc = changes[at]});
  }
  return r;
}

}  // namespace

nvcc_changes& nvcc_changes::operator+=(const nvcc_changes& other) {
  load_requests += other.load_requests;
  store_requests += other.store_requests;
  load_wavefronts += other.load_wavefronts;
  store_wavefronts += other.store_wavefronts;
  return *this;
}

double line_counts::active_lanes() const {
  const counters& c = counted;
  const std::uint64_t requests = c.global_load.requests + c.global_store.requests +
                                 c.shared_load.requests + c.shared_store.requests +
                                 c.remote_shared.requests + c.global_atomic.requests +
                                 c.shared_atomic.requests;
  return requests != 0 ? ratio(access_lanes, requests) : ratio(lane_steps, warp_steps);
}

report::report(const observe& observed)
    : profiles_(observed.profiles),
      total_(observed.total),
      findings_(observed.findings),
      errors_(observed.errors) {
  std::vector<std::uintptr_t> positions;
  for (const kernel_counts& k : observed.kernels) {
    for (const place_counts& p : k.places) positions.push_back(p.position);
  }
  const places known = positions.empty() ? places() : detail::source_places(positions);
  const costs of_blocks = positions.empty() ? costs() : costs_by_position();
  for (const kernel_counts& k : observed.kernels) {
    kernel_report& added = kernels_.emplace_back(report_on(k, known, of_blocks));
    std::copy_if(profiles_.begin(), profiles_.end(), std::back_inserter(added.launches),
                 [&](const launch_profile& p) { return p.kernel == added.name; });
  }
}

report::report(std::vector<kernel_report> kernels, std::vector<finding> findings)
    : kernels_(std::move(kernels)), findings_(std::move(findings)) {
  for (const kernel_report& k : kernels_) {
    total_ += k.total;
    profiles_.insert(profiles_.end(), k.launches.begin(), k.launches.end());
  }
}

const kernel_report& report::kernel(std::string_view name) const {
  std::string names;
  for (const kernel_report& k : kernels_) {
    if (k.name.find(name) != std::string::npos) return k;
    names += (names.empty() ? "" : ", ") + k.name;
  }
  throw std::out_of_range("simt::report: no kernel '" + std::string(name) + "' has run; " +
                          (names.empty() ? "none has" : "there are " + names));
}

namespace {

/// What CUDA's calls return is afterwards what it was before.
class errors_kept {
 public:
  errors_kept() = default;
  ~errors_kept() { detail::set_errors(before_); }
  errors_kept(const errors_kept&) = delete;
  errors_kept& operator=(const errors_kept&) = delete;

 private:
  detail::runtime_errors before_ = detail::errors_now();
};

/// Within a catch block.
std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

report inspect(const std::function<void()>& launches, const run_options& options) {
  const errors_kept kept;
  observe watching(options);
  std::optional<detail::host_guard> guard;
  if (options.check) {
    detail::catch_faults();
    guard.emplace();
  }
  const std::uint64_t allocated = detail::allocations_made();
  const auto add_memory_findings = [&] {
    guard.reset();
    const auto add = [&](const std::vector<finding>& found) {
      for (const finding& f : found) add_finding(watching.findings, f);
    };
    if (options.check) add(detail::findings_of_touches());
    // After an error that sticks nothing could be freed.
    if (options.leaks && detail::sticky_error() == cudaSuccess) {
      add(detail::findings_of_unfreed(allocated));
    }
  };
  try {
    launches();
    add_memory_findings();
  } catch (const kernel_error& e) {
    add_memory_findings();
    watching.errors.emplace_back(e.what());
  } catch (...) {
    add_memory_findings();
    if (watching.findings.empty()) {  // who looks at findings alone must see that it failed
      for (const auto& error : watching.errors) std::fprintf(stderr, "simt: %s\n", error.c_str());
      throw;
    }
    watching.errors.push_back("the host's code threw: " + text_of_exception());
  }
  return report(watching);
}

std::ostream& operator<<(std::ostream& out, const finding& f) { return out << f.text(); }

}  // namespace simt
