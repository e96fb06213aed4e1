// How one worker goes about its share of a launch: which cluster it resumes, which one it begins.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "simt/memory.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/hazards.hpp"
#include "simt/src/run/log.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

using steady = std::chrono::steady_clock;

/// "2.5 seconds".
std::string in_words(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g seconds", seconds);
  return text.data();
}

bool has_ready(const cluster& c) {
  return std::any_of(c.blocks.begin(), c.blocks.end(),
                     [](const block& b) { return b.ready_warps != 0; });
}

bool has_spinning(const cluster& c) {
  return std::any_of(c.blocks.begin(), c.blocks.end(), [](const block& b) {
    return std::any_of(b.warps.begin(), b.warps.end(),
                       [](const warp& w) { return w.spinning != 0; });
  });
}

/// Makes the lanes that yielded ready again.
void wake(cluster& c) {
  c.preempted = false;
  for (block& b : c.blocks) {
    for (warp& w : b.warps) {
      // Lanes may spin for what those would do that wait for them to converge.
      const unsigned most_delays = w.in_step != 0 ? 64 : 4;
      if (w.converging != 0 && w.spinning != 0 && ++w.delays % most_delays == 0) converge(w);
      make_ready(w, w.spinning);
    }
  }
}

/// Kernels whose blocks wait for each other: in ascending order, too, they needed more of them than
/// run at once.
class persistent_kernels {
 public:
  void add(const void* kernel) {
    const std::scoped_lock lock(mutex_);
    all_.insert(kernel);
  }
  bool contains(const void* kernel) {
    const std::scoped_lock lock(mutex_);
    return all_.count(kernel) != 0;
  }

 private:
  std::mutex mutex_;
  std::set<const void*> all_;
};
persistent_kernels& persistent() {
  static persistent_kernels all;
  return all;
}

}  // namespace

run_order order_of(std::uint64_t seed) {
  if (seed < 2) return seed == 0 ? run_order::ascending : run_order::descending;
  return seed % 2 == 0 ? run_order::random : run_order::starving;
}

bool worker::start_cluster() {
  const bool is_held = launched->held.fetch_add(1, std::memory_order_relaxed) < launched->most_held;
  const std::uint64_t ticket =
      is_held ? launched->next_cluster.fetch_add(1, std::memory_order_relaxed) : launched->clusters;
  if (ticket >= launched->clusters) {
    launched->held.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  const launch_config& config = launched->config;
  std::erase_if(idle, [](const auto& c) { return c->stack_of_each != stack_bytes; });
  const auto fits = std::find_if(idle.begin(), idle.end(), [&](const auto& c) {
    return c->threads_per_block == launched->threads_per_block &&
           c->fibers_per_block == (whole_blocks ? 1 : launched->threads_per_block) &&
           c->blocks.size() == blocks_of_cluster(config);
  });
  if (fits != idle.end()) {
    resident.push_back(std::move(*fits));
    idle.erase(fits);
  } else {
    resident.push_back(
        std::make_unique<cluster>(*this, blocks_of_cluster(config), launched->threads_per_block));
  }
  resident.back()->begin(*launched, launched->order.empty() ? ticket : launched->order[ticket]);
  return true;
}

/// All that run only wait, and a device holds more: begins as many again. In the orders that look
/// for mistakes that is for kernels that get on in no order without; the others are not to count on
/// it.
bool worker::start_more() {
  grid& g = *launched;
  if (g.held >= g.most_held) return false;
  if (order == run_order::ascending) {
    persistent().add(g.kernel);
  } else if (!persistent().contains(g.kernel)) {
    return false;
  }
  const std::size_t bytes =
      g.threads_per_block * blocks_of_cluster(g.config) * touched_stack_bytes();
  std::size_t more = std::min(resident.size(), simt::free_memory() / 2 / bytes);
  const std::size_t before = resident.size();
  while (more-- != 0 && start_cluster()) {
  }
  return resident.size() != before;
}

void worker::retire(std::size_t index) {
  idle.push_back(std::move(resident[index]));
  resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(index));
  launched->held.fetch_sub(1, std::memory_order_relaxed);
  tests_stacks = false;
}

void worker::take_order(std::uint64_t seed) {
  order = order_of(seed);
  const std::uint64_t victim = seed / 2;
  const unsigned warps = (launched->threads_per_block + warp_size - 1) / warp_size;
  const bool starves = order == run_order::starving;
  last_warp = starves ? 1U << victim % warps : 0;
  last_lane = starves ? 1U << victim % warp_size : 0;
  yield_seed = seed;
}

void worker::begin(grid& g, unsigned index) {
  launched = &g;
  body = g.plain_body;
  code = g.plain_code;
  observer = g.observers.empty() ? nullptr : g.observers[index];
  total = {};
  applications = 0;
  tls.slices = 0;
  tests_stacks = true;
  take_signals_apart();
  take_order(g.options.seed);
  if (order >= run_order::random) random.seed(g.options.seed * 1000003 + index);
  livelock.begin();
  if (observer != nullptr) observer->worker_begins(g);
}

/// How long the worker has resumed clusters whose lanes only yielded.
struct worker::wait {
  std::size_t next = 0;  // of the resident clusters
  std::uint64_t progress = 0, rounds = 0;
  steady::time_point since = steady::now();

