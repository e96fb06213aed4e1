#include "simt/cudart/orders.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "simt/cudart/state.hpp"
#include "simt/memory.hpp"
#include "simt/src/check/schedules.hpp"
#include "simt/src/launch.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/program.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/tls.hpp"
#include "simt/src/settings.hpp"

namespace simt::detail {

namespace {

using bytes = std::vector<std::byte>;

/// The device's memory: allocations and variables.
std::vector<extent> device_memory() {
  std::vector<extent> all;
  for_each_allocation([&](const allocation_view& a) {
    if (in_arena(a.begin)) all.push_back({a.begin, a.bytes});
  });
  for_each_device_variable([&](extent e) { all.push_back(e); });
  return all;
}

std::byte* at(const extent& e) { return reinterpret_cast<std::byte*>(e.begin); }

class image {
 public:
  explicit image(const std::vector<extent>& of) : of_(of) {
    const device_memory_open open;
    for (const extent& e : of_) parts_.emplace_back(at(e), at(e) + e.bytes);
  }
  /// Not what is the same: a constant variable can't be written.
  void restore() const {
    const device_memory_open open;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if (std::memcmp(at(of_[i]), parts_[i].data(), of_[i].bytes) == 0) continue;
      std::copy(parts_[i].begin(), parts_[i].end(), at(of_[i]));
    }
  }
  /// Whether the memory is what it was.
  [[nodiscard]] bool holds() const {
    const device_memory_open open;
    for (std::size_t i = 0; i < of_.size(); ++i) {
      if (std::memcmp(at(of_[i]), parts_[i].data(), of_[i].bytes) != 0) return false;
    }
    return true;
  }
  [[nodiscard]] const bytes& part(std::size_t i) const { return parts_[i]; }

