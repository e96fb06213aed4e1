// A launch: picks who observes it, lets the machine run it, and hands on what they found.
#include "simt/src/launch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "simt/shift.hpp"
#include "simt/src/check/checker.hpp"
#include "simt/src/check/source.hpp"
#include "simt/src/count/sum.hpp"
#include "simt/src/count/traffic.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/observers.hpp"
#include "simt/src/program.hpp"
#include "simt/src/record/recorder.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/kernel_sizes.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/plain.hpp"
#include "simt/src/run/stacks.hpp"
#include "simt/src/run/tls.hpp"
#include "simt/src/settings.hpp"

extern "C" const char SIMT_INTERFACE = 0;

namespace simt {

namespace detail {

thread_local std::uint64_t trial_value = 0;

namespace {

thread_local observe* innermost = nullptr;
std::atomic<bool> launching = false;  // one launch at a time

/// Of all threads, in the order of their beginning.
struct scopes {
  std::mutex mutex;
  std::vector<observe*> alive;
};
scopes& all_scopes() {
  static scopes all;
  return all;
}

/// Those that look on at one launch, as its scope asks for them.
class launch_observers {
 public:
  launch_observers(observe* scope, const run_options& options, const void* kernel,
                   unsigned workers) {
    if (options.check) check_.emplace(*scope);
    if (options.watch) record_.emplace(*scope, kernel);
    if (options.count || options.bank_conflicts) {
      lend_tracers(options, workers, scope != nullptr ? record_of(*scope).traffic_before : 0);
    }
    for (unsigned i = 0; i < workers; ++i) add_worker(i);
  }

  /// By worker; none where nobody looks on.
  [[nodiscard]] std::span<observer* const> by_worker() const { return by_worker_; }
  [[nodiscard]] std::span<const std::unique_ptr<tracer>> tracers() const { return tracers_; }
  [[nodiscard]] const checker* check() const { return check_ ? &*check_ : nullptr; }
  /// A worker stopped in the middle of something.
  static void forget_tracers() { all_tracers().clear(); }

 private:
  /// They stay from launch to launch, with their memory.
  static std::vector<std::unique_ptr<tracer>>& all_tracers() {
    static std::vector<std::unique_ptr<tracer>> all;  // one launch at a time
    return all;
  }

  void lend_tracers(const run_options& options, unsigned workers, std::uint32_t cold_before) {
    auto& all = all_tracers();
    while (all.size() < workers) all.push_back(std::make_unique<tracer>());
    tracers_ = {all.data(), workers};
    const bool tells = options.check && options.bank_conflicts;
    for (const auto& t : tracers_) {
      t->tell(tells ? &*check_ : nullptr);
      t->forget_caches(cold_before);
    }
  }

  void add_worker(unsigned index) {
    std::vector<observer*> observers;
    if (check_) observers.push_back(&*check_);
    if (record_) observers.push_back(&*record_);
    if (!tracers_.empty()) observers.push_back(tracers_[index].get());
    if (observers.empty()) return;
    if (observers.size() > 1) {
      lists_.push_back(std::make_unique<observer_list>(std::move(observers)));
      observers = {lists_.back().get()};
    }
    by_worker_.push_back(observers.front());
  }

