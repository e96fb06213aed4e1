// Launching a kernel on the CPU machine: every CUDA thread is a fiber, blocks are spread over the
// cores, and a launch returns when the grid is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt/counters.hpp"
#include "simt/engine.hpp"
#include "simt/error.hpp"
#include "simt/findings.hpp"
#include "simt/interface.hpp"
#include "simt/kernel_counts.hpp"
#include "simt/launch_profile.hpp"
#include "simt/streams.hpp"
#include "simt/vector_types.hpp"
#include "simt/watch.hpp"

namespace simt {

struct launch_config {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  // dynamic shared memory of a block
  dim3 cluster = 1;              // blocks per cluster
  bool cooperative = false;      // all blocks at once: they may wait for each other
  void* stream = nullptr;        // for captures and timelines; the launch runs at once
};

/// Values in device memory.
struct value_range {
  template <class T>
  value_range(const T* values, std::size_t n) : begin(values), count(n), size(sizeof(T)) {}

  const void* begin;
  std::size_t count, size;
};

/// How the machine runs the launches made while an `observe` scope is alive on this host thread.
struct run_options {
  unsigned workers = 0;  // OS threads; 0: one per core
  /// Fill all counters, about five times slower; else only those of launches, warps, barriers and
  /// applications.
  bool count = false;
  bool check = false;  // collect findings
  bool notes = false;  // with `check`: also what is no mistake, but worth a look
  bool lines = false;  // with `count`: also by places of the code
  bool watch = false;  // keep every step, on one worker
  /// Runs kernels as if one of these were asked for: no kernel without callbacks. So does the
  /// environment's SIMT_WATCHED=1.
  bool watched = false;
  /// With `check`: what the launches must read, all of it; what they don't is a finding.
  std::vector<value_range> must_read{};
  /// With `check`: bank conflicts are findings too.
  bool bank_conflicts = false;
  /// With `check`: kernels may access all of the host's memory, as where a device has
  /// cudaDevAttrPageableMemoryAccess. Else that is a finding.
  bool pageable_access = false;
  /// For `inspect`: memory of the device that is allocated meanwhile and not freed is a finding.
  bool leaks = false;
  /// The order of blocks, warps and lanes. 0: ascending; 1: descending; even: random; odd: random,
  /// but one block, one warp of each block and one lane of each warp come last. With one worker the
  /// same seed gives the same run.
  std::uint64_t seed = 0;
  /// How long a grid may do nothing but read the same words, which nobody writes, before the launch
  /// ends. A kernel that computes is never in vain.
  double patience_seconds = 30;
  /// How long a launch may take. 0: as the environment's SIMT_LIMIT says, or as long as it likes.
  double limit_seconds = 0;
};

class observe;
namespace detail {
struct scope_record;
scope_record& record_of(const observe& scope);
}  // namespace detail

/// Applies `options` to the launches made on this host thread during its life and adds up
/// their counters in `total`, their findings in `findings` and their steps in `steps`; the last two
/// also of a launch that throws. In `errors` what is behind the errors of CUDA's runtime.
/// Scopes nest; the innermost one counts. Launches of host threads that have none belong to the one
/// that began last.
class observe {
 public:
  explicit observe(run_options options);
  ~observe();
  observe(const observe&) = delete;
  observe& operator=(const observe&) = delete;

  run_options options;
  counters total;
  std::vector<kernel_counts> kernels;    // in the order of their first launch
  std::vector<launch_profile> profiles;  // of each kernel and shape, with run_options::count
  std::vector<finding> findings;
  std::vector<finding> notes;  // if run_options::notes asks for them
  std::vector<watched_step> steps;
  std::vector<std::string> errors;
  engine_kind engine = engine_kind::watched;  // that ran the last launch

 private:
  friend detail::scope_record& detail::record_of(const observe& scope);
  observe* outer_;
  std::unique_ptr<detail::scope_record> record_;
};

/// Cores that a launch uses by default.
unsigned default_workers();

namespace detail {
/// Calls the kernel, or what stands in its place, with these arguments.
using entry = void (*)(void* arguments, const void* kernel);
/// False when a finding ended it.
bool run_grid(const launch_config& config, const void* kernel, entry body, void* arguments);

/// A copy of a launch's arguments, or of a kernel's closure, that outlives the call.
using keeper = std::shared_ptr<void> (*)(const void* original);
std::shared_ptr<void> keep_bytes(const void* original, std::size_t size, std::size_t alignment);
template <class Arguments>
std::shared_ptr<void> keep(const void* original) {
  if constexpr (std::is_trivially_copy_constructible_v<Arguments> &&
                std::is_trivially_destructible_v<Arguments>) {
    return keep_bytes(original, sizeof(Arguments), alignof(Arguments));  // quick to compile
  } else {
    return std::make_shared<Arguments>(*static_cast<const Arguments*>(original));
  }
}

/// The same as an operation of its stream, or of the graph that it is being captured into.
void launch_in_stream(const launch_config& config, const void* kernel, entry body, void* arguments,
                      keeper keep);

/// Reads the launch's arguments, which is no step of the kernel's.
template <class... Parameters, std::size_t... Index>
[[clang::no_sanitize("coverage")]] void call_kernel(void (*kernel)(Parameters...),
                                                    const std::tuple<Parameters...>& arguments,
                                                    std::index_sequence<Index...>) {
  kernel(std::get<Index>(arguments)...);
}
}  // namespace detail

/// Runs `kernel(args...)` on every thread of the grid and returns when all have ended; or puts that
/// into the graph that the stream is being captured into.
/// Throws launch_error for a shape no device takes and kernel_error for a kernel that hangs,
/// breaks a barrier or misuses a warp collective.
template <class... Parameters, class... Args>
void launch(const launch_config& config, void (*kernel)(Parameters...), Args&&... args) {
  struct bound {
    std::tuple<Parameters...> arguments;

    // Not a step of the kernel's.
    [[clang::no_sanitize("coverage")]] static void enter(void* p, const void* address) {
      const auto& b = *static_cast<const bound*>(p);
      using function = void (*)(Parameters...);
      detail::call_kernel(reinterpret_cast<function>(const_cast<void*>(address)), b.arguments,
                          std::index_sequence_for<Parameters...>());
    }
  } call{std::tuple<Parameters...>(std::forward<Args>(args)...)};
  detail::launch_in_stream(config, reinterpret_cast<const void*>(kernel), bound::enter, &call,
                           detail::keep<bound>);
}

}  // namespace simt
