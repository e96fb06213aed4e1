// Calls across ranks against those on one machine: random splits with empty parts, all types. Run
// by mpirun with any number of ranks; every rank makes the same values and checks its own results.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/mpi/ranks.hpp"
#include "tests/library/mpi/traffic.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)
using test::affine, test::random_part, test::random_values, test::same_bits, test::then;
using test::exact_ranks, test::ranks;

namespace {

template <class T>
class mpi_types : public testing::Test {};
using value_kinds = testing::Types<std::int32_t, std::int64_t, std::uint8_t, std::uint32_t, float,
                                   double, std::uint64_t>;
TYPED_TEST_SUITE(mpi_types, value_kinds, );

TYPED_TEST(mpi_types, reductions_are_those_of_one_machine) {
  using T = TypeParam;
  std::mt19937 random(27);
  for (int k = 0; k < 4; ++k) {
    const auto all = random_values<T>(random() % 5000 + 1, random);
    const auto part = random_part(all, random).values;
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(reduce(ranks(), part, T{3}), reduce(host, all, T{3}));
      EXPECT_EQ(reduce(exact_ranks(), part, T{3}), reduce(host, all, T{3}));
      EXPECT_EQ(reduce(ranks(), part, T{}, bit_xor{}), reduce(host, all, T{}, bit_xor{}));
    } else {
      const auto one = host.with(determinism::gpu_to_gpu);
      EXPECT_TRUE(same_bits(reduce(exact_ranks(), part, T{3}), reduce(one, all, T{3})));
      EXPECT_TRUE(same_bits(exact_sum(ranks(), part), exact_sum(host, all)));
      EXPECT_TRUE(same_bits(exact_mean(ranks(), part), exact_mean(host, all)));
      EXPECT_TRUE(same_bits(exact_dot(ranks(), part, part), exact_dot(host, all, all)));
      double size = 0;
      for (const T v : all) size += std::fabs(static_cast<double>(v));
      EXPECT_NEAR(reduce(ranks(), part, T{3}), reduce(host, all, T{3}),
                  size * (sizeof(T) == 4 ? 1e-4 : 1e-12));
    }
    EXPECT_TRUE(
        same_bits(mean(exact_ranks(), part), mean(host.with(determinism::gpu_to_gpu), all)));
    EXPECT_EQ(min(ranks(), part), min(host, all));
    EXPECT_EQ(max(ranks(), part), max(host, all));
    EXPECT_EQ(minmax(ranks(), part), minmax(host, all));
    EXPECT_EQ(argmin(ranks(), part), argmin(host, all));
    EXPECT_EQ(argmax(ranks(), part), argmax(host, all));
    const auto about = statistics(ranks(), part), of_one = statistics(host, all);
    EXPECT_EQ(about.count, of_one.count);
    EXPECT_EQ(about.min, of_one.min);
    EXPECT_EQ(about.max, of_one.max);
    EXPECT_NEAR(about.variance, of_one.variance, of_one.variance * 1e-9);
    const double size = std::sqrt(of_one.variance) + std::fabs(of_one.mean);
    EXPECT_NEAR(about.mean, of_one.mean, size * 1e-9);
    EXPECT_NEAR(mean(ranks(), part), of_one.mean, size * 1e-9);
  }
}

TYPED_TEST(mpi_types, scans_are_those_of_one_machine) {
  using T = TypeParam;
  std::mt19937 random(28);
  for (int k = 0; k < 4; ++k) {
    std::vector<T> all(random() % 3000 + 1), expected(all.size());
    for (T& v : all) v = static_cast<T>(random() % 8);
    const auto [begin, part] = random_part(all, random);
    const auto at = expected.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<T> out(part.size());
    inclusive_scan(ranks(), part, out);
    inclusive_scan(host, all, expected);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), at));
    inclusive_scan(ranks(), part, out, maximum{}, T{2});
    inclusive_scan(host, all, expected, maximum{}, T{2});
    EXPECT_TRUE(std::equal(out.begin(), out.end(), at));
    exclusive_scan(ranks(), part, out, T{5});
    exclusive_scan(host, all, expected, T{5});
    EXPECT_TRUE(std::equal(out.begin(), out.end(), at));
  }
}

