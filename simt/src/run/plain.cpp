#include "simt/src/run/plain.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"
#include "simt/src/settings.hpp"

namespace simt::detail {

namespace {

struct table {
  std::mutex mutex;
  std::unordered_map<const void*, const plain_kernel*> kernels;
};
table& the_table() {
  static table t;
  return t;
}

/// simt/pass/plugin.cpp lists what its code takes for granted.
bool processor_fits() {
#if defined(__x86_64__)
  static const bool fits = __builtin_cpu_supports("avx2") != 0 &&
                           __builtin_cpu_supports("bmi") != 0 &&
                           __builtin_cpu_supports("bmi2") != 0;
  return fits;
#else
  return true;
#endif
}

/// Of this OS thread; one set of registers of a device, so to say.
constinit thread_local running_block here [[gnu::tls_model("initial-exec")]]{};

void copy(std::uint32_t (&to)[3], const auto& from) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

/// Blocks that a worker takes at a time: few enough that all end together.
std::uint64_t blocks_at_once(const grid& g) {
  constexpr std::uint64_t most = 64, shares = 32;
  return std::clamp<std::uint64_t>(g.clusters / (shares * g.agreement.workers + 1), 1, most);
}

}  // namespace

const plain_kernel* find_plain(const void* code) {
  table& t = the_table();
  const std::scoped_lock lock(t.mutex);
  const auto found = t.kernels.find(code);
  return found != t.kernels.end() ? found->second : nullptr;
}

void choose_engine(grid& g, const run_options& options) {
  const bool needs_more = options.watched || the_settings().watched || options.count ||
                          options.check || options.watch || options.bank_conflicts ||
                          options.seed != 0;
  if (needs_more || !processor_fits()) return;
  const plain_kernel* found = find_plain(reinterpret_cast<const void*>(g.body));
  const bool enters = found != nullptr;
  if (!enters) found = find_plain(g.kernel);
  // A loop that may have no end is left at a limit between two of its basic blocks.
  if (found == nullptr || found->code == nullptr || (g.limit_seconds != 0 && found->ends == 0)) {
    return;
  }
  const auto engine = static_cast<engine_kind>(found->kind);
  if (engine == engine_kind::blocks && g.config.cluster != 1) return;
  g.engine = engine;
  g.frame_bytes = found->frame_bytes;
  if (enters) {
    g.plain_body = reinterpret_cast<entry>(const_cast<void*>(found->code));
  } else {
    g.plain_code = found->code;
  }
}

void worker::run_blocks(lane& first) {
  grid& g = *launched;
  block& b = block_of(first);
  running_block& now = here;
  copy(now.block_size, g.config.block);
  copy(now.grid_size, g.config.grid);
  now.dynamic_bytes = static_cast<std::uint32_t>(b.dynamic_bytes);
  now.dynamic_shared = b.shared;
  if (frame.size() < g.frame_bytes + 64) frame.resize(g.frame_bytes + 64);
  now.frame = frame.data() + (64 - reinterpret_cast<std::uintptr_t>(frame.data()) % 64);
  now.barriers = now.applications = 0;
  const std::uint64_t most = blocks_at_once(g);
  std::uint64_t taken = 1, end = number_of(b) + 1;
  for (std::uint64_t next = end;; ++next) {
    copy(now.block_index, b.block_idx);
    body(g.arguments, code);
    total.warps += b.warps.size();
    if (next == end) {
      total.barriers += std::exchange(now.barriers, 0);
      __atomic_fetch_add(&applications, std::exchange(now.applications, 0), __ATOMIC_RELAXED);
      g.ended.fetch_add(taken, std::memory_order_relaxed);
      g.progress.fetch_add(1, std::memory_order_relaxed);
      if (g.stop.load(std::memory_order_relaxed)) return;
      if (is_past_limit()) return stop_at_limit();
      next = g.next_cluster.fetch_add(most, std::memory_order_relaxed);
      if (next >= g.clusters) return;
      end = std::min(next + most, g.clusters);
      taken = end - next;
    }
    b.block_idx = unflatten(next, g.config.grid);
    clear_shared(b);
  }
}

void worker::run_whole_blocks() {
  whole_blocks = true;
  if (start_cluster()) {
    resume(*resident.front());
    if (!launched->stop.load(std::memory_order_relaxed) && !stray) retire(0);
  }
  whole_blocks = false;
  if (stray) begin_again();
}

/// A thread went astray that only fibers can name: the same block again, and no others.
void worker::begin_again() {
  body = launched->body;
  code = launched->kernel;
  resident.clear();
  launched->next_cluster = launched->clusters;
  idle.push_back(
      std::make_unique<cluster>(*this, launched->config.cluster, launched->threads_per_block));
  resident.push_back(std::move(idle.back()));
  idle.pop_back();
  resident.back()->begin(*launched, stray->block);
  launched->held.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace simt::detail

// What the pass calls.
extern "C" {

void simt_take_kernels(const simt::detail::plain_kernel* first, std::uint64_t count) {
  auto& t = simt::detail::the_table();
  const std::scoped_lock lock(t.mutex);
  for (std::uint64_t i = 0; i < count; ++i) t.kernels.emplace(first[i].kernel, first + i);
}

simt::detail::running_block* simt_running_block() { return &simt::detail::here; }

/// The thread with this number in the block is about to fail.
void simt_name_thread(std::uint32_t thread) {
  simt::detail::lane& some = *simt::detail::tls.current;
  auto& warp = simt::detail::block_of(some).warps[thread / simt::detail::warp_size];
  simt::detail::tls.current = &warp.lanes[thread % simt::detail::warp_size];
  simt::detail::tls.warp = &warp;
}

/// The threads of the block have come to different barriers: fibers say who waits where.
[[noreturn]] void simt_threads_part() {
  using namespace simt::detail;
  lane& self = *tls.current;
  {
    const hooks_disabled quiet;
    const block& b = block_of(self);
    worker_of(self).stray =
        stray_access{number_of(b), 0, where_is(b) + ": its threads come to different barriers"};
  }
  abandon(self);
}

}  // extern "C"
