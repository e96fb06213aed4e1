// Device memory for a rung launched by hand, with canaries on both sides of its values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/machines/machine.hpp"

namespace warpfold::ladder {

template <class T>
class guarded {
 public:
  /// The first value lies `skip` values behind the start of an allocation.
  guarded(machine& where, std::vector<T> values, std::size_t skip = 0)
      : where_(where),
        values_(std::move(values)),
        skip_(skip),
        memory_(where, (skip + values_.size() + beyond) * sizeof(T)) {
    reset();
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()) + skip_; }

  /// Values and canaries as at first.
  void reset() {
    std::vector<T> all(skip_ + values_.size() + beyond, canary);
    std::copy(values_.begin(), values_.end(), all.begin() + static_cast<std::ptrdiff_t>(skip_));
    where_.write(memory_.get(), all.data(), memory_.bytes());
  }

  /// What is there now; `what` is to blame for a canary that is not.
  std::vector<T> read(const std::string& what) const {
    std::vector<T> all(memory_.bytes() / sizeof(T));
    where_.read(all.data(), memory_.get(), memory_.bytes());
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(skip_);
    const auto end = begin + static_cast<std::ptrdiff_t>(values_.size());
    const auto intact = [](auto from, auto to) {
      return std::all_of(from, to, [](T x) { return x == canary; });
    };
    EXPECT_TRUE(intact(all.begin(), begin)) << what << " wrote before its memory";
    EXPECT_TRUE(intact(end, all.end())) << what << " wrote past its memory";
    return {begin, end};
  }

  void expect_unchanged(const std::string& what) const {
    EXPECT_EQ(read(what), values_) << what << " wrote to its input";
  }

 private:
  static constexpr std::size_t beyond = 64;
  static constexpr T canary = 77;

  machine& where_;
  std::vector<T> values_;
  std::size_t skip_;
  device_memory memory_;
};

}  // namespace warpfold::ladder
