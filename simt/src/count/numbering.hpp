// Small numbers for pairs of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt::detail {

/// Numbers pairs from 0 on, in the order in which they first come. To clear it costs nothing, so
/// that short epochs stay cheap after a long one.
class numbering {
 public:
  void clear() {
    size_ = 0;
    if (++epoch_ == 0) *this = {};
  }

  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) {
    if (2 * std::size_t{size_} >= slots_.size()) grow();
    const std::uint64_t key = std::uint64_t{a} << 32 | b;
    slot& s = find(key);
    if (s.epoch != epoch_) s = {key, epoch_, size_++};
    return s.number;
  }

 private:
  struct slot {
    std::uint64_t key = 0;
    std::uint32_t epoch = 0, number = 0;
  };

  slot& find(std::uint64_t key) {
    for (std::size_t at = key * 0x9E3779B97F4A7C15U >> 32;; ++at) {
      slot& s = slots_[at & (slots_.size() - 1)];
      if (s.epoch != epoch_ || s.key == key) return s;
    }
  }

  void grow() {
    std::vector<slot> fewer(std::max<std::size_t>(64, 2 * slots_.size()));
    fewer.swap(slots_);
    for (const slot& s : fewer) {
      if (s.epoch == epoch_) find(s.key) = s;
    }
  }

  std::vector<slot> slots_;  // a power of two of them, at most half of them taken
  std::uint32_t epoch_ = 1, size_ = 0;
};

}  // namespace simt::detail