  /// Whether anybody in the grid has got on since it was asked last.
  bool is_over(const grid& g) {
    const auto now = g.progress.load(std::memory_order_relaxed);
    if (now == progress) return false;
    progress = now;
    since = steady::now();
    return true;
  }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(steady::now() - since).count();
  }
};

/// One that has not ended, of blocks whose threads run apart; its place is known if they are
/// watched.
const lane* worker::a_live_lane() const {
  if (launched->engine != engine_kind::watched) return nullptr;
  for (const auto& c : resident) {
    for (const block& b : c->blocks) {
      for (const warp& w : b.warps) {
        if (w.live != 0) return &w.lanes[static_cast<std::size_t>(std::countr_zero(w.live))];
      }
    }
  }
  return nullptr;
}

void worker::say_waiting(double seconds) {
  constexpr double silent_seconds = 5;
  if (seconds < silent_seconds) return;
  {
    const std::scoped_lock lock(launched->mutex);
    if (std::exchange(launched->agreement.said, true)) return;
  }
  const hooks_disabled quiet;
  const lane* const waits = a_live_lane();
  std::fprintf(stderr,
               "simt: %s: no thread has made progress for %s; if all only wait for each other, the "
               "launch ends after %s\n",
               waits != nullptr ? describe(*waits).c_str()
                                : ("kernel " + kernel_name(launched->kernel)).c_str(),
               in_words(silent_seconds).c_str(),
               in_words(launched->options.patience_seconds).c_str());
}

/// The resident cluster to resume: one that can go on; else a new one; else those that only
/// yielded, one after the other. The number of residents when all is done.
std::size_t worker::choose(wait& waited) {
  if (is_past_limit()) {
    const lane* const late = a_live_lane();
    if (late != nullptr) launched->note_position(last_position(*late));
    stop_at_limit(late != nullptr ? describe(*late) : "");
  }
  std::size_t next = 0;
  while (next < resident.size() && !has_ready(*resident[next])) ++next;
  if (next != resident.size()) return next;
  constexpr unsigned streak = 16;
  const bool again = order >= run_order::random
                         ? random() % 2 == 0
                         : !resident.empty() && resident.back()->resumed < streak;
  if (!resident.empty() && resident.back()->preempted && again) {
    ++resident.back()->resumed;
    wake(*resident.back());
    return resident.size() - 1;
  }
  if (resident.size() < launched->most_resident && start_cluster()) return resident.size() - 1;
  if (resident.empty()) return 0;
  if (waited.is_over(*launched)) livelock.reset();
  next = waited.next++ % resident.size();
  if (next == 0) say_waiting(waited.seconds());
  if (next == 0 && livelock.all_repeat()) {
    if (start_more()) {
      livelock.reset();
      return resident.size() - 1;
    }
    if (waited.seconds() > launched->options.patience_seconds) give_up(*resident[next], true);
  }
  if (++waited.rounds % 64 == 0) std::this_thread::yield();
  wake(*resident[next]);
  return next;
}

void worker::run(grid& g, unsigned index) {
  begin(g, index);
  whole_blocks = g.engine == engine_kind::blocks;
  if (whole_blocks && !g.config.cooperative) run_whole_blocks();
  wait waited;
  while (!g.stop.load(std::memory_order_relaxed)) {
    const std::size_t next = choose(waited);
    if (next == resident.size()) break;
    cluster& chosen = *resident[next];
    if (has_ready(chosen)) resume(chosen);
    if (g.stop.load(std::memory_order_relaxed) || (whole_blocks && stray)) break;
    if (chosen.live == 0) {
      retire(next);
    } else if (!has_ready(chosen) && !has_spinning(chosen)) {
      give_up(chosen, false);
    }
  }
  if (stray && !g.stop) {  // it can't happen again, or has not
    if (stray->position != 0) g.note_position(stray->position);
    g.fail(stray->what, stray->kind);
  }
  stray.reset();
  whole_blocks = false;
  livelock.leave();
  test_idle_stacks();
  total.operator_applications = applications;
  // Fibers stopped in the middle of a kernel are given up with their stacks.
  resident.clear();
  constexpr std::size_t most_kept = 4;
  if (idle.size() > most_kept) idle.erase(idle.begin(), idle.end() - most_kept);
  launched = nullptr;
}

std::atomic<int> interrupted = 0;

bool worker::is_past_limit() const {
  if (interrupted.load(std::memory_order_relaxed) != 0) return true;
  return launched->limit_seconds != 0 && steady::now() > launched->deadline;
}

void worker::stop_at_limit(const std::string& where) {
  const std::string who = where.empty() ? "kernel " + kernel_name(launched->kernel) : where + ":";
  if (interrupted != 0) return launched->fail(who + " was interrupted", fault::limit);
  launched->fail(who + " has run for " + in_words(launched->limit_seconds) +
                     ", the limit: SIMT_LIMIT or run_options::limit_seconds",
                 fault::limit);
}

/// An overflow that no switch has seen shows here.
void worker::test_idle_stacks() {
  for (const auto& done : idle) {
    if (!std::exchange(done->lanes_ran, false)) continue;
    const lane* const l = done->overflowed();
    if (l == nullptr) continue;
    launched->fail(describe(*l) + ", or the same thread of an earlier block: " + stack_advice());
    return idle.clear();
  }
}

}  // namespace simt::detail
