// Calls across ranks that work on a device each, against those of one host: random splits with
// empty parts. Run by mpirun with any number of ranks; on the CPU machine each has a modelled
// device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)
using test::affine, test::random_split, test::random_values, test::then;

namespace {

/// Values in the device's memory.
template <class T>
class on_device {
 public:
  explicit on_device(std::span<const T> values)
      : memory_(values.size() + 1, "a test's values"), size_(values.size()) {
    detail::copy_async(memory_.data(), values.data(), values.size_bytes(), device.stream())
        .throw_if_failed("a copy");
    detail::wait_for(device.stream()).throw_if_failed("a copy");
  }
  [[nodiscard]] std::span<T> view() const { return {memory_.data(), size_}; }
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(size_);
    detail::copy_async(values.data(), memory_.data(), size_ * sizeof(T), device.stream())
        .throw_if_failed("a copy");
    detail::wait_for(device.stream()).throw_if_failed("a copy");
    return values;
  }

 private:
  detail::device_buffer<T> memory_;
  std::size_t size_;
};

auto ranks() { return across(MPI_COMM_WORLD, device).checked(); }
auto exact_ranks() {
  return across(MPI_COMM_WORLD, device.with(determinism::gpu_to_gpu)).checked();
}

/// This rank's part of the values that all ranks have made.
template <class T>
struct part_of {
  part_of(const std::vector<T>& all, std::mt19937& random) {
    const auto bounds = random_split(all.size(), ranks().size(), random);
    const auto r = static_cast<std::size_t>(ranks().rank());
    begin = bounds[r];
    values = std::span(all).subspan(begin, bounds[r + 1] - begin);
  }
  /// Whether these are all's from where the part begins.
  [[nodiscard]] bool is_of(const std::vector<T>& all, const std::vector<T>& results) const {
    return results.size() == values.size() &&
           std::equal(results.begin(), results.end(),
                      all.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  std::size_t begin = 0;
  std::span<const T> values;
};

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
class mpi_device : public testing::Test {};
using value_kinds = testing::Types<std::int32_t, double>;
TYPED_TEST_SUITE(mpi_device, value_kinds, );

TYPED_TEST(mpi_device, reductions_are_those_of_the_host) {
  using T = TypeParam;
  std::mt19937 random(27);
  for (int k = 0; k < 3; ++k) {
    const auto all = random_values<T>(random() % 5000 + 1, random);
    const part_of<T> part(all, random);
    const on_device<T> mine(part.values);
    const auto in = mine.view();
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(reduce(ranks(), in, T{3}), reduce(host, all, T{3}));
    } else {
      EXPECT_TRUE(same_bits(exact_sum(ranks(), in), exact_sum(host, all)));
      EXPECT_TRUE(same_bits(exact_mean(ranks(), in), exact_mean(host, all)));
      EXPECT_TRUE(same_bits(exact_dot(ranks(), in, in), exact_dot(host, all, all)));
      const auto one = host.with(determinism::gpu_to_gpu);
      EXPECT_TRUE(same_bits(reduce(exact_ranks(), in, T{3}), reduce(one, all, T{3})));
      EXPECT_TRUE(same_bits(mean(exact_ranks(), in), mean(one, all)));
    }
    EXPECT_EQ(min(ranks(), in), min(host, all));
    EXPECT_EQ(max(ranks(), in), max(host, all));
    EXPECT_EQ(minmax(ranks(), in), minmax(host, all));
    EXPECT_EQ(argmin(ranks(), in), argmin(host, all));
    EXPECT_EQ(argmax(ranks(), in), argmax(host, all));
    const auto about = statistics(ranks(), in), of_one = statistics(host, all);
    EXPECT_EQ(about.count, of_one.count);
    EXPECT_EQ(about.max, of_one.max);
    EXPECT_NEAR(about.variance, of_one.variance, of_one.variance * 1e-9);
  }
}

TYPED_TEST(mpi_device, scans_are_those_of_the_host) {
  using T = TypeParam;
  std::mt19937 random(28);
  for (int k = 0; k < 3; ++k) {
    std::vector<T> all(random() % 3000 + 1), expected(all.size());
    for (T& v : all) v = static_cast<T>(random() % 8);
    const part_of<T> part(all, random);
    const on_device<T> in(part.values), out(part.values);
    inclusive_scan(ranks(), in.view(), out.view());
    inclusive_scan(host, all, expected);
    EXPECT_TRUE(part.is_of(expected, out.read()));
    inclusive_scan(ranks(), in.view(), out.view(), maximum{}, T{2});
    inclusive_scan(host, all, expected, maximum{}, T{2});
    EXPECT_TRUE(part.is_of(expected, out.read()));
    exclusive_scan(ranks(), in.view(), out.view(), T{5});
    exclusive_scan(host, all, expected, T{5});
    EXPECT_TRUE(part.is_of(expected, out.read()));
  }
}

TYPED_TEST(mpi_device, sorts_are_stable) {
  using T = TypeParam;
  std::mt19937 random(29);
  for (const unsigned kinds : {3U, 1000000U}) {
    std::vector<T> all(random() % 3000 + 1);
    for (T& v : all) v = static_cast<T>(random() % kinds);
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    const part_of<T> part(all, random);
    std::vector<std::uint32_t> items(part.values.size());
    std::iota(items.begin(), items.end(), static_cast<std::uint32_t>(part.begin));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return all[a] < all[b]; });
    const on_device<T> keys(part.values), alone(part.values);
    const on_device<std::uint32_t> rows(items);
    stable_sort_by_key(ranks(), keys.view(), rows.view());
    sort(ranks(), alone.view());
    const auto sorted = keys.read(), by_itself = alone.read();
    const auto from = rows.read();
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_EQ(from[i], order[part.begin + i]);
      ASSERT_EQ(sorted[i], all[from[i]]);
      ASSERT_EQ(by_itself[i], all[from[i]]);
    }
  }
}

