// copy_if, copy_flagged, partition_copy and unique on the host do what plain loops do: any size and
// type, in place, and with any number of threads; nothing is written past an end.
#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/gather.hpp"
#include "warpfold/host/select.hpp"

namespace warpfold::tests {
namespace {

/// By a loop.
template <class T, class Keep>
std::vector<T> selected(const std::vector<T>& in, const Keep& keep) {
  std::vector<T> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (keep(i)) out.push_back(in[i]);
  }
  return out;
}

template <class T>
class host_select : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double,
                             tagged, std::string>;
TYPED_TEST_SUITE(host_select, types);

template <class T>
std::vector<T> any_values(std::size_t n) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<T> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = std::string(i % 40, 'a') + std::to_string(i);
    return words;
  } else if constexpr (std::is_same_v<T, tagged>) {
    return keys_in_runs<T>(n, 0);
  } else {
    return random_values<T>(n);
  }
}
template <class T>
bool is_wanted(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value.size() % 3 != 0;
  } else if constexpr (std::is_same_v<T, tagged>) {
    return value.note % 3 != 0;
  } else {
    return value > T{3};
  }
}

TYPED_TEST(host_select, equals_a_loop) {
  using T = TypeParam;
  for (const std::size_t n : sizes_around(chunk_of<T>)) {
    SCOPED_TRACE(n);
    const auto in = any_values<T>(n);
    const auto wanted = selected(in, [&](std::size_t i) { return is_wanted(in[i]); });
    const auto others = selected(in, [&](std::size_t i) { return !is_wanted(in[i]); });
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = is_wanted(in[i]) ? 1 << i % 8 : 0;
    for (const unsigned threads : {1, 2, 7}) {
      const auto where = here.threads(threads);
      fenced<T> out(wanted.size()), flagged(n), yes(n), no(others.size());
      ASSERT_EQ(copy_if(where, in, out.room(), is_wanted<T>), wanted.size());
      out.expect(wanted);
      ASSERT_EQ(copy_flagged(where, in, flags, flagged.room()), wanted.size());
      flagged.expect(wanted);
      ASSERT_EQ(partition_copy(where, in, yes.room(), no.room(), is_wanted<T>), wanted.size());
      yes.expect(wanted);
      no.expect(others);
      auto same = in;
      ASSERT_EQ(copy_if(where, same, same, is_wanted<T>), wanted.size());
      same.resize(wanted.size());
      ASSERT_EQ(same, wanted);
    }
  }
}

TYPED_TEST(host_select, all_or_none) {
  using T = TypeParam;
  for (const std::size_t n : sizes_around(chunk_of<T>)) {
    const auto in = any_values<T>(n);
    fenced<T> none(0), all(n);
    ASSERT_EQ(copy_if(here, in, none.room(), [](const T&) { return false; }), 0u);
    none.expect({});
    ASSERT_EQ(copy_if(here, in, all.room(), [](const T&) { return true; }), n);
    all.expect(in);
    auto same = in;
    ASSERT_EQ(copy_flagged(here, same, std::vector<char>(n, 1), same), n);
    ASSERT_EQ(same, in);
    if (n == 0) continue;
    // Up to some row all stay where they are; behind it all move.
    std::vector<bool> is_first(n);
    std::vector<int> flags(n, -1);
    flags[n / 2] = 0;
    ASSERT_EQ(copy_flagged(here, same, flags, same), n - 1);
    auto expected = in;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(n / 2));
    same.resize(n - 1);
    ASSERT_EQ(same, expected);
  }
}

template <class T>
class host_unique : public testing::Test {};
using keys = testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_unique, keys);

