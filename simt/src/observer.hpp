// What a launch tells those that look on: the counters, the checker, the recorder.
//
// run/ calls this interface and knows none of them. A launch that nobody observes has a null
// pointer in its place: the hooks then cost one comparison. Every function does nothing unless it
// is overridden. Where it says nothing else, the running lane is tls.current, and the hooks are
// enabled: an observer that does more than a little disables them (hooks_disabled, run/tls.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/findings.hpp"

namespace simt::detail {

struct lane;
struct warp;
struct block;
struct cluster;
struct grid;
struct collective;

enum class access_kind : std::uint8_t { load, store, atomic };
enum class space : std::uint8_t { global, shared, remote };

/// What is wrong with a barrier or a warp operation.
struct hazard {
  finding_kind kind{};
  const lane& self;
  const std::string& what;
  const lane* other;  // the thread that it has to do with, or nullptr
  const std::string& other_does;
};

/// One observer serves one worker, or several where it says so.
class observer {
 public:
  observer() = default;
  virtual ~observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;

  // The launch. The hooks are disabled.
  /// A worker takes up the launch, on its own OS thread.
  virtual void worker_begins(const grid&) {}
  /// The cluster with this number in the grid will run next.
  virtual void cluster_begins(cluster&, const grid&, std::uint64_t /*number*/) {}

  // The switches.
  /// From now on the hooks see this lane.
  virtual void lane_resumes(const lane&) {}
  /// The running lane lets another run.
  virtual void lane_leaves(lane&) {}
  /// No lane of the warp can go on. The hooks are disabled.
  virtual void warp_stalls(warp&) {}
  /// The last thread of its block has ended.
  virtual void block_ends(const lane& /*last*/) {}

  // The accesses, each before it happens. `pc` is the code position behind the call of the hook.
  virtual void access(std::uintptr_t /*address*/, access_kind, space, unsigned /*size_log2*/,
                      std::uintptr_t /*pc*/) {}
  /// The next access, an atomic, compares what is there with what the thread expects.
  virtual void atomic_compares(std::uintptr_t /*address*/) {}
  /// A shift by the width of what is shifted, or by more.
  virtual void wide_shift(std::uintptr_t /*pc*/) {}
  /// Of memory that is neither the device's nor on this thread's stack.
  virtual void other_access(std::uintptr_t /*address*/, access_kind, unsigned /*size_log2*/,
                            std::uintptr_t /*pc*/) {}
  /// Of 16 bytes. The launch fails when this returns.
  virtual void misaligned_access(std::uintptr_t /*address*/, access_kind, space,
                                 std::uintptr_t /*pc*/) {}
  virtual void bulk_load(const void* /*shared*/, const void* /*global*/, std::size_t /*bytes*/,
                         std::uintptr_t /*pc*/) {}
  virtual void bulk_store(const void* /*global*/, const void* /*shared*/, std::size_t /*bytes*/,
                          std::uintptr_t /*pc*/) {}
  /// What the lanes in `mask` did together, from `addresses[lane]` on. Only the counters know it:
  /// they tell it to the observer that they were given. The hooks are disabled.
  virtual void warp_access(const warp&, std::uint64_t /*site*/, std::uint32_t /*mask*/,
                           const std::uint64_t* /*addresses*/, std::uint64_t /*conflicts*/) {}

  // What orders accesses. At a meeting the running lane is the last one that came.
  /// The thread's next atomic or fence is for its block alone.
  virtual void block_scope() {}
  virtual void fence() {}
  /// The lane tells what it did to whoever acquires after that; both without an access.
  virtual void release() {}
  virtual void acquire() {}
  /// The next access, of this address, is an atomic load or store.
  virtual void atomic_word(std::uintptr_t /*address*/, bool /*release*/) {}
  /// The next access of this address is of a volatile object. `decides`: when its loop is left.
  virtual void volatile_access(std::uintptr_t /*address*/, bool /*decides*/) {}
  /// The thread is about to come to this barrier of its block, which others may pass by; it is past
  /// it, whether it came to it or not (simt/pass/passing.hpp).
  virtual void comes_to(const void* /*barrier*/) {}
  virtual void passes(const void* /*barrier*/) {}
  virtual void block_barrier(const block&) {}
  /// Some of its threads have met, or one tells others that it has come: what all have done by then
  /// comes before what they do next. (Of those that did not meet that is not so, but not known.)
  virtual void some_of_block_met(const block&) {}
  virtual void cluster_barrier(const cluster&) {}
  virtual void grid_arrival(const block&) {}
  virtual void grid_departure(const block&) {}
  virtual void warp_operation(const warp&, const collective&, bool /*exchanges*/) {}

  /// A kernel survives this one, and so does the launch.
  virtual void notices(const hazard&) {}
  // What can't go on. True: this observer reports it, and the launch ends without an error.
  virtual bool reports(const hazard&) { return false; }
  /// The cluster can't go on, or all that can `spins` without progress. The hooks are disabled.
  virtual bool reports_hang(const cluster&, bool /*spins*/) { return false; }
};

}  // namespace simt::detail
