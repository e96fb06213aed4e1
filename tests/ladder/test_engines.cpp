// Every rung of every ladder leaves the same bits where nobody looks on as where somebody does:
// integers, on all that is read back from the device.
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/machines/machine.hpp"
#include "ladder/run/histogram_driver.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/select_driver.hpp"
#include "ladder/run/sort_driver.hpp"
#include "simt/launch.hpp"

namespace warpfold::ladder {
namespace {

/// The CPU machine, without a profiler, so that launches run as the scope around them says; keeps
/// what is read back.
class keeping_machine final : public machine {
 public:
  [[nodiscard]] backend_kind backend() const override { return on_->backend(); }
  [[nodiscard]] std::string name() const override { return on_->name(); }
  [[nodiscard]] unsigned processors() const override { return 4; }
  [[nodiscard]] int capability() const override { return on_->capability(); }
  [[nodiscard]] int compiled_for() const override { return on_->compiled_for(); }
  [[nodiscard]] std::size_t shared_bytes() const override { return on_->shared_bytes(); }
  [[nodiscard]] std::size_t cache_bytes() const override { return 0; }
  void* allocate(std::size_t bytes) override { return on_->allocate(bytes); }
  void release(void* pointer) noexcept override { on_->release(pointer); }
  void write(void* to, const void* from, std::size_t n) override { on_->write(to, from, n); }
  void copy(void* to, const void* from, std::size_t n) override { on_->copy(to, from, n); }
  void fill(void* to, unsigned char byte, std::size_t n) override { on_->fill(to, byte, n); }
  [[nodiscard]] void* stream() const override { return on_->stream(); }
  void synchronize() override {}
  void read(void* to, const void* from, std::size_t n) override {
    on_->read(to, from, n);
    kept.emplace_back(n);
    if (n != 0) std::memcpy(kept.back().data(), to, n);
  }

  std::vector<std::vector<std::byte>> kept;

 private:
  std::unique_ptr<machine> on_ = make_simt_machine();
};

/// Values of all bits; odd sizes leave a part of a block, a warp and a vector over.
class engines : public testing::Test {
 protected:
  engines() : values_(5003) {
    std::uint32_t v = 7;
    for (auto& each : values_) each = v = v * 1664525U + 1013904223U;
  }

  static void expect_same(
      const std::function<std::vector<measure::measurement>(machine&)>& run_ladder) {
    keeping_machine plain, watched;
    {
      const simt::observe scope({});
      for (const auto& row : run_ladder(plain)) expect_right(row);
    }
    {
      const simt::observe scope({.watched = true});
      for (const auto& row : run_ladder(watched)) expect_right(row);
      EXPECT_EQ(scope.engine, simt::engine_kind::watched);
    }
    EXPECT_FALSE(plain.kept.empty());
    EXPECT_EQ(plain.kept, watched.kept);
  }

  std::vector<std::uint32_t> values_;

 private:
  static void expect_right(const measure::measurement& row) {
    EXPECT_TRUE(row.verdict.right || !row.skipped.empty()) << row.number << ' ' << row.name;
  }
};

TEST_F(engines, reduce_the_same) {
  for (const unsigned block : {64U, 256U}) {
    expect_same([&](machine& where) {
      return run_reduce_ladder(
          {.values = {value_type::i32, values_.data(), values_.size()}, .block = block}, where,
          reduce_rungs(where.backend()));
    });
  }
}
TEST_F(engines, scan_the_same) {
  for (const bool exclusive : {false, true}) {
    expect_same([&](machine& where) {
      return run_scan_ladder(
          {.values = {value_type::i32, values_.data(), 1000}, .exclusive = exclusive, .block = 128},
          where, scan_rungs(where.backend()));
    });
  }
}
TEST_F(engines, sort_the_same) {
  for (const bool pairs : {false, true}) {
    expect_same([&](machine& where) {
      return run_sort_ladder(
          {.keys = {value_type::u32, values_.data(), 1000}, .pairs = pairs, .block = 128}, where,
          sort_rungs(where.backend()));
    });
  }
}
TEST_F(engines, count_histograms_the_same) {
  std::vector<std::uint32_t> in_bins(values_.begin(), values_.end());
  for (auto& v : in_bins) v %= default_bins;
  expect_same([&](machine& where) {
    return run_histogram_ladder(
        {.values = {value_type::u32, in_bins.data(), in_bins.size()}, .block = 128}, where,
        histogram_rungs(where.backend()));
  });
}
TEST_F(engines, select_the_same) {
  auto half = values_;
  for (auto& v : half) v %= 2;
  expect_same([&](machine& where) {
    return run_select_ladder({.values = {value_type::i32, half.data(), half.size()}, .block = 128},
                             where, select_rungs(where.backend()));
  });
}

}  // namespace
}  // namespace warpfold::ladder
