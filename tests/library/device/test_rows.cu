// reduce_rows on the CPU machine and on CUDA: against a reduction of each row from left to right.
#include <numeric>

#include "tests/library/device/device_test.hpp"
#include "warpfold/reduce.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_rows : public device_test {};

template <class T, class Acc, class Op>
std::vector<Acc> expected_rows(const std::vector<T>& values, std::size_t rows, Acc init, Op op) {
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  std::vector<Acc> results(rows, init);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    results[i / columns] = op(results[i / columns], static_cast<Acc>(values[i]));
  }
  return results;
}

template <class T, class Acc, class Op>
void expect_rows(const std::vector<T>& values, std::size_t rows, std::size_t offset, Acc init,
                 Op op) {
  const std::size_t columns = rows == 0 ? 0 : values.size() / rows;
  const device_buffer<T> in(values, offset);
  device_buffer<Acc> out(std::vector<Acc>(rows, Acc{}), 0);
  workspace memory(reduce_workspace_bytes<Acc>());
  for (int launch = 0; launch < 2; ++launch) {
    reduce_rows(device.with(memory), in.values(), rows, columns, out.room(), init, op)
        .throw_if_failed("reduce_rows");
    EXPECT_EQ(out.read(), expected_rows(values, rows, init, op))
        << rows << " rows of " << columns << " from offset " << offset;
  }
  EXPECT_EQ(in.read(), values);
}

TEST_F(device_rows, of_any_shape) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                                      {1000, 1},
                                                                                      {33, 2},
                                                                                      {77, 3},
                                                                                      {5000, 4},
                                                                                      {31, 31},
                                                                                      {32, 32},
                                                                                      {33, 33},
                                                                                      {300, 64},
                                                                                      {17, 127},
                                                                                      {9, 1000},
                                                                                      {3, 1024},
                                                                                      {2, 1025},
                                                                                      {5, 4099},
                                                                                      {1, 40000},
                                                                                      {2, 33331},
                                                                                      {3, 0},
                                                                                      {0, 7},
                                                                                      {40, 1500}}) {
    expect_rows(random_values<std::int32_t>(rows * columns), rows, 0, 3, plus{});
    expect_rows(random_values<std::int8_t>(rows * columns), rows, 0, std::int64_t{-1}, plus{});
    expect_rows(random_values<std::int64_t>(rows * columns), rows, 0, std::int64_t{7}, bit_xor{});
  }
}

TEST_F(device_rows, from_any_start) {
  for (std::size_t offset = 0; offset < 5; ++offset) {
    expect_rows(random_values<std::int32_t>(64 * 16), 64, offset, 0, plus{});
    expect_rows(random_values<std::int32_t>(4 * 3000), 4, offset, 0, maximum{});
  }
}

TEST_F(device_rows, keep_the_order_that_an_operator_needs) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::size_t, std::size_t>>{{7, 3}, {20, 100}, {3, 2000}, {2, 20011}}) {
    std::vector<affine> maps(rows * columns);
    const auto bits = random_values<std::uint64_t>(maps.size());
    for (std::size_t i = 0; i < maps.size(); ++i) {
      maps[i] = {static_cast<std::uint32_t>(bits[i]) | 1,
                 static_cast<std::uint32_t>(bits[i] >> 32)};
    }
    expect_rows(maps, rows, 0, affine{1, 5}, then{});
  }
}

TEST_F(device_rows, say_what_does_not_fit) {
  const device_buffer<int> in(std::vector<int>(12, 1), 0);
  device_buffer<int> out(std::vector<int>(3, 0), 0);
  expect_refused(reduce_rows(device, in.values(), 3, 5, out.room()), 15, 12, "values");
  expect_refused(reduce_rows(device, in.values(), 4, 3, out.room()), 4, 3, "results");
  constexpr std::size_t most = ~std::size_t{0};
  expect_refused(reduce_rows(device, in.values(), most / 2, 3, out.room()), most, 12, "values");
  EXPECT_EQ(out.read(), std::vector<int>(3, 0));
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