template <class K, class Less>
void expect_sorted(const std::vector<K>& all, std::mt19937& random, const Less& less) {
  const auto place = ranks();
  std::vector<std::uint32_t> items(all.size()), order(all.size());
  std::iota(items.begin(), items.end(), 0);
  order = items;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(all[a], all[b]); });
  const auto [begin, part] = random_part(all, random);
  std::vector<K> keys(part.begin(), part.end()), alone = keys;
  std::vector<std::uint32_t> mine(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                  items.begin() + static_cast<std::ptrdiff_t>(begin + part.size()));
  auto balanced = keys;
  auto balanced_items = mine;
  (void)take_traffic();
  stable_sort_by_key(place, keys, mine, less);
  const traffic sent = take_traffic();
  EXPECT_EQ(sent.moves, 1U);
  EXPECT_LE(sent.moved_bytes, part.size() * (sizeof(K) + sizeof(std::uint32_t)));
  EXPECT_EQ(sent.on_world, 0U);
  sort(place, alone, less);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::uint32_t from = order[begin + i];
    wrong += mine[i] != from || !same_bits(keys[i], all[from]) || !same_bits(alone[i], all[from])
                 ? 1
                 : 0;
  }
  EXPECT_EQ(wrong, 0U) << part.size() << " rows on rank " << place.rank();

  balanced_sort_by_key(place, balanced, balanced_items, less);
  const auto size = static_cast<std::size_t>(place.size()),
             rank = static_cast<std::size_t>(place.rank());
  const std::size_t first = all.size() / size * rank + std::min(rank, all.size() % size);
  ASSERT_EQ(balanced.size(), all.size() / size + (rank < all.size() % size ? 1 : 0));
  for (std::size_t i = 0; i < balanced.size(); ++i) {
    ASSERT_EQ(balanced_items[i], order[first + i]);
    ASSERT_TRUE(same_bits(balanced[i], all[balanced_items[i]]));
  }
}

TYPED_TEST(mpi_types, sorts_are_stable_and_balanced) {
  using T = TypeParam;
  std::mt19937 random(29);
  for (int kind = 0; kind < 7; ++kind) {
    const std::size_t n = random() % 4000 + 1;
    auto all = random_values<T>(n, random);
    for (std::size_t i = 0; i < n; ++i) {
      if (kind == 1) all[i] = T{7};
      if (kind == 2) all[i] = static_cast<T>(random() % 3);
      if (kind == 5) all[i] = static_cast<T>(200.0 / static_cast<double>(1 + random() % 200));
      if (kind == 6) all[i] = static_cast<T>(i % 2 == 0 ? i / 2 : n - i);
    }
    if (kind == 3) std::sort(all.begin(), all.end());
    if (kind == 4) std::sort(all.begin(), all.end(), std::greater<>());
    expect_sorted(all, random, ascending{});
    if (kind % 3 == 0) expect_sorted(all, random, descending{});
  }
}

TEST(mpi, sorts_by_an_order_of_ones_own) {
  std::mt19937 random(30);
  expect_sorted(random_values<std::uint32_t>(2000, random), random,
                [](std::uint32_t a, std::uint32_t b) { return a % 10 < b % 10; });
}

TEST(mpi, one_bit_pattern_for_any_split) {
  std::mt19937 random(31);
  const auto all = random_values<double>(3000, random);
  const double sum = exact_sum(host, all);
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(same_bits(exact_sum(ranks(), random_part(all, random).values), sum));
  }
}

TEST(mpi, keeps_the_order_where_the_operator_needs_it) {
  std::mt19937 random(32);
  for (int k = 0; k < 20; ++k) {
    std::vector<affine> all(random() % 300 + 1), expected(all.size());
    for (affine& f : all) {
      f = {static_cast<std::uint32_t>(random()) | 1U, static_cast<std::uint32_t>(random() % 1000)};
    }
    const affine init{3, 4};
    std::inclusive_scan(all.begin(), all.end(), expected.begin(), then{}, init);
    const auto [begin, part] = random_part(all, random);
    EXPECT_EQ(reduce(ranks(), part, init, then{}), expected.back());
    std::vector<affine> out(part.size());
    inclusive_scan(ranks(), part, out, then{}, init);
    EXPECT_TRUE(
        std::equal(out.begin(), out.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin)));
  }
}

