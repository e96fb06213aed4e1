// Runs launches where somebody looks on and where nobody does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "simt/launch.hpp"
#include "simt/memory.hpp"

namespace simt::test {

/// Device memory that holds the same for every run.
class values {
 public:
  explicit values(std::size_t count, std::uint32_t first = 1)
      : count_(count), at_(static_cast<std::uint32_t*>(simt::allocate(count * 4))) {
    for (std::size_t i = 0; i < count; ++i) at_[i] = first = first * 1664525U + 1013904223U;
  }
  values(const values&) = delete;
  values& operator=(const values&) = delete;
  ~values() { simt::free(at_); }

  [[nodiscard]] std::uint32_t* get() const { return at_; }
  [[nodiscard]] std::vector<std::uint32_t> all() const { return {at_, at_ + count_}; }

 private:
  std::size_t count_;
  std::uint32_t* at_;
};

struct outcome {
  engine_kind engine;
  std::vector<std::uint32_t> plain, watched;
};

/// Runs `launch` on memory of so many words, with each engine.
inline outcome both(std::size_t words, const std::function<void(std::uint32_t*)>& launch) {
  outcome result;
  const values plain(words), watched(words);
  {
    const simt::observe scope({});
    launch(plain.get());
    result.engine = scope.engine;
  }
  {
    const simt::observe scope({.watched = true});
    launch(watched.get());
    EXPECT_EQ(scope.engine, engine_kind::watched);
  }
  result.plain = plain.all();
  result.watched = watched.all();
  return result;
}

inline void expect_same(engine_kind engine, std::size_t words,
                        const std::function<void(std::uint32_t*)>& launch) {
  const outcome o = both(words, launch);
  EXPECT_EQ(o.engine, engine);
  EXPECT_EQ(o.plain, o.watched);
}

}  // namespace simt::test
