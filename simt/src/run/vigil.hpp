// Tells a grid that is slow from one that hangs. A thread that comes to the same place with the
// same registers and the same stack as before, while nobody has written anything new, will do so
// for ever.
//
// While a worker keeps vigil it sees all accesses of its threads; so it does now and then only, and
// only where all of them have let others run without getting on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/src/observer.hpp"

namespace simt::detail {

struct worker;

/// What a warp's lanes were like when they let others run.
struct lane_states {
  std::array<std::uint64_t, 32> kept{};
  std::uint32_t repeats = 0;  // these have come back to what was kept
};

/// What the running lane is like: its registers, which are at `frame`, and its stack from there up.
std::uint64_t state_of(const struct lane& self, const void* frame);

class vigil final : public observer {
 public:
  explicit vigil(worker& w) : worker_(w) {}

  /// Somebody has got on, or a launch begins.
  void rest();
  /// All threads of the worker have had their turn, and let others run again. True if no thread of
  /// the grid will ever do anything else.
  bool is_in_vain();
  /// The worker has nothing to do any more.
  void leave();
  [[nodiscard]] bool keeps() const { return keeps_; }
  /// The running lane lets others run; from `frame` up lie its registers and its stack.
  void note(const void* frame);

  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override;
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override;
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override;

 private:
  void start();
  void stop();
  void begin_anew();
  void withdraw();
  void settle();
  [[nodiscard]] bool all_repeat() const;

  worker& worker_;
  observer* watched_ = nullptr;     // who looks on at the launch besides
  std::unique_ptr<observer> both_;  // the two
  bool keeps_ = false, agreed_ = false, confirmed_ = false, changed_ = false, renews_ = false;
  std::uint64_t rounds_ = 0;          // since anybody got on
  std::uint64_t from_ = 2, to_ = 10;  // of these the vigil is kept
  std::uint64_t kept_for_ = 0;        // rounds, since it began anew
  std::uint64_t epoch_ = 0;           // of the grid's agreement that it is about
  std::uintptr_t stored_at_ = 0;      // the last store, which may not have happened yet
  std::array<std::byte, 16> before_{};
  std::size_t stored_bytes_ = 0;
};

}  // namespace simt::detail
