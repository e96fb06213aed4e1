#include "simt/src/run/plain.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "simt/src/run/cluster.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"
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

/// How many levels this processor can run: simt/pass/levels.cpp lists what each takes for granted.
unsigned levels_here() {
#if defined(__x86_64__)
  static const unsigned levels = [] {
    const auto all = [](auto... has) { return (... && (has != 0)); };
    if (!all(__builtin_cpu_supports("sse4.2"), __builtin_cpu_supports("popcnt"))) return 0U;
    if (!all(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
             __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2"))) {
      return 1U;
    }
    return all(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
               __builtin_cpu_supports("avx512cd"), __builtin_cpu_supports("avx512dq"),
               __builtin_cpu_supports("avx512vl"))
               ? 3U
               : 2U;
  }();
  return std::min(levels, the_settings().levels);
#else
  return 1;
#endif
}

/// The best code that this processor can run, or nullptr.
const void* code_here(const plain_kernel& k) {
  for (unsigned level = levels_here(); level-- > 0;) {
    if (k.code[level] != nullptr) return k.code[level];
  }
  return nullptr;
}

/// For the launch of `body(arguments, kernel)`: what the pass made of the body, or of what it
/// calls.
const plain_kernel* find_either(const void* body, const void* kernel) {
  const plain_kernel* const found = find_plain(body);
  return found != nullptr ? found : find_plain(kernel);
}

/// On stderr, at a kernel's first launch.
void say_engine(const grid& g, const plain_kernel* found, bool needs_more) {
  static std::set<const void*> said;  // one launch at a time
  if (!said.insert(g.kernel).second) return;
  std::string text = "simt: kernel " + kernel_name(g.kernel) + ": " + name_of(g.engine);
  if (g.engine == engine_kind::watched && needs_more) {
    text += ", since the launch is observed";
  } else if (found == nullptr) {
    text += ", since it was compiled without the pass for plain kernels";
  } else if (*found->why != 0) {
    text += std::string(", since it ") + found->why;
  } else if (g.engine == engine_kind::watched) {
    text += blocks_of_cluster(g.config) != 1 ? ", since its blocks run in clusters"
                                             : ", since it was not compiled for this processor";
  }
  std::fprintf(stderr, "%s\n", text.c_str());
}

/// On stderr, once for each place.
void say_lockstep(const grid& g, const char* at) {
  static std::set<std::string> said;
  if (!said.insert(at).second) return;
  std::fprintf(
      stderr,
      "simt: kernel %s: relies on lockstep at %s: volatile accesses of a warp's lanes, with "
      "no __syncwarp() between them; SIMT_CHECK=1 lists the races\n",
      kernel_name(g.kernel).c_str(), at);
}

/// Of this OS thread; one set of registers of a device, so to say.
constinit thread_local running_block here [[gnu::tls_model("initial-exec")]]{};

void copy(std::uint32_t (&to)[3], const auto& from) {
  to[0] = from.x, to[1] = from.y, to[2] = from.z;
}

/// To the block with this number, which is the next one more often than not.
void step(uint3& at, const dim3& shape, std::uint64_t number) {
  const bool in_row = at.x + 1 < shape.x && shape.y == 1 && shape.z == 1;
  at = in_row && number == at.x + 1 ? uint3{at.x + 1, 0, 0} : unflatten(number, shape);
}

/// A worker asks after so many blocks, at the latest, whether to go on.
constexpr std::uint64_t blocks_until_asked = 64;

/// Blocks that a worker takes at a time: so many that it goes through memory in long pieces, few
/// enough that all workers end together.
std::uint64_t blocks_at_once(const grid& g) {
  constexpr std::uint64_t most = 1024, shares = 32;
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
  const auto* const body = reinterpret_cast<const void*>(g.body);
  const plain_kernel* const found = find_either(body, g.kernel);
  const void* const code = found != nullptr && !needs_more ? code_here(*found) : nullptr;
  const auto engine = static_cast<engine_kind>(found != nullptr ? found->kind : 0);
  if (code != nullptr && !(engine == engine_kind::blocks && blocks_of_cluster(g.config) != 1)) {
    g.engine = engine;
    g.frame_bytes = found->frame_bytes;
    if (found->kernel == body) {
      g.plain_body = reinterpret_cast<entry>(const_cast<void*>(code));
    } else {
      g.plain_code = code;
    }
  }
  if (found != nullptr && *found->relies_at != 0 && !options.check && options.seed == 0) {
    say_lockstep(g, found->relies_at);
  }
  if (the_settings().engines) say_engine(g, found, needs_more);
}

/// The thread of the block with this number is the one that runs.
void name_thread(std::uint32_t thread) {
  block& b = block_of(*tls.current);
  warp& w = b.warps[thread / warp_size];
  lane& l = w.lanes[thread % warp_size];
  l.thread_idx = unflatten(thread, grid_of(b).config.block);
  tls.current = &l;
  tls.warp = &w;
}

void part_threads(const char* why) {
  lane& self = *tls.current;
  {
    const hooks_disabled quiet;
    const block& b = block_of(self);
    worker_of(self).stray = stray_thread{number_of(b), 0, fault::other, where_is(b) + ": " + why};
  }
  abandon(self);
}

void worker::run_blocks(lane& first) {
  grid& g = *launched;
  block& b = block_of(first);
  running_block& now = here;
  copy(now.block_size, g.config.block);
  copy(now.grid_size, g.config.grid);
  now.dynamic_bytes = static_cast<std::uint32_t>(b.dynamic_bytes);
  now.dynamic_shared = b.shared;
  auto& frame = b.cluster->frame;
  if (frame.size() < g.frame_bytes + 64) frame.resize(g.frame_bytes + 64);
  now.frame = frame.data() + (64 - reinterpret_cast<std::uintptr_t>(frame.data()) % 64);
  now.barriers = now.applications = 0;
  const std::uint64_t most = blocks_at_once(g);
  std::uint64_t taken = 1, end = number_of(b) + 1;
  for (std::uint64_t next = end;; ++next) {
    copy(now.block_index, b.block_idx);
    body(g.arguments, code);
    total.warps += b.warps.size();
    if (next % blocks_until_asked == 0 || next == end) {
      if (g.stop.load(std::memory_order_relaxed)) return;
      if (is_past_limit()) return stop_at_limit("");
    }
    if (next == end) {
      total.barriers += std::exchange(now.barriers, 0);
      __atomic_fetch_add(&applications, std::exchange(now.applications, 0), __ATOMIC_RELAXED);
      g.ended.fetch_add(taken, std::memory_order_relaxed);
      g.progress.fetch_add(1, std::memory_order_relaxed);
      if (g.config.cooperative) {
        b.cluster->live = b.warps.front().live = 0;
        return;
      }
      next = g.next_cluster.fetch_add(most, std::memory_order_relaxed);
      if (next >= g.clusters) return;
      end = std::min(next + most, g.clusters);
      taken = end - next;
    }
    step(b.block_idx, g.config.grid, next);
    clear_shared(b);
  }
}

void worker::run_whole_blocks() {
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
  idle.push_back(std::make_unique<cluster>(*this, blocks_of_cluster(launched->config),
                                           launched->threads_per_block));
  resident.push_back(std::move(idle.back()));
  idle.pop_back();
  resident.back()->begin(*launched, stray->block);
  launched->held.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace simt::detail

// What the pass calls.
extern "C" {

void SIMT_TAKE_KERNELS(const simt::detail::plain_kernel* first, std::uint64_t count) {
  auto& t = simt::detail::the_table();
  const std::scoped_lock lock(t.mutex);
  for (std::uint64_t i = 0; i < count; ++i) t.kernels.emplace(first[i].kernel, first + i);
}

simt::detail::running_block* simt_running_block() { return &simt::detail::here; }

/// The thread with this number in the block is about to fail.
void simt_name_thread(std::uint32_t thread) { simt::detail::name_thread(thread); }

/// All threads of the block have come to a barrier of the grid.
void simt_grid_barrier(simt::detail::place at) {
  using namespace simt::detail;
  lane& self = *tls.current;
  if (!grid_of(self).config.cooperative) part_threads("it waits for the grid");
  worker_of(self).keep_running(0, false, nullptr);
  self.at = at;
  const running_block own = here;
  wait_for_grid(self);
  here = own;
}

/// The threads of the block have come to different barriers: fibers say who waits where.
[[noreturn]] void simt_threads_part() {
  simt::detail::part_threads("its threads come to different barriers");
}

}  // extern "C"
