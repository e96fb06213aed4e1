// A launch: checks its shape, hands its clusters to the workers, adds up what they counted.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <numeric>
#include <thread>

#include "simt/src/check/checker.hpp"
#include "simt/src/run/model.hpp"

namespace simt {

namespace detail {

namespace {

thread_local observe* innermost = nullptr;

/// OS threads that wait for launches; the caller of a launch is a worker too.
class pool {
 public:
  pool() {
    for (unsigned i = 1; i < default_workers(); ++i) {
      threads_.emplace_back([this, i](const std::stop_token& stop) { serve(stop, i); });
    }
  }
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    for (auto& t : threads_) t.request_stop();
    wake_.notify_all();
  }

  /// Runs `job(i)` for i in [0, workers), this thread taking 0. One call at a time.
  void run(unsigned workers, const std::function<void(unsigned)>& job) {
    workers = std::min<unsigned>(workers, 1 + static_cast<unsigned>(threads_.size()));
    {
      const std::scoped_lock lock(mutex_);
      job_ = &job;
      wanted_ = workers;
      busy_ = workers - 1;
      ++round_;
    }
    if (workers > 1) wake_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return busy_ == 0; });
  }

 private:
  void serve(const std::stop_token& stop, unsigned index) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop.stop_requested() || round_ != seen; });
      if (stop.stop_requested()) return;
      seen = round_;
      if (index >= wanted_) continue;
      const auto* const job = job_;
      lock.unlock();
      (*job)(index);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(unsigned)>* job_ = nullptr;
  unsigned wanted_ = 0, busy_ = 0;
  std::uint64_t round_ = 0;
  std::vector<std::jthread> threads_;
};

struct machine {
  std::mutex launching;  // one launch at a time: the workers are shared
  std::vector<std::unique_ptr<worker>> workers;
  pool threads;  // last: its threads use the workers

  machine() {
    for (unsigned i = 0; i < default_workers(); ++i) workers.push_back(std::make_unique<worker>());
  }
};

machine& the_machine() {
  static machine m;
  return m;
}

}  // namespace

void check_shape(const launch_config& c) {
  const auto say = [](const std::string& what) { throw launch_error("simt::launch: " + what); };
  const std::uint64_t threads = std::uint64_t{c.block.x} * c.block.y * c.block.z;
  const std::uint64_t blocks = std::uint64_t{c.grid.x} * c.grid.y * c.grid.z;
  if (threads == 0 || blocks == 0) say("a grid of no threads; skip the launch when n is 0");
  if (threads > max_threads_per_block) {
    say(std::to_string(threads) + " threads in a block; a device takes at most 1024");
  }
  if (c.block.x > max_threads_per_block || c.block.y > max_threads_per_block || c.block.z > 64) {
    say("a block beyond (1024, 1024, 64) threads");
  }
  if (c.grid.y > 65535 || c.grid.z > 65535 || c.grid.x > 2147483647U) {
    say("a grid beyond (2^31-1, 65535, 65535) blocks");
  }
  if (c.shared_bytes > max_shared_bytes) {
    say(std::to_string(c.shared_bytes) + " bytes of shared memory; a block has at most " +
        std::to_string(max_shared_bytes));
  }
  if (c.cluster == 0 || c.cluster > max_cluster || c.grid.x % c.cluster != 0) {
    say("clusters of " + std::to_string(c.cluster) + " blocks in a grid of " +
        std::to_string(c.grid.x) + "; it must divide the grid and be at most 16");
  }
}

observe* observer() { return innermost; }