TEST(mpi_device, keeps_the_order_where_the_operator_needs_it) {
  std::mt19937 random(32);
  std::vector<affine> all(300), expected(all.size());
  for (affine& f : all) f = {static_cast<std::uint32_t>(random()) | 1U, 5};
  const affine init{3, 4};
  std::inclusive_scan(all.begin(), all.end(), expected.begin(), then{}, init);
  const part_of<affine> part(all, random);
  const on_device<affine> in(part.values), out(part.values);
  EXPECT_EQ(reduce(ranks(), in.view(), init, then{}), expected.back());
  inclusive_scan(ranks(), in.view(), out.view(), then{}, init);
  EXPECT_TRUE(part.is_of(expected, out.read()));
}

TEST(mpi_device, rows_and_streams_are_the_ranks_own) {
  const auto place = ranks();
  const std::vector<float> ones(static_cast<std::size_t>(place.rank() + 1) * 100, 1.0F);
  const std::vector<float> zeros(static_cast<std::size_t>(place.rank() + 1));
  const on_device<float> in(ones), sums(zeros);
  reduce_rows(place, in.view(), sums.view().size(), 100, sums.view());
  for (const float sum : sums.read()) EXPECT_EQ(sum, 100.0F);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(reduce(across(MPI_COMM_WORLD, device.on(stream)), in.view(), 0.0F),
            50.0F * static_cast<float>(place.size() * (place.size() + 1)));
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

/// Room in the device's memory.
template <class T>
on_device<T> room(std::size_t n) {
  return on_device<T>(std::vector<T>(n));
}

TYPED_TEST(mpi_device, selections_are_those_of_the_host) {
  using T = TypeParam;
  std::mt19937 random(34);
  std::vector<T> all(3000);
  for (T& v : all) v = static_cast<T>(random() % 500);
  const part_of<T> part(all, random);
  const on_device<T> in(part.values);
  std::vector<T> first(20);
  std::vector<std::uint32_t> indices(20), counts(10);
  const auto got = room<T>(20);
  const auto got_indices = room<std::uint32_t>(20), got_counts = room<std::uint32_t>(10);
  top_k(host, all, 20, first);
  argtop_k(host, all, 20, indices);
  top_k(ranks(), in.view(), 20, got.view());
  argtop_k(ranks(), in.view(), 20, got_indices.view());
  EXPECT_EQ(got.read(), first);
  EXPECT_EQ(got_indices.read(), indices);
  EXPECT_EQ(median(ranks(), in.view()), median(host, all));
  EXPECT_EQ(nth_element(ranks(), in.view(), 100), nth_element(host, all, 100));
  const even_bins bins{T{0}, T{500}, 10};
  histogram(host, all, bins, counts);
  histogram(ranks(), in.view(), bins, got_counts.view());
  EXPECT_EQ(got_counts.read(), counts);
  std::vector<T> sums(10);
  const auto got_sums = room<T>(10);
  weighted_histogram(host, all, all, bins, sums);
  weighted_histogram(ranks(), in.view(), in.view(), bins, got_sums.view());
  EXPECT_EQ(got_sums.read(), sums);
}

TYPED_TEST(mpi_device, runs_and_groups_are_those_of_the_host) {
  using T = TypeParam;
  std::mt19937 random(35);
  std::vector<T> all(2000), keys(2000), sums(2000);
  for (T& v : all) v = static_cast<T>(random() % 4);
  const part_of<T> part(all, random);
  const std::size_t n = part.values.size();
  const on_device<T> in(part.values), out_keys = room<T>(n), out = room<T>(n);
  const std::size_t runs = reduce_by_key(host, all, all, keys, sums);
  const std::size_t own = reduce_by_key(ranks(), in.view(), in.view(), out_keys.view(), out.view());
  EXPECT_EQ(reduce(across(MPI_COMM_WORLD, host), std::vector{own}, std::size_t{0}), runs);
  std::vector<std::size_t> before(1);
  exclusive_scan(across(MPI_COMM_WORLD, host), std::vector{own}, before, std::size_t{0});
  const auto run_sums = out.read();
  for (std::size_t i = 0; i < own; ++i) EXPECT_EQ(run_sums[i], sums[before[0] + i]);

  std::vector<std::uint32_t> counts(2000);
  const on_device<std::uint32_t> own_counts = room<std::uint32_t>(2000);
  const on_device<T> group_keys = room<T>(2000), means = room<T>(2000);
  std::vector<T> expected(2000);
  const std::size_t groups = group_by(host, all, keys, mean_of(all, expected), count_of(counts));
  const std::size_t mine = group_by(ranks(), in.view(), group_keys.view(),
                                    mean_of(in.view(), means.view()), count_of(own_counts.view()));
  EXPECT_EQ(reduce(across(MPI_COMM_WORLD, host), std::vector{mine}, std::size_t{0}), groups);
  exclusive_scan(across(MPI_COMM_WORLD, host), std::vector{mine}, before, std::size_t{0});
  const auto got_keys = group_keys.read(), got = means.read();
  const auto got_counts = own_counts.read();
  for (std::size_t i = 0; i < mine; ++i) {
    EXPECT_EQ(got_keys[i], keys[before[0] + i]);
    EXPECT_EQ(got[i], expected[before[0] + i]);
    EXPECT_EQ(got_counts[i], counts[before[0] + i]);
  }
}

TEST(mpi_device, a_run_of_f16_is_rounded_once) {
  const std::vector<int> keys(2049);
  const std::vector<__half> ones(keys.size(), __half(1.0F));
  const on_device<int> in(keys), out_keys = room<int>(1);
  const on_device<__half> of(ones), sum = room<__half>(1);
  const std::size_t runs =
      reduce_by_key(ranks(), in.view(), of.view(), out_keys.view(), sum.view());
  ASSERT_EQ(runs, ranks().rank() == 0 ? 1U : 0U);
  if (runs == 0) return;
  const __half expected(2049.0F * static_cast<float>(ranks().size()));
  EXPECT_EQ(static_cast<float>(sum.read()[0]), static_cast<float>(expected));
}

/// The host's and devices' ranks have the same bits, side by side in one call.
TEST(mpi_device, some_ranks_on_the_host) {
  std::mt19937 random(33);
  const auto all = random_values<double>(3000, random);
  const part_of<double> part(all, random);
  const on_device<double> in(part.values);
  const double sum = ranks().rank() % 2 == 0
                         ? exact_sum(across(MPI_COMM_WORLD, host).checked(), part.values)
                         : exact_sum(ranks(), in.view());
  EXPECT_TRUE(same_bits(sum, exact_sum(host, all)));
  const auto on_host = across(MPI_COMM_WORLD, host).checked();
  const bool is_host = ranks().rank() % 2 == 0;
  EXPECT_EQ(is_host ? min(on_host, part.values) : min(ranks(), in.view()), min(host, all));
  EXPECT_EQ(is_host ? median(on_host, part.values) : median(ranks(), in.view()), median(host, all));
  const std::vector<double> bounds{-1e9, 0, 1e3};
  const on_device<double> device_bounds(bounds);
  std::vector<std::uint64_t> counts(2), expected(2);
  const auto device_counts = room<std::uint64_t>(2);
  histogram(host, all, bounds, expected);
  if (is_host) {
    histogram(on_host, part.values, bounds, counts);
  } else {
    histogram(ranks(), in.view(), device_bounds.view(), device_counts.view());
    counts = device_counts.read();
  }
  EXPECT_EQ(counts, expected);
  const std::size_t n = all.size();
  std::vector<double> keys(n), sums(n);
  const auto device_keys = room<double>(n), device_sums = room<double>(n);
  const std::size_t groups =
      is_host
          ? group_by(on_host, part.values, keys, sum_of(part.values, sums))
          : group_by(ranks(), in.view(), device_keys.view(), sum_of(in.view(), device_sums.view()));
  EXPECT_EQ(reduce(on_host, std::vector{groups}, std::size_t{0}),
            group_by(host, all, keys, sum_of(all, sums)));
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