template <class T, class Equal>
void check_unique(const std::vector<T>& in, const Equal& equal) {
  const auto expected =
      selected(in, [&](std::size_t i) { return i == 0 || !equal(in[i - 1], in[i]); });
  for (const unsigned threads : {1, 2, 7}) {
    fenced<T> out(expected.size());
    ASSERT_EQ(unique(here.threads(threads), in, out.room(), equal), expected.size());
    out.expect(expected);
    auto same = in;
    ASSERT_EQ(unique(here.threads(threads), same, same, equal), expected.size());
    same.resize(expected.size());
    ASSERT_EQ(same, expected);
  }
}

TYPED_TEST(host_unique, equals_a_loop) {
  for (const std::size_t n : sizes_around(chunk_of<TypeParam>)) {
    for (const std::size_t length : run_lengths) {
      SCOPED_TRACE(testing::Message() << n << " in runs of " << length);
      check_unique(keys_in_runs<TypeParam>(n, length), equal_to{});
    }
  }
}

TEST(host_unique, by_a_relation_of_its_own) {
  for (const std::size_t length : run_lengths) {
    check_unique(keys_in_runs<tagged>(9 * chunk_of<tagged> + 5, length), same_group{});
  }
}

TEST(host_unique, millions_in_place) {
  auto values = keys_in_runs<std::uint32_t>(2'000'017, 0);
  const auto expected =
      selected(values, [&](std::size_t i) { return i == 0 || values[i - 1] != values[i]; });
  ASSERT_EQ(unique(host, values, values), expected.size());
  values.resize(expected.size());
  ASSERT_TRUE(values == expected);
}

TEST(host_unique, each_nan_is_a_run) {
  const std::vector<float> in{1, nan_of<float>, nan_of<float>, 1, 1, 0.0F, -0.0F};
  std::vector<float> out(in.size());
  ASSERT_EQ(unique(here, in, out), 5u);
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
  EXPECT_EQ(out[3], 1);
  EXPECT_FALSE(std::signbit(out[4]));
}

TEST(host_copy_if, converts_to_the_type_of_the_output) {
  const std::vector<std::uint8_t> in{200, 3, 255};
  std::vector<double> out(3);
  ASSERT_EQ(copy_if(here, in, out, [](std::uint8_t v) { return v > 100; }), 2u);
  EXPECT_EQ(out, (std::vector<double>{200, 255, 0}));
}

TEST(host_copy_if, asks_once_for_each_value) {
  const auto in = random_values<int>(5000);
  std::vector<int> out(in.size());
  std::atomic<std::size_t> calls = 0;
  copy_if(here, in, out, [&](int) { return ++calls, true; });
  EXPECT_EQ(calls, in.size());
}

/// Throws usage_error with these words, and has written the first values, as many as there is room.
template <class Call>
void expect_too_short(const Call& call, const char* name, const char* output) {
  EXPECT_THAT(call, testing::ThrowsMessage<usage_error>(testing::AllOf(
                        testing::HasSubstr(std::string("warpfold::") + name),
                        testing::HasSubstr(std::string(output) + " has room for 700 values"),
                        testing::HasSubstr("has 701;"))));
}

TEST(host_select_bad_input, too_short_an_output_is_said) {
  std::vector<int> in(1402);
  std::iota(in.begin(), in.end(), 0);
  const auto even = [](int v) { return v % 2 == 0; };
  auto expected = in;
  for (std::size_t i = 0; i < 700; ++i) expected[i] = static_cast<int>(2 * i);
  expected.resize(700);
  std::vector<int> flags(in.size()), pairs(in.size()), others(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) flags[i] = even(in[i]), pairs[i] = in[i] / 2 * 2;
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    const auto check = [&](const char* name, const char* output, const auto& call) {
      fenced<int> out(700, -1);
      expect_too_short([&] { call(out.room()); }, name, output);
      out.expect(expected);
    };
    check("copy_if(", "out", [&](auto out) { copy_if(where, in, out, even); });
    check("copy_flagged(", "out", [&](auto out) { copy_flagged(where, in, flags, out); });
    check("unique(", "out", [&](auto out) { unique(where, pairs, out); });
    check("partition_copy(", "out_true",
          [&](auto out) { partition_copy(where, in, out, others, even); });
    check("partition_copy(", "out_false", [&](auto out) {
      partition_copy(where, in, others, out, [](int v) { return v % 2 != 0; });
    });
  }
  std::vector<int> out(in.size());
  flags.pop_back();
  EXPECT_THAT(
      [&] { copy_flagged(here, in, flags, out); },
      testing::ThrowsMessage<usage_error>(testing::HasSubstr("1402 values and 1401 flags")));
}