TEST(mpi, rows_are_their_ranks_own) {
  const auto place = ranks();
  const std::vector<float> ones(static_cast<std::size_t>(place.rank()) * 100, 1.0F);
  std::vector<float> sums(static_cast<std::size_t>(place.rank()));
  reduce_rows(place, ones, sums.size(), 100, sums);
  for (const float sum : sums) EXPECT_EQ(sum, 100.0F);
}

TEST(mpi, of_no_values_at_all) {
  const std::vector<float> nothing;
  EXPECT_EQ(reduce(ranks(), nothing, 4.0F), 4.0F);
  EXPECT_EQ(exact_sum(ranks(), nothing), 0.0F);
  EXPECT_EQ(exact_dot(ranks(), nothing, nothing), 0.0F);
  std::vector<float> none;
  sort(ranks(), none);
  exclusive_scan(ranks(), none, none, 1.0F);
  EXPECT_THROW((void)argmin(ranks(), nothing), usage_error);
  EXPECT_THROW((void)mean(ranks(), nothing), usage_error);
  EXPECT_THROW((void)statistics(ranks(), nothing), usage_error);
  EXPECT_THROW((void)exact_mean(ranks(), nothing), usage_error);
}

TEST(mpi, a_call_is_one_collective_of_a_partial) {
  const std::vector<double> part(100, 1.0);
  const auto place = across(MPI_COMM_WORLD, host);
  (void)take_traffic();
  (void)exact_sum(place, part);
  traffic sent = take_traffic();
  EXPECT_EQ(sent.reductions, 1U);
  EXPECT_EQ(sent.reduced_bytes, 292U + 2);  // whether there are values, and whether all went well
  (void)exact_sum(place, std::vector<float>(7, 1.0F));
  EXPECT_EQ(take_traffic().reduced_bytes, 64U + 2);
  (void)reduce(place, part, 0.0);
  EXPECT_EQ(take_traffic().reduced_bytes, 24U);
  (void)argmin(place, part);
  EXPECT_EQ(take_traffic().reduced_bytes, 40U);
  (void)statistics(place, part);
  EXPECT_EQ(take_traffic().reductions, 1U);
  std::vector<double> out(part.size());
  exclusive_scan(place, part, out, 0.0);
  sent = take_traffic();
  EXPECT_EQ(sent.scans, 1U);
  EXPECT_EQ(sent.reductions + sent.gathers + sent.all_to_alls + sent.on_world, 0U);
}

TEST(mpi, what_a_rank_throws_ends_the_call_on_all) {
  const auto place = ranks();
  const std::vector<int> part{1, 2, 3};
  const auto failing = [&](int a, int b) {
    if (place.rank() == place.size() - 1) throw std::out_of_range("too large");
    return a + b;
  };
  if (place.rank() == place.size() - 1) {
    EXPECT_THROW((void)reduce(place, part, 0, failing), std::out_of_range);
  } else {
    EXPECT_THROW((void)reduce(place, part, 0, failing), error);
  }
  std::vector<float> keys(5);
  std::vector<int> items(place.rank() == 0 ? 4 : 5);
  EXPECT_THROW(sort_by_key(place, keys, items), error);
  EXPECT_EQ(reduce(place, part, 0), 6 * place.size());  // and the next one goes on
}

/// Refuses NaN.
struct without_nan {
  bool operator()(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) throw std::domain_error("NaN has no place in this order");
    return a < b;
  }
};

TEST(mpi, an_order_that_throws_while_splitters_are_sought_ends_the_sort_on_all) {
  const auto place = ranks();
  if (place.size() == 1) return;
  // Of one row each rank's own sort compares nothing.
  std::vector<double> part{3, 1, 2};
  if (place.rank() > 0) part = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(sort(place, part, without_nan{}), std::exception);
  EXPECT_EQ(reduce(place, std::vector<int>{1}, 0), place.size());
}