 private:
  const std::vector<extent>& of_;
  std::vector<bytes> parts_;
};

/// What kernels print meanwhile is said once already.
class silence {
 public:
  silence() {
    std::fflush(stdout);
    kept_ = dup(STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~silence() {
    std::fflush(stdout);
    if (kept_ < 0) return;
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  int kept_ = -1;
};

constexpr std::size_t word_bytes = 4;

/// Numbers that differ as sums do whose terms come in another order. (Small integers are no numbers
/// of this kind: their bits are those of a float near zero.)
bool is_near(const void* a, const void* b) {
  if (std::memcmp(a, b, word_bytes) == 0) return true;
  float x = 0, y = 0;
  std::memcpy(&x, a, word_bytes);
  std::memcpy(&y, b, word_bytes);
  constexpr float tolerance = 1e-3F;
  return std::isnormal(x) && std::isnormal(y) && std::abs(x - y) <= tolerance * std::abs(x);
}

std::string show_word(const void* p) {
  std::int32_t whole = 0;
  float number = 0;
  std::memcpy(&whole, p, word_bytes);
  std::memcpy(&number, p, word_bytes);
  constexpr float most = 1e9F, least = 1e-9F;
  const bool likely = std::isnormal(number) && std::abs(number) < most && std::abs(number) > least;
  return likely ? std::to_string(number) + "f" : std::to_string(whole);
}

/// The halves of a double, other than a float's, may both differ by much: it is looked at whole.
std::vector<finding> differences(const extent& e, const bytes& first, const observe& scope) {
  const std::byte* const now = at(e);
  if (std::memcmp(now, first.data(), e.bytes) == 0) return {};
  const auto same = [&](const void* a, const void* b) {
    if (is_near(a, b)) return true;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(a) - now);
    const std::size_t whole = offset / 8 * 8;
    if (whole + 8 > e.bytes) return false;
    double x = 0, y = 0;
    std::memcpy(&x, now + whole, sizeof x);
    std::memcpy(&y, first.data() + whole, sizeof y);
    return std::isnormal(x) && std::isnormal(y) && std::abs(x) > 1e-100 &&
           std::abs(x - y) <= 1e-6 * std::abs(x);
  };
  return compare({.begin = at(e),
                  .count = e.bytes / word_bytes,
                  .size = word_bytes,
                  .same = same,
                  .show = show_word},
                 first, scope, false);
}

std::size_t size_of(const std::vector<extent>& memory) {
  std::size_t sum = 0;
  for (const extent& e : memory) sum += e.bytes;
  return sum;
}
/// What is copied without being asked for.
constexpr std::size_t most_for_trial = std::size_t{256} << 20;

void say_one_order(const char* why) {
  static const bool said = [=] {
    std::fprintf(stderr, "simt: SIMT_SCHEDULES: %s; launches run in one order\n", why);
    return true;
  }();
  static_cast<void>(said);
}

std::mutex repeating;
unsigned host_threads = 0;

/// That no other host thread has called the runtime; none can begin to meanwhile. What another one
/// does to the device's memory would be lost where that is restored.
class only_host_thread {
 public:
  explicit operator bool() const { return host_threads == 1; }

 private:
  std::scoped_lock<std::mutex> lock_{repeating};
};

/// Of a value that a shuffle took from a lane that has ended or does not exist.
bool is_absent_value(const finding& f) {
  return f.kind == finding_kind::wrong_mask && !f.ends_launch;
}

std::uint64_t absent_values(const observe& scope) {
  std::uint64_t sum = 0;
  for (const finding& f : scope.findings) sum += is_absent_value(f) ? f.count : 0;
  return sum;
}

/// Memory is copied before a launch unless one of this kernel and shape has taken no such value.
class known_shapes {
 public:
  explicit known_shapes(const launch_config& c, const void* kernel)
      : own_(kernel, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z) {}
  [[nodiscard]] bool take_none() const {
    const std::scoped_lock lock(mutex_);
    return all_.count(own_) != 0;
  }
  void note() const {
    const std::scoped_lock lock(mutex_);
    all_.insert(own_);
  }

 private:
  using shape = std::tuple<const void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned>;
  static inline std::mutex mutex_;
  static inline std::set<shape> all_;
  shape own_;
};

/// Runs the launch with two other values in place of the undefined one: whether memory is then
/// different. They differ in sign and are large in every format. `limit_seconds`: a value may be
/// how often a loop goes round.
bool uses_absent_values(const std::vector<extent>& memory, const image& before,
                        double limit_seconds, const std::function<bool()>& launch) {
  if (pending_children() != 0) return true;  // which may have the values
  const silence quiet;
  std::optional<image> first;
  for (const std::uint64_t value : {0x7B7B7B7B7B7B7B7BU, 0xE8E8E8E8E8E8E8E8U}) {
    before.restore();
    observe varied({.workers = 1, .check = true, .limit_seconds = limit_seconds});
    trial_value = value;
    bool ended = true;
    try {
      ended = !launch();
    } catch (const std::exception&) {  // ended
    }
    trial_value = 0;
    forget_children();
    if (ended) return true;
    if (!first) first.emplace(memory);
  }
  return !first->holds();
}

/// Values that the launch does not use are no findings, but notes.
void judge_absent_values(observe& scope, const std::vector<finding>& known, bool used) {
  for (std::size_t i = scope.findings.size(); i-- > 0;) {
    finding& f = scope.findings[i];
    const std::uint64_t before = i < known.size() ? known[i].count : 0;
    if (!is_absent_value(f) || f.count == before) continue;
    f.detail = used ? "another value leaves other results in memory"
                    : "not used: another value leaves the same results in memory";
    if (used) continue;
    finding note = f;
    note.note = true;
    note.count -= before;
    if (scope.options.notes) add_finding(scope.notes, note);
    if (before != 0) {
      f = known[i];
    } else {
      scope.findings.erase(scope.findings.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

/// In the orders of seeds from 1 on; `first`: what order 0 has left, and leaves in the end.
void run_in_others(observe& scope, const std::vector<extent>& memory, const image& before,
                   bool ignores_absent, const std::function<bool()>& launch) {
  const image first(memory);
  const silence quiet;
  const std::size_t pending = pending_children();
  for (unsigned seed = 1; seed < the_settings().schedules; ++seed) {
    before.restore();
    run_options options{.workers = 1, .check = true};
    options.notes = scope.options.notes;
    options.seed = seed;
    observe varied(options);
    std::string failure;
    try {
      static_cast<void>(launch());
    } catch (const kernel_error& e) {
      failure = e.what();
    }
    forget_children(pending);
    const device_memory_open open;
    for (const finding& f : varied.findings) {
      if (!ignores_absent || !is_absent_value(f)) add_finding(scope.findings, f);
    }
    for (const finding& n : varied.notes) add_finding(scope.notes, n);
    if (!failure.empty()) {
      failure += " (in the order of seed " + std::to_string(seed) + ")";
      explain("launch: " + failure);
      note_failed_launch(failure);
      break;
    }
    if (!varied.findings.empty() && varied.findings.back().ends_launch) break;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      for (finding f : differences(memory[i], first.part(i), varied)) {
        f.note = true;
        add_finding(scope.notes, f);
      }
    }
  }
  first.restore();
}

}  // namespace

void note_host_thread() {
  if (tls.current != nullptr) return;  // a thread of a kernel's
  static thread_local const bool noted = [] {
    const std::scoped_lock lock(repeating);
    ++host_threads;
    return true;
  }();
  static_cast<void>(noted);
}

bool run_in_orders(const launch_config& config, const void* kernel, entry body, void* arguments) {
  const auto launch = [&] { return run_grid(config, kernel, body, arguments); };
  note_host_thread();
  observe* const scope = current_scope();
  if (scope == nullptr || !is_of_program(scope)) return launch();
  const bool in_others = the_settings().schedules != 1;
  const known_shapes shape(config, kernel);
  if (!in_others && shape.take_none()) return launch();
  std::vector<extent> memory;
  std::optional<image> before;
  if (const only_host_thread alone; alone) {
    memory = device_memory();
    const std::size_t size = size_of(memory);
    const bool fits = size <= free_memory() / 4;  // two copies
    if (in_others && !fits) say_one_order("not enough memory to copy the device's memory");
    if (fits && (in_others || size <= most_for_trial)) before.emplace(memory);
  } else if (in_others) {
    say_one_order("several host threads use the device");
  }
  if (!before) return launch();
  const std::vector<finding> known = scope->findings;
  const std::uint64_t taken = absent_values(*scope);
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  if (!launch()) return false;
  const only_host_thread alone;
  if (!alone) return true;
  bool ignores_absent = false;
  if (absent_values(*scope) == taken) {
    shape.note();
  } else {
    const image after(memory);
    const std::chrono::duration<double> taken_first = clock::now() - begin;
    const double limit = 2 + 16 * taken_first.count();
    const bool used = uses_absent_values(memory, *before, limit, launch);
    after.restore();
    judge_absent_values(*scope, known, used);
    ignores_absent = !used;
  }
  if (in_others) run_in_others(*scope, memory, *before, ignores_absent, launch);
  return true;
}

}  // namespace simt::detail