TEST(host_select_bad_input, what_the_predicate_throws_comes_out) {
  const auto in = random_values<int>(5000);
  std::vector<int> out(in.size());
  for (const unsigned threads : {1, 2, 7}) {
    for (const int enough : {1, 100, 4999, 5000}) {
      std::atomic<int> calls = 0;
      const auto fails = [&](int) {
        if (++calls >= enough) throw std::runtime_error("enough");
        return true;
      };
      EXPECT_THROW(copy_if(here.threads(threads), in, out, fails), std::runtime_error);
    }
  }
}

TEST(host_select, indices_removals_and_three_parts) {
  const auto is_first = [](int v) { return v % 3 == 0; };
  const auto is_second = [](int v) { return v % 2 == 0; };
  for (const std::size_t n : sizes_around(chunk_of<int>)) {
    const auto in = random_values<std::int32_t>(n);
    std::vector<std::uint32_t> places;
    std::vector<std::int32_t> parts[3], others;
    for (std::size_t i = 0; i < n; ++i) {
      if (is_first(in[i])) places.push_back(static_cast<std::uint32_t>(i));
      if (!is_first(in[i])) others.push_back(in[i]);
      parts[is_first(in[i]) ? 0 : is_second(in[i]) ? 1 : 2].push_back(in[i]);
    }
    std::vector<std::uint32_t> indices(places.size());
    EXPECT_EQ(indices_if(here, in, indices, is_first), places.size());
    EXPECT_EQ(indices, places);
    std::vector<std::int32_t> out[3], rest(others.size());
    for (unsigned k = 0; k < 3; ++k) out[k].resize(parts[k].size());
    EXPECT_EQ(partition_copy(here, in, out[0], out[1], out[2], is_first, is_second),
              (std::array{parts[0].size(), parts[1].size(), parts[2].size()}));
    for (unsigned k = 0; k < 3; ++k) EXPECT_EQ(out[k], parts[k]);
    EXPECT_EQ(remove_if(here, in, rest, is_first), others.size());
    EXPECT_EQ(rest, others);
    if (places.size() < 2) continue;
    std::vector<std::uint32_t> few(places.size() - 1);
    EXPECT_THROW(indices_if(here, in, few, is_first), usage_error);
    EXPECT_EQ(few.back(), places[few.size() - 1]);
  }
}

TEST(host_select, values_by_their_indices) {
  const auto in = random_values<std::uint64_t>(1000);
  std::vector<std::uint32_t> indices(1000);
  std::iota(indices.rbegin(), indices.rend(), 0U);
  std::vector<std::uint64_t> out(1000), back(1000);
  gather(here, in, indices, out);
  EXPECT_EQ(out, std::vector<std::uint64_t>(in.rbegin(), in.rend()));
  scatter(here, out, indices, back);
  EXPECT_EQ(back, in);
  const auto before = out;
  indices[500] = 1000;
  EXPECT_THROW(gather(here, in, indices, out), usage_error);
  EXPECT_THROW(scatter(here, in, indices, out), usage_error);
  std::vector<std::uint64_t> few(999);
  EXPECT_THROW(gather(here, in, indices, few), usage_error);
  EXPECT_THROW(scatter(here, few, indices, out), usage_error);
  EXPECT_THROW(gather(here, out, indices, out), usage_error);
  EXPECT_EQ(out, before);
}

}  // namespace
}  // namespace warpfold::tests