namespace {

bool has_ready(const group& g) {
  return std::any_of(g.blocks.begin(), g.blocks.end(),
                     [](const block& b) { return b.ready_warps != 0; });
}

/// Makes the lanes that gave way ready again.
bool wake(group& g) {
  bool woke = false;
  g.preempted = false;
  for (block& b : g.blocks) {
    for (warp& w : b.warps) {
      woke |= w.spinning != 0;
      // Lanes may spin for what those would do that wait for them to converge.
      constexpr unsigned most_delays = 4;
      if (w.converging != 0 && w.spinning != 0 && ++w.delays % most_delays == 0) converge(w);
      make_ready(w, w.spinning);
    }
  }
  return woke;
}

std::vector<std::uint32_t> order_of_groups(std::uint64_t groups, std::uint64_t seed) {
  if (seed == 0) return {};
  std::vector<std::uint32_t> order(groups);
  std::iota(order.begin(), order.end(), 0U);
  if (order_of(seed) == run_order::descending) {
    std::reverse(order.begin(), order.end());
  } else {
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  }
  if (order_of(seed) == run_order::starving) {
    std::swap(*std::find(order.begin(), order.end(), seed / 2 % groups), order.back());
  }
  return order;
}

}  // namespace

run_order order_of(std::uint64_t seed) {
  if (seed < 2) return seed == 0 ? run_order::ascending : run_order::descending;
  return seed % 2 == 0 ? run_order::random : run_order::starving;
}

bool worker::start_group() {
  const std::uint64_t ticket = job->next_group.fetch_add(1, std::memory_order_relaxed);
  if (ticket >= job->groups) return false;
  const launch_config& c = job->config;
  std::erase_if(idle, [&](const auto& g) {
    return g->threads_per_block != job->threads_per_block || g->blocks.size() != c.cluster;
  });
  if (idle.empty()) {
    idle.push_back(std::make_unique<group>(*this, c.cluster, job->threads_per_block));
  }
  resident.push_back(std::move(idle.back()));
  idle.pop_back();
  resident.back()->begin(*job, job->order.empty() ? ticket : job->order[ticket]);
  return true;
}

void worker::retire(std::size_t index) {
  idle.push_back(std::move(resident[index]));
  resident.erase(resident.begin() + static_cast<std::ptrdiff_t>(index));
  watches = false;
}

void worker::take_order(std::uint64_t seed) {
  order = order_of(seed);
  const std::uint64_t victim = seed / 2;
  const unsigned warps = (job->threads_per_block + warp_size - 1) / warp_size;
  const bool starves = order == run_order::starving;
  last_warp = starves ? 1U << victim % warps : 0;
  last_lane = starves ? 1U << victim % warp_size : 0;
  whim = seed;
}

void worker::run(grid& g, unsigned index) {
  using clock = std::chrono::steady_clock;
  job = &g;
  counts = g.options.count || g.options.bank_conflicts;
  take_order(g.options.seed);
  hot.rounds = 0;
  watches = true;
  trace.total = {};
  applications = 0;
  trace.by_place = g.options.count && g.options.lines;
  trace.places.clear();
  trace.seeks_conflicts = g.options.check && g.options.bank_conflicts;
  if (counts) trace.branches.assign(known_blocks() + 1, {});
  random.seed(g.options.seed * 1000003 + index);
  std::uint64_t progress = 0, idle_rounds = 0;
  auto since = clock::now();
  const auto fail_launch = [&](const std::string& what) {
    const std::scoped_lock lock(g.mutex);
    if (g.failure.empty()) g.failure = what;
    g.stop = true;
  };
  std::size_t turn = 0;
  while (!g.stop.load(std::memory_order_relaxed)) {
    // A cluster that can go on; else a new one; else those that only gave way, in turn.
    std::size_t next = 0;
    while (next < resident.size() && !has_ready(*resident[next])) ++next;
    if (next == resident.size()) {
      constexpr unsigned streak = 16;
      const bool again = order >= run_order::random
                             ? random() % 2 == 0
                             : !resident.empty() && resident.back()->resumed < streak;
      if (!resident.empty() && resident.back()->preempted && again) {
        next = resident.size() - 1;
        ++resident[next]->resumed;
        wake(*resident[next]);
      } else if (resident.size() < job->most_resident && start_group()) {
        next = resident.size() - 1;
      } else if (resident.empty()) {
        break;
      } else {
        next = turn++ % resident.size();
        // A round may be long: with counters on, lanes that spin fill their logs first.
        const auto now = g.progress.load(std::memory_order_relaxed);
        if (now != progress) {
          progress = now;
          since = clock::now();
        } else if (std::chrono::duration<double>(clock::now() - since).count() >
                   g.options.patience_seconds) {
          give_up(*resident[next], true);
        }
        if (++idle_rounds % 64 == 0) std::this_thread::yield();
        wake(*resident[next]);
      }
    }
    group& chosen = *resident[next];
    if (has_ready(chosen)) resume(chosen);
    if (g.stop.load(std::memory_order_relaxed)) break;
    if (chosen.live == 0) {
      retire(next);
    } else if (!has_ready(chosen) &&
               std::none_of(chosen.blocks.begin(), chosen.blocks.end(), [](const block& b) {
                 return std::any_of(b.warps.begin(), b.warps.end(),
                                    [](const warp& w) { return w.spinning; });
               })) {
      give_up(chosen, false);
    }
  }
  for (const auto& done : idle) {
    const lane* const l = done->overflowed();
    if (l == nullptr) continue;
    fail_launch(describe(*l) + ", or the same thread of an earlier block: " + stack_advice);
    idle.clear();
    break;
  }
  trace.total.operator_applications = applications;
  for (const auto& [position, at] : trace.places) trace.total += at.counted;
  // Fibers stopped in the middle of a kernel are given up with their stacks.
  resident.clear();
  constexpr std::size_t most_kept = 4;
  if (idle.size() > most_kept) idle.resize(most_kept);
  job = nullptr;
}

