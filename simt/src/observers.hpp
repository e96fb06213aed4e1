// Several observers in the place of one.
#pragma once

#include <utility>
#include <vector>

#include "simt/src/observer.hpp"

namespace simt::detail {

/// Tells all of them, in their order.
class observer_list final : public observer {
 public:
  explicit observer_list(std::vector<observer*> all) : all_(std::move(all)) {}

  void worker_begins(const grid& g) override {
    for (observer* const o : all_) o->worker_begins(g);
  }
  void cluster_begins(cluster& c, const grid& g, std::uint64_t number) override {
    for (observer* const o : all_) o->cluster_begins(c, g, number);
  }
  void lane_resumes(const lane& next) override {
    for (observer* const o : all_) o->lane_resumes(next);
  }
  void lane_leaves(lane& self) override {
    for (observer* const o : all_) o->lane_leaves(self);
  }
  void warp_stalls(warp& w) override {
    for (observer* const o : all_) o->warp_stalls(w);
  }
  void block_ends(const lane& last) override {
    for (observer* const o : all_) o->block_ends(last);
  }
  void access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
              std::uintptr_t pc) override {
    for (observer* const o : all_) o->access(address, kind, where, size_log2, pc);
  }
  void atomic_compares(std::uintptr_t address) override {
    for (observer* const o : all_) o->atomic_compares(address);
  }
  void wide_shift(std::uintptr_t pc) override {
    for (observer* const o : all_) o->wide_shift(pc);
  }
  void other_access(std::uintptr_t address, access_kind kind, unsigned size_log2,
                    std::uintptr_t pc) override {
    for (observer* const o : all_) o->other_access(address, kind, size_log2, pc);
  }
  void misaligned_access(std::uintptr_t address, access_kind kind, space where,
                         std::uintptr_t pc) override {
    for (observer* const o : all_) o->misaligned_access(address, kind, where, pc);
  }
  void bulk_load(const void* shared, const void* global, std::size_t bytes,
                 std::uintptr_t pc) override {
    for (observer* const o : all_) o->bulk_load(shared, global, bytes, pc);
  }
  void bulk_store(const void* global, const void* shared, std::size_t bytes,
                  std::uintptr_t pc) override {
    for (observer* const o : all_) o->bulk_store(global, shared, bytes, pc);
  }
  void warp_access(const warp& w, std::uint64_t site, std::uint32_t mask,
                   const std::uint64_t* addresses, std::uint64_t conflicts) override {
    for (observer* const o : all_) o->warp_access(w, site, mask, addresses, conflicts);
  }
  void block_scope() override {
    for (observer* const o : all_) o->block_scope();
  }
  void fence() override {
    for (observer* const o : all_) o->fence();
  }
  void release() override {
    for (observer* const o : all_) o->release();
  }
  void acquire() override {
    for (observer* const o : all_) o->acquire();
  }
  void atomic_word(std::uintptr_t address, bool release) override {
    for (observer* const o : all_) o->atomic_word(address, release);
  }
  void volatile_access(std::uintptr_t address, bool decides) override {
    for (observer* const o : all_) o->volatile_access(address, decides);
  }
  void comes_to(const void* barrier) override {
    for (observer* const o : all_) o->comes_to(barrier);
  }
  void passes(const void* barrier) override {
    for (observer* const o : all_) o->passes(barrier);
  }
  void block_barrier(const block& b) override {
    for (observer* const o : all_) o->block_barrier(b);
  }
  void some_of_block_met(const block& b) override {
    for (observer* const o : all_) o->some_of_block_met(b);
  }
  void cluster_barrier(const cluster& c) override {
    for (observer* const o : all_) o->cluster_barrier(c);
  }
  void grid_arrival(const block& b) override {
    for (observer* const o : all_) o->grid_arrival(b);
  }
  void grid_departure(const block& b) override {
    for (observer* const o : all_) o->grid_departure(b);
  }
  void warp_operation(const warp& w, const collective& c, bool exchanges) override {
    for (observer* const o : all_) o->warp_operation(w, c, exchanges);
  }
  void notices(const hazard& h) override {
    for (observer* const o : all_) o->notices(h);
  }
  bool reports(const hazard& h) override {
    bool reported = false;
    for (observer* const o : all_) reported |= o->reports(h);
    return reported;
  }
  bool reports_hang(const cluster& stuck, bool spins) override {
    bool reported = false;
    for (observer* const o : all_) reported |= o->reports_hang(stuck, spins);
    return reported;
  }

 private:
  std::vector<observer*> all_;
};

}  // namespace simt::detail