  std::optional<checker> check_;
  std::optional<recorder> record_;
  std::span<const std::unique_ptr<tracer>> tracers_;
  std::vector<std::unique_ptr<observer_list>> lists_;
  std::vector<observer*> by_worker_;
};

std::string failure_of(const grid& g) {
  if (g.failure_position == 0) return g.failure;
  const source_place at = source_places({g.failure_position}).at(g.failure_position);
  return g.failure + " (" + at.file + (at.line != 0 ? ":" + std::to_string(at.line) : "") + ")";
}

void set_limit(grid& g, const run_options& options) {
  g.limit_seconds =
      options.limit_seconds != 0 ? options.limit_seconds : the_settings().limit_seconds;
  if (g.limit_seconds == 0) return;
  using clock = std::chrono::steady_clock;
  const std::chrono::duration<double> seconds(std::min(g.limit_seconds, 1e9));
  g.deadline = clock::now() + std::chrono::duration_cast<clock::duration>(seconds);
}

unsigned workers_for(const run_options& options, std::uint64_t clusters) {
  const unsigned wanted = options.watch          ? 1
                          : options.workers != 0 ? options.workers
                                                 : default_workers();
  return static_cast<unsigned>(std::min<std::uint64_t>({wanted, most_workers(), clusters}));
}

}  // namespace

bool is_launching() { return launching; }

observe* current_scope() {
  if (innermost != nullptr) return innermost;
  scopes& all = all_scopes();
  const std::scoped_lock lock(all.mutex);
  return all.alive.empty() ? nullptr : all.alive.back();
}

void leave_to_all_threads(const observe& scope) {
  innermost = nullptr;
  scopes& all = all_scopes();
  const std::scoped_lock lock(all.mutex);
  const auto own = std::find(all.alive.begin(), all.alive.end(), &scope);
  std::rotate(all.alive.begin(), own, own + 1);
}

bool run_grid(const launch_config& asked, const void* kernel, entry body, void* arguments) {
  if (tls.current != nullptr) fail(*tls.current, "launches a kernel; kernels can't do that here");
  if (the_settings().check || !the_settings().report.file.empty()) watch_program();
  const kernel_sizes sizes = sizes_of(kernel);
  const launch_config config = in_clusters(asked, sizes);
  check_shape(config);
  for (const auto& why : {beyond_bounds(config, sizes), other_clusters(config, sizes)}) {
    if (!why.empty()) throw launch_error("simt::launch: " + why);
  }
  static const run_options plain;
  const auto occupied = occupy_machine();  // until what was counted is read
  if (the_settings().stack_bytes != 0) want_stack(the_settings().stack_bytes);
  want_stack_for_locals(sizes.locals);
  observe* const scope = current_scope();
  const run_options& options = scope != nullptr ? scope->options : plain;
  grid g{.config = config,
         .options = options,
         .kernel = kernel,
         .body = body,
         .arguments = arguments,
         .threads_per_block = config.block.x * config.block.y * config.block.z,
         .clusters = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z /
                     blocks_of_cluster(config)};
  g.order = order_of_clusters(g.clusters, options.seed);
  if (config.cooperative) g.most_resident = g.clusters;
  set_limit(g, options);
  catch_faults();
  const unsigned workers = workers_for(options, g.clusters);
  g.most_held = std::max<std::uint64_t>(
      g.most_resident * workers, fitting_clusters(blocks_of_cluster(config), g.threads_per_block,
                                                  config.shared_bytes + sizes.static_shared));
  const device_memory_open open;
  show_variables_of(current_device());
  const launch_observers observers(scope, options, kernel, workers);
  g.observers = observers.by_worker();
  choose_engine(g, options);
  if (scope != nullptr) scope->engine = g.engine;
  g.agreement.workers = workers;
  watch_shifts = options.check ? 1 : 0;
  absent_value = trial_value;
  launching = true;
  const counters total = run_on_machine(g, workers);
  const checker* const check = observers.check();
  if (check != nullptr) check->close(g, *scope);
  launching = false;
  if (interrupted != 0 && !g.failure.empty()) note_failed_launch(failure_of(g));
  end_if_interrupted();
  if (g.thrown) {
    launch_observers::forget_tracers();
    std::rethrow_exception(g.thrown);
  }
  if (!g.failure.empty()) throw kernel_error(failure_of(g), g.failure_kind);
  if (check != nullptr && check->ended) return false;
  if (scope != nullptr) enter_counts(g, total, observers.tracers(), *scope);
  return true;
}

}  // namespace detail

observe::observe(run_options o)
    : options(std::move(o)),
      outer_(detail::innermost),
      record_(std::make_unique<detail::scope_record>()) {
  record_->traffic_before = detail::traffic_so_far();
  for (const value_range& r : options.must_read) {
    record_->required_reads.push_back(std::make_shared<detail::read_map>(r));
  }
  detail::innermost = this;
  detail::scopes& all = detail::all_scopes();
  const std::scoped_lock lock(all.mutex);
  all.alive.push_back(this);
}
detail::scope_record& detail::record_of(const observe& scope) { return *scope.record_; }

observe::~observe() {
  detail::innermost = outer_;
  const auto no_launch = detail::occupy_machine();  // of another thread, which we observe
  detail::scopes& all = detail::all_scopes();
  const std::scoped_lock lock(all.mutex);
  std::erase(all.alive, this);
}

}  // namespace simt