namespace {

std::string failure_of(const grid& g) {
  if (g.failure_position == 0) return g.failure;
  const source_place at = source_places({g.failure_position}).at(g.failure_position);
  return g.failure + " (" + at.file + (at.line != 0 ? ":" + std::to_string(at.line) : "") + ")";
}

}  // namespace

bool run_grid(const launch_config& config, const void* kernel, entry body, void* arguments) {
  if (hot.current != nullptr) fail(*hot.current, "launches a kernel; kernels can't do that here");
  check_shape(config);
  static const run_options plain;
  const run_options& options = innermost != nullptr ? innermost->options : plain;
  grid g{.config = config,
         .options = options,
         .kernel = kernel,
         .body = body,
         .arguments = arguments,
         .threads_per_block = config.block.x * config.block.y * config.block.z,
         .groups = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z / config.cluster};
  g.order = order_of_groups(g.groups, options.seed);
  if (config.cooperative) g.most_resident = g.groups;
  catch_faults();
  machine& m = the_machine();
  const unsigned wanted = options.watch          ? 1
                          : options.workers != 0 ? options.workers
                                                 : default_workers();
  const auto workers =
      static_cast<unsigned>(std::min<std::uint64_t>({wanted, m.workers.size(), g.groups}));
  const std::scoped_lock one(m.launching);  // until their counts are read
  if (options.check) g.check = open_check(*innermost);
  if (options.watch) g.watch = open_watch(*innermost, kernel);
  m.threads.run(workers, [&](unsigned i) {
    try {
      m.workers[i]->run(g, i);
    } catch (...) {
      const std::scoped_lock lock(g.mutex);
      g.thrown = std::current_exception();
      g.stop = true;
      m.workers[i] = std::make_unique<worker>();
    }
  });
  if (g.check) close_check(*g.check, g, *innermost);
  if (g.thrown) std::rethrow_exception(g.thrown);
  if (!g.failure.empty()) throw kernel_error(failure_of(g), g.failure_kind);
  if (g.check && g.check->ended) return false;
  if (innermost != nullptr) enter_counts(g, {m.workers.data(), workers}, *innermost);
  return true;
}

}  // namespace detail

observe::observe(run_options o)
    : options(std::move(o)),
      outer_(detail::innermost),
      record_(std::make_unique<detail::scope_record>()) {
  for (const value_range& r : options.must_read) {
    record_->must_read.push_back(std::make_shared<detail::read_map>(r));
  }
  detail::innermost = this;
}
detail::scope_record& detail::record_of(const observe& scope) { return *scope.record_; }

observe::~observe() { detail::innermost = outer_; }

unsigned default_workers() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace simt
