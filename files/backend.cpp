#include "files/backend.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

namespace warpfold::files {
namespace {

constexpr double giga = 1e9;

/// Seconds that a gigabyte takes: some that more cores do not shorten, some that they share.
struct cost {
  double fixed, shared;

  [[nodiscard]] constexpr double on(double cores) const { return fixed + shared / cores; }
};
struct costs {
  cost host;    // a sort's share in each pass
  cost device;  // without the link
};

/// Fitted to tests/golden/file_backends_h200.csv; what has no time there for few cores is from the
/// rates of its stages.
constexpr costs costs_of(task what) {
  switch (what) {
    case task::reduce: return {{0.01, 0.25}, {0.02, 0.2}};
    case task::exact: return {{0.01, 0.3}, {0.02, 0.2}};
    case task::statistics: return {{0.02, 1.15}, {0.02, 0.2}};
    case task::scan: return {{0.37, 1.25}, {0.5, 0.85}};
    case task::sort: return {{1.8, 7}, {1.6, 0}};
    case task::sort_pairs: return {{1.4, 5}, {1.55, 0}};
  }
  return {};
}

constexpr double device_start = 0.38;  // the driver and a context
constexpr unsigned most_readers = 12;
constexpr double pageable_link = 8 * giga;  // sorts copy memory that is not pinned

bool is_sort(task what) { return what == task::sort || what == task::sort_pairs; }

/// How often a host sort sorts a key: it needs a copy of what it has at once, and merges the rest.
double passes(const job& j) { return is_sort(j.what) && *j.bytes > j.memory / 2 ? 2 : 1; }

std::string line_of(const std::filesystem::path& file) {
  std::string text;
  std::ifstream in(file);
  std::getline(in, text);
  return text;
}

double number_in(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The best of all NVIDIA devices' links; 0 where the kernel does not say.
double best_link() {
  double best = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator device("/sys/bus/pci/devices", failed), end;
       !failed && device != end; device.increment(failed)) {
    const auto& at = device->path();
    if (line_of(at / "vendor") != "0x10de" || !line_of(at / "class").starts_with("0x03")) continue;
    const double transfers = number_in(line_of(at / "max_link_speed")) * giga,  // of one bit
        lanes = number_in(line_of(at / "max_link_width"));
    if (lanes <= 32) best = std::max(best, transfers / 8 * lanes);  // an unknown width is 255
  }
  // What arrives, of 63 GB/s: 54.9 were measured.
  return 0.87 * best;
}

unsigned cores_of(const run_options& o) {
  return o.threads != 0 ? o.threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

task task_of(reduction op) {
  switch (op) {
    case reduction::statistics: return task::statistics;
    case reduction::exact_sum:
    case reduction::exact_mean: return task::exact;
    default: return task::reduce;
  }
}

double host_seconds(const job& j, const surroundings& s) {
  return static_cast<double>(*j.bytes) / giga * costs_of(j.what).host.on(s.cores / passes(j));
}

double device_seconds(const job& j, const surroundings& s) {
  const double work = costs_of(j.what).device.on(std::min(s.cores, most_readers));
  // A sort's copies, there and back, wait for each other; all others run beside the rest.
  const double each = is_sort(j.what) ? work + 2 * giga / std::min(s.link, pageable_link)
                                      : std::max(work, giga / s.link);
  return device_start + static_cast<double>(*j.bytes) / giga * each;
}

bool is_for_device(const job& j, const surroundings& s) {
  return j.bytes && device_seconds(j, s) < host_seconds(j, s);
}

std::optional<std::uint64_t> least_device_bytes(task what, std::size_t memory,
                                                const surroundings& s) {
  for (std::uint64_t scale = 1; scale < 1'000'000'000'000; scale *= 10) {
    for (std::uint64_t digits = 100; digits < 1000; ++digits) {
      if (is_for_device({what, digits * scale, memory}, s)) return digits * scale;
    }
  }
  return std::nullopt;
}

surroundings surroundings_of(const run_options& o) {
  constexpr double unknown_link = 25 * giga;
  const double link = best_link();
  return {.cores = cores_of(o), .link = link > 0 ? link : unknown_link};
}

bool auto_takes_device(const job& j, const run_options& o) {
  // Most jobs run on the host at any rate of the link, so they need not query that rate.
  return is_for_device(j,
                       {.cores = cores_of(o), .link = std::numeric_limits<double>::infinity()}) &&
         is_for_device(j, surroundings_of(o)) && has_device();
}

}  // namespace warpfold::files
