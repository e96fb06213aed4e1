// Launches as CUDA's host code makes them: with a status instead of an exception.
#include "simt/src/launch.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simt/cudart/captures.hpp"
#include "simt/cudart/orders.hpp"
#include "simt/cudart/state.hpp"
#include "simt/kernel.hpp"
#include "simt/memory.hpp"
#include "simt/src/program.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/failures.hpp"
#include "simt/src/run/kernel_sizes.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/tls.hpp"

extern "C" void* _Unwind_FindEnclosingFunction(void* pc);  // of the compiler's runtime

namespace simt::detail {

namespace {

struct configuration {
  launch_config config;
  cudaStream_t stream;
};
thread_local std::optional<configuration> configured;

std::mutex launches_mutex;
/// What cudaFuncSetAttribute allowed.
std::map<const void*, std::size_t> most_dynamic_shared;
std::set<const void*> may_take_large_clusters;

std::map<const void*, kernel_type> known_kernels;

/// What a lane has configured and not yet called, on this OS thread.
thread_local std::vector<std::pair<const lane*, configuration>> configured_by_lanes;

/// Launched by a kernel: runs when that has ended, which is when the device may run it, too.
struct child {
  configuration how;
  const void* kernel;
  entry body;
  std::shared_ptr<void> closure;
};
std::vector<child> children;  // of the grid that runs, in the order of their launches
std::size_t most_children = 2048;

/// False when the running lane has configured nothing: its kernel's body begins.
bool launch_child(void* inside, entry body, void* closure, keeper keep, const char* signature) {
  const lane* const caller = tls.current;
  const hooks_disabled quiet;
  const auto own = std::find_if(configured_by_lanes.begin(), configured_by_lanes.end(),
                                [=](const auto& c) { return c.first == caller; });
  if (own == configured_by_lanes.end()) return false;
  const configuration how = own->second;
  configured_by_lanes.erase(own);
  const void* const kernel = _Unwind_FindEnclosingFunction(static_cast<std::byte*>(inside) - 1);
  name_kernel(kernel, signature);
  const std::scoped_lock lock(launches_mutex);
  if (children.size() < most_children) {
    children.push_back({how, kernel, body, keep(closure)});
  } else {
    remember(cudaErrorLaunchPendingCountExceeded, "launch",
             "kernel " + kernel_name(kernel) + ": its parent has " + std::to_string(most_children) +
                 " launches pending; cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, …) "
                 "allows more");
  }
  return true;
}

/// Those of the grid that has just ended, and theirs; tails come last.
cudaError_t run_children() {
  std::vector<child> own;
  {
    const std::scoped_lock lock(launches_mutex);
    own.swap(children);
  }
  const auto is_tail = [](const child& c) { return c.how.stream == cudaStreamTailLaunch; };
  std::stable_partition(own.begin(), own.end(), [&](const child& c) { return !is_tail(c); });
  for (const child& c : own) {
    const cudaError_t status = run_with_status(c.how.config, c.kernel, c.body, c.closure.get());
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

/// Why a cooperative grid can't be on the device at once; "" when it can.
std::string too_large(const launch_config& c, const void* kernel) {
  const unsigned threads = c.block.x * c.block.y * c.block.z;
  const std::uint64_t blocks = std::uint64_t{c.grid.x} * c.grid.y * c.grid.z;
  const std::uint64_t most =
      std::uint64_t{the_device().processors} *
      fitting_blocks(threads, c.shared_bytes + sizes_of(kernel).static_shared,
                     known_registers(kernel));
  if (blocks > most) {
    return std::to_string(blocks) + " blocks of " + std::to_string(threads) +
           " threads; the device holds " + std::to_string(most) + " at once";
  }
  const std::size_t bytes = blocks * threads * touched_stack_bytes();
  if (bytes <= free_memory()) return "";
  return "all threads at once need about " + std::to_string(bytes >> 20) + " MiB, and " +
         std::to_string(free_memory() >> 20) + " MiB are free; take a smaller grid";
}

/// From a thread of the kernel: once is enough.
void note_name(const char* signature) {
  grid& g = grid_of(*tls.current);
  if (g.named.exchange(true, std::memory_order_relaxed)) return;
  const hooks_disabled quiet;
  name_kernel(g.kernel, signature);
}

cudaError_t status_of(const kernel_error& e) {
  switch (e.kind()) {
    case fault::assertion: return cudaErrorAssert;
    case fault::address: return cudaErrorIllegalAddress;
    case fault::alignment: return cudaErrorMisalignedAddress;
    case fault::limit: return cudaErrorLaunchTimeout;
    case fault::other: break;
  }
  return cudaErrorLaunchFailure;
}

cudaError_t status_of(const std::vector<finding>& findings) {
  const auto last = std::find_if(findings.rbegin(), findings.rend(),
                                 [](const finding& f) { return f.ends_launch; });
  if (last == findings.rend()) return cudaErrorLaunchFailure;
  switch (last->kind) {
    case finding_kind::out_of_bounds: return cudaErrorIllegalAddress;
    case finding_kind::misaligned: return cudaErrorMisalignedAddress;
    case finding_kind::deadlock:
    case finding_kind::spinning: return cudaErrorLaunchTimeout;
    default: return cudaErrorLaunchFailure;
  }
}

}  // namespace

cudaError_t launch_with_status(const launch_config& config, cudaStream_t stream, const void* kernel,
                               entry body, void* arguments) {
  if (!is_stream(stream)) return guarded([&] { return bad_stream("launch"); });
  if (const auto e = refuse_beside_capture("launch", stream); e != cudaSuccess) return e;
  if (const auto e = check_limits(config, kernel); e != cudaSuccess) return e;
  const cudaError_t status = run_with_status(config, kernel, body, arguments);
  if (auto* const line = current_timeline(); line != nullptr && status == cudaSuccess) {
    line->put(stream, {.bytes = line->kernel_bytes});
  }
  return status;
}

namespace {

/// Where no report of the program's own watches.
void note_failure(cudaError_t error, const std::string& why) {
  const observe* const scope = current_scope();
  if (scope == nullptr || is_of_program(scope)) {
    note_failed_launch(cudaGetErrorName(error) + (": " + why));
  }
}

}  // namespace

cudaError_t run_with_status(const launch_config& config, const void* kernel, entry body,
                            void* arguments) {
  watch_program();
  const auto refuse = [&](cudaError_t error, const std::string& why) {
    note_failure(error, "kernel " + kernel_name(kernel) + ": " + why);
    return remember(error, "launch", "kernel " + kernel_name(kernel) + ": " + why);
  };
  const cudaError_t status = guarded([&] {
    try {
      if (config.cooperative) {
        check_shape(config);
        if (const std::string why = too_large(config, kernel); !why.empty()) {
          return refuse(cudaErrorCooperativeLaunchTooLarge, why);
        }
      }
      if (!run_in_orders(config, kernel, body, arguments)) {
        const observe* const scope = current_scope();
        const cudaError_t error =
            scope != nullptr ? status_of(scope->findings) : cudaErrorLaunchFailure;
        stick(error);
        return refuse(error, "a finding ended it");
      }
    } catch (const launch_error& e) {
      return refuse(cudaErrorInvalidValue, e.what());
    } catch (const kernel_error& e) {
      stick(status_of(e));
      note_failure(status_of(e), e.what());
      return remember(status_of(e), "launch", e.what());
    } catch (const std::bad_alloc&) {
      return refuse(cudaErrorMemoryAllocation, "no memory for the threads' stacks");
    }
    return cudaSuccess;
  });
  if (status == cudaSuccess) return run_children();
  forget_children();
  return status;
}

void set_most_children(std::size_t count) {
  const std::scoped_lock lock(launches_mutex);
  most_children = count;
}
std::size_t pending_children() {
  const std::scoped_lock lock(launches_mutex);
  return children.size();
}
void forget_children(std::size_t kept) {
  const std::scoped_lock lock(launches_mutex);
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(std::min(kept, children.size())),
                 children.end());
}

void configure(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
  const configuration c{{.grid = grid, .block = block, .shared_bytes = shared_bytes}, stream};
  if (tls.current != nullptr) {
    const lane* const caller = tls.current;
    const hooks_disabled quiet;
    configured_by_lanes.emplace_back(caller, c);
  } else {
    configured = c;
  }
}

void run_kernel(entry body, void* closure, keeper keep, const char* signature, std::uint64_t,
                std::uint64_t, std::uint64_t, std::uint64_t) {
  void* const inside = __builtin_extract_return_addr(__builtin_return_address(0));
  if (tls.current != nullptr) {
    note_name(signature);
    if (!configured_by_lanes.empty() && launch_child(inside, body, closure, keep, signature)) {
      return;
    }
    return body(closure, nullptr);
  }
  const void* const kernel = _Unwind_FindEnclosingFunction(static_cast<std::byte*>(inside) - 1);
  name_kernel(kernel, signature);
  if (!configured) {
    throw launch_error("kernel " + kernel_name(kernel) +
                       " is called like a function; launch it with <<<grid, block>>>");
  }
  configuration c = *std::exchange(configured, std::nullopt);
  c.config = as_counted(c.config, sizes_of(kernel));
  if (is_stream(c.stream) && is_capturing(c.stream)) {
    if (check_limits(c.config, kernel) != cudaSuccess) return;
    c.config.stream = c.stream;
    return capture_launch(c.config, kernel, body, keep(closure));
  }
  launch_with_status(c.config, c.stream, kernel, body, closure);
}

void refuse_wait_in_kernel() {
  if (tls.current == nullptr || pending_children() == 0) return;
  fail(*tls.current,
       "waits for kernels that it launched, which CUDA 12 removed; move the code after it to "
       "another kernel and launch that in cudaStreamTailLaunch");
}

void* know_kernel(const void* kernel, const kernel_type& type) {
  const std::scoped_lock lock(launches_mutex);
  known_kernels.try_emplace(kernel, type);
  return const_cast<void*>(kernel);
}
const kernel_type* find_kernel(const void* kernel) {
  const std::scoped_lock lock(launches_mutex);
  const auto found = known_kernels.find(kernel);
  return found != known_kernels.end() ? &found->second : nullptr;
}

cudaError_t launch_known(const char* call, const launch_config& config, cudaStream_t stream,
                         const void* kernel, void** arguments) {
  const kernel_type* const type = find_kernel(kernel);
  if (type == nullptr) {
    return remember(cudaErrorInvalidDeviceFunction, call,
                    "the kernel's type is lost; pass the kernel itself, or (void*)kernel");
  }
  const auto kept = type->keep(kernel, arguments);
  if (is_stream(stream) && is_capturing(stream)) {
    if (const auto refused = check_limits(config, kernel); refused != cudaSuccess) return refused;
    auto c = config;
    c.stream = stream;
    capture_launch(c, kernel, type->enter, kept);
    return cudaSuccess;
  }
  return launch_with_status(config, stream, kernel, type->enter, kept.get());
}

cudaError_t read_config(const cudaLaunchConfig_t& from, launch_config& to) {
  to.grid = from.gridDim;
  to.block = from.blockDim;
  to.shared_bytes = from.dynamicSmemBytes;
  for (unsigned i = 0; i < from.numAttrs; ++i) {
    const cudaLaunchAttribute& a = from.attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) to.cooperative = a.val.cooperative != 0;
    const bool overlaps = (a.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                           a.val.programmaticStreamSerializationAllowed != 0) ||
                          a.id == cudaLaunchAttributeProgrammaticEvent;
    if (overlaps && !the_device().is_9_0()) {
      return remember(cudaErrorNotSupported, "launch",
                      "programmatic launches need compute capability 9.0; " + says_device());
    }
    if (a.id != cudaLaunchAttributeClusterDimension) continue;
    to.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
  }
  return cudaSuccess;
}

std::size_t allowed_shared(const void* kernel) {
  const std::scoped_lock lock(launches_mutex);
  const auto found = most_dynamic_shared.find(kernel);
  if (found != most_dynamic_shared.end()) return found->second;
  return shared_by_default - std::min(shared_by_default, sizes_of(kernel).static_shared);
}

void allow_large_clusters(const void* kernel, bool allowed) {
  const std::scoped_lock lock(launches_mutex);
  if (allowed) {
    may_take_large_clusters.insert(kernel);
  } else {
    may_take_large_clusters.erase(kernel);
  }
}
bool takes_large_clusters(const void* kernel) {
  const std::scoped_lock lock(launches_mutex);
  return may_take_large_clusters.contains(kernel);
}

cudaError_t attributes_of(cudaFuncAttributes* attributes, const void* kernel) {
  // Registers are the device compiler's to know; programs divide by them.
  constexpr unsigned registers_assumed = 32;
  const unsigned registers = known_registers(kernel);
  const kernel_sizes sizes = sizes_of(kernel);
  const dim3 cluster = fixed_cluster(sizes);
  *attributes = {.sharedSizeBytes = sizes.static_shared,
                 .maxThreadsPerBlock = static_cast<int>(most_threads(sizes)),
                 .numRegs = static_cast<int>(registers != 0 ? registers : registers_assumed),
                 .ptxVersion = static_cast<int>(the_device().capability),
                 .binaryVersion = static_cast<int>(the_device().capability),
                 .maxDynamicSharedSizeBytes = static_cast<int>(allowed_shared(kernel)),
                 .preferredShmemCarveout = cudaSharedmemCarveoutDefault,
                 .clusterDimMustBeSet = cluster.x != 0 ? 1 : 0,
                 .requiredClusterWidth = static_cast<int>(cluster.x),
                 .requiredClusterHeight = static_cast<int>(cluster.y),
                 .requiredClusterDepth = static_cast<int>(cluster.z)};
  return sticky_error();
}

cudaError_t check_limits(const launch_config& config, const void* kernel) {
  return guarded([&] {
    const kernel_sizes sizes = sizes_of(kernel);
    const auto refuse = [&](cudaError_t error, const std::string& why) {
      return remember(error, "launch", "kernel " + kernel_name(kernel) + ": " + why);
    };
    const launch_config clustered = in_clusters(config, sizes);
    for (const std::string& why : {wrong_shape(clustered), beyond_bounds(config, sizes)}) {
      if (!why.empty()) return refuse(cudaErrorInvalidValue, why);
    }
    for (const std::string& why : {other_clusters(clustered, sizes), wrong_clusters(clustered)}) {
      if (!why.empty()) return refuse(cudaErrorInvalidClusterSize, why);
    }
    if (blocks_of_cluster(clustered) > most_blocks_of_cluster && !takes_large_clusters(kernel)) {
      return refuse(
          cudaErrorInvalidClusterSize,
          std::to_string(blocks_of_cluster(clustered)) +
              " blocks in a cluster, and 8 are allowed; call cudaFuncSetAttribute(kernel, "
              "cudaFuncAttributeNonPortableClusterSizeAllowed, 1) first");
    }
    const unsigned threads = config.block.x * config.block.y * config.block.z;
    if (const unsigned registers = known_registers(kernel);
        fitting_blocks(threads, 0, registers) == 0) {
      return refuse(cudaErrorLaunchOutOfResources,
                    std::to_string(threads) + " threads of " + std::to_string(registers) +
                        " registers in a block, and a multiprocessor has " +
                        std::to_string(the_device().registers_per_processor));
    }
    const std::size_t allowed = allowed_shared(kernel);
    if (config.shared_bytes <= allowed) return cudaSuccess;
    return refuse(cudaErrorInvalidValue,
                  std::to_string(config.shared_bytes) + " bytes of dynamic shared memory, and " +
                      std::to_string(allowed) +
                      " are allowed; call cudaFuncSetAttribute(kernel, "
                      "cudaFuncAttributeMaxDynamicSharedMemorySize, …) first");
  });
}

cudaError_t set_most_dynamic_shared(const void* kernel, int bytes) {
  return guarded([&] {
    constexpr const char* call = "cudaFuncSetAttribute";
    if (bytes < 0) return remember(cudaErrorInvalidValue, call, "a negative size of shared memory");
    const std::size_t in_all = static_cast<std::size_t>(bytes) + sizes_of(kernel).static_shared;
    if (const std::string why = too_much_shared(in_all); !why.empty()) {
      return remember(cudaErrorInvalidValue, call, "kernel " + kernel_name(kernel) + ": " + why);
    }
    const std::scoped_lock lock(launches_mutex);
    most_dynamic_shared[kernel] = static_cast<std::size_t>(bytes);
    return cudaSuccess;
  });
}

}  // namespace simt::detail
