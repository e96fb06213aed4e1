// Several observers in the place of one.
#pragma once

#include <utility>
#include <vector>

#include "simt/src/observer.hpp"

namespace simt::detail {

/// Forwards each event to all of them, in their order.
class observer_list final : public observer {
 public:
  explicit observer_list(std::vector<observer*> all) : all_(std::move(all)) {}

  void worker_begins(const grid& g) override { each<&observer::worker_begins>(g); }
  void cluster_begins(cluster& c, const grid& g, std::uint64_t number) override {
    each<&observer::cluster_begins>(c, g, number);
  }
  void lane_resumes(const lane& next) override { each<&observer::lane_resumes>(next); }
  void lane_leaves(lane& self) override { each<&observer::lane_leaves>(self); }
  void warp_stalls(warp& w) override { each<&observer::warp_stalls>(w); }
  void block_ends(const lane& last) override { each<&observer::block_ends>(last); }
  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override {
    each<&observer::access>(address, kind, where, size_log2, pc);
  }
  void atomic_compares(std::uintptr_t address) override {
    each<&observer::atomic_compares>(address);
  }
  void wide_shift(std::uintptr_t pc) override { each<&observer::wide_shift>(pc); }
  void other_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                    std::uintptr_t pc) override {
    each<&observer::other_access>(address, kind, size_log2, pc);
  }
  void misaligned_access(std::uintptr_t address, access_kind kind, space where,
                         std::uintptr_t pc) override {
    each<&observer::misaligned_access>(address, kind, where, pc);
  }
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override {
    each<&observer::bulk_load>(shared, global, bytes, pc);
  }
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override {
    each<&observer::bulk_store>(global, shared, bytes, pc);
  }
  void warp_access(const warp& w, std::uint64_t site, std::uint32_t mask,
                   const std::uint64_t* addresses, std::uint64_t conflicts) override {
    each<&observer::warp_access>(w, site, mask, addresses, conflicts);
  }
  void block_scope() override { each<&observer::block_scope>(); }
  void fence() override { each<&observer::fence>(); }
  void release() override { each<&observer::release>(); }
  void acquire() override { each<&observer::acquire>(); }
  void atomic_word(std::uintptr_t address, bool release) override {
    each<&observer::atomic_word>(address, release);
  }
  void volatile_access(std::uintptr_t address, bool decides) override {
    each<&observer::volatile_access>(address, decides);
  }
  void comes_to(const void* barrier) override { each<&observer::comes_to>(barrier); }
  void passes(const void* barrier) override { each<&observer::passes>(barrier); }
  void block_barrier(const block& b) override { each<&observer::block_barrier>(b); }
  void some_of_block_met(const block& b) override { each<&observer::some_of_block_met>(b); }
  void cluster_barrier(const cluster& c) override { each<&observer::cluster_barrier>(c); }
  void grid_arrival(const block& b) override { each<&observer::grid_arrival>(b); }
  void grid_departure(const block& b) override { each<&observer::grid_departure>(b); }
  void warp_operation(const warp& w, const collective& c, bool exchanges) override {
    each<&observer::warp_operation>(w, c, exchanges);
  }
  void notices(const hazard& h) override { each<&observer::notices>(h); }
  bool reports(const hazard& h) override { return any<&observer::reports>(h); }
  bool reports_hang(const cluster& stuck, bool spins) override {
    return any<&observer::reports_hang>(stuck, spins);
  }

 private:
  template <auto Event, class... Args>
  void each(Args&... args) {
    for (observer* const o : all_) (o->*Event)(args...);
  }
  /// Whether one returns true; all receive the event.
  template <auto Event, class... Args>
  bool any(Args&... args) {
    bool is_any = false;
    for (observer* const o : all_) is_any |= (o->*Event)(args...);
    return is_any;
  }

  std::vector<observer*> all_;
};

}  // namespace simt::detail
