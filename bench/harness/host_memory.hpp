// Memory of the host's benchmarks: more of it than the caches hold, and how fast it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tbb/parallel_for.h>

#include "bench/harness/host_timer.hpp"

namespace warpfold::bench {

/// In how many places at once each core may read: which is fastest, the machine says.
inline constexpr unsigned read_places[] = {1, 4, 8};

/// The sum of all words, read by all cores: nothing does less with them. They may be other values'
/// bytes.
std::uint64_t read_all(std::span<const std::uint64_t> words, unsigned places);

/// By all cores.
void copy_all(void* to, const void* from, std::size_t bytes);

/// How many slots of so many bytes: as many as there will be calls, but no more than pass the
/// largest cache twice.
std::size_t host_slots_of(std::size_t bytes, std::size_t calls);

/// `slots` blocks of n values each.
template <class T>
class slot_memory {
 public:
  slot_memory(std::size_t n, std::size_t slots)
      : n_(n), slots_(slots), values_(std::make_unique_for_overwrite<T[]>(n * slots)) {}

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] T* slot(std::size_t i) const { return values_.get() + i * n_; }
  /// Writes value(i) everywhere, by all cores; i counts through all slots.
  template <class Value>
  void fill(Value value) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n_ * slots_), [&](const auto& part) {
      for (std::size_t i = part.begin(); i < part.end(); ++i) values_[i] = value(i);
    });
  }

 private:
  std::size_t n_, slots_;
  std::unique_ptr<T[]> values_;
};

}  // namespace warpfold::bench
