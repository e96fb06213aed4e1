// What a recorded launch (run_options::watch) keeps until the threads that did it meet: then it
// becomes a step.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simt/launch.hpp"
#include "simt/src/observer.hpp"
#include "simt/src/run/model.hpp"
#include "simt/watch.hpp"

namespace simt::detail {

/// Records one launch, which has one worker.
class recorder final : public observer {
 public:
  recorder(observe& scope, const void* kernel);

  void lane_leaves(lane& self) override;
  void block_ends(const lane& last) override;
  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override;
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override;
  void block_barrier(const block& b) override;
  void cluster_barrier(const cluster& c) override;
  void warp_operation(const warp& w, const collective& c, bool exchanges) override;

 private:
  /// What a warp has done since its last step.
  struct part {
    std::vector<watched_access> accesses;
    std::map<std::pair<std::uint64_t, unsigned>, std::size_t> index;  // by site and visit
    std::map<std::pair<std::uint64_t, unsigned>, unsigned> visits;    // by site and lane
    std::array<std::uint32_t, warp_size> applications{};
  };

  part& part_of(const warp& w);
  void note(lane& self, std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
            std::uintptr_t pc);
  void attribute(const lane& self);
  [[nodiscard]] watched_step begin_step(const block& b, step_end why) const;
  static void move_into(watched_step& step, part& from, unsigned warp, const cluster& c);
  void close_block(const block& b, step_end why, const char* intrinsic);

  std::vector<watched_step>& steps_;
  unsigned launch_;
  std::string kernel_;
  std::map<const block*, std::vector<part>> parts_;  // of the blocks in flight, by warp
  std::uint64_t applications_ = 0;                   // those up to here have been attributed
  std::size_t kept_ = 0;                             // accesses
};

}  // namespace simt::detail