/// On rank 0 one call, on the others another: found by all, and the next call goes on.
template <class One, class Other>
void expect_found(const One& one, const Other& other) {
  const auto place = ranks();
  if (place.size() == 1) return;
  if (place.rank() == 0) {
    EXPECT_THROW(one(place), usage_error);
  } else {
    EXPECT_THROW(other(place), usage_error);
  }
  EXPECT_EQ(reduce(place, std::vector<int>{1, 2, 3}, 0), 6 * place.size());
}

TEST(mpi, other_calls_on_other_ranks_are_found) {
  const std::vector<int> part{1, 2, 3, 4};
  expect_found([&](const auto& place) { (void)reduce(place, part, 0); },
               [&](const auto& place) { (void)reduce(place, part, 0.0); });
  expect_found([&](const auto& place) { (void)reduce(place, part, 0); },
               [&](const auto& place) { (void)min(place, part); });
}

TEST(mpi, other_options_on_other_ranks_are_found) {
  const std::vector<double> part{1, 2, 3, 4};
  std::vector<double> out(part.size());
  expect_found([&](const auto& place) { (void)reduce(place, part, 1.0); },
               [&](const auto& place) { (void)reduce(place, part, 2.0); });
  expect_found([&](const auto& place) { exclusive_scan(place, part, out, 0.0); },
               [&](const auto& place) { exclusive_scan(place, part, out, 1.0); });
  expect_found([&](const auto& place) { inclusive_scan(place, part, out, maximum{}, 0.0); },
               [&](const auto& place) { inclusive_scan(place, part, out, maximum{}, 1.0); });
  expect_found([&](const auto& place) { reduce_rows(place, part, 2, 2, std::span(out).first(2)); },
               [&](const auto& place) { reduce_rows(place, part, 1, 4, std::span(out).first(1)); });
  expect_found([&](const auto&) { (void)reduce(exact_ranks(), part, 0.0); },
               [&](const auto& place) { (void)reduce(place, part, 0.0); });
  // Gaps between members differ where values do not.
  struct gapped {
    char a;
    double b;
  };
  alignas(gapped) unsigned char bytes[sizeof(gapped)];
  std::memset(bytes, ranks().rank(), sizeof bytes);
  auto* const init = new (bytes) gapped;
  init->a = 1;
  init->b = 2;
  const auto first = [](const gapped& a, const gapped&) { return a; };
  EXPECT_EQ(reduce(ranks(), std::vector<gapped>{}, *init, first).b, 2);
}

TEST(mpi, communicators_do_not_wait_for_each_other) {
  MPI_Comm half = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  const auto place = across(half, host);
  // Unequal numbers of calls in the halves, and messages of the program's own meanwhile.
  for (int k = 0; k < 1 + rank % 2; ++k) {
    EXPECT_EQ(reduce(place, std::vector<int>{1}, 0), place.size());
  }
  int all = 0;
  MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(all, ranks().size() - 1);
  MPI_Comm_free(&half);
}

TEST(mpi, parts_of_more_than_a_block_arrive) {
  const auto place = ranks();
  const auto size = static_cast<std::size_t>(place.size());
  std::vector<std::uint8_t> from(size * 1000), to(size * 1000);
  std::vector<std::vector<mpi_detail::memory_part>> out(size), in(size);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t i = 0; i < 1000; ++i) {
      from[r * 1000 + i] =
          static_cast<std::uint8_t>(i + 7 * r + 31 * static_cast<std::size_t>(place.rank()));
    }
    out[r] = {{&from[r * 1000], 1000}};
    in[r] = {{&to[r * 1000], 1000}};
  }
  mpi_detail::exchange(place, out, in, 64);  // as if MPI could count to 64
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto sent =
          static_cast<std::uint8_t>(i + 7 * static_cast<std::size_t>(place.rank()) + 31 * r);
      wrong += to[r * 1000 + i] != sent ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  EXPECT_THROW((void)across(MPI_COMM_WORLD, host), usage_error);  // before MPI has begun
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
