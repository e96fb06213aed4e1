// The memory that calls work in: how much is asked for, what is refused, and what is not allocated.
#include <numeric>
#include <string>

#include "tests/library/device/stream_jobs.hpp"
#if defined(SIMT_KERNELS)
#include "simt/error.hpp"
#endif

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_memory : public device_test {
 protected:
  /// What the call asks of the runtime is what a graph of it holds.
  template <class Call>
  static void expect_one_launch(const char* what, Call call) {
    const own_stream s;
    const captured graph(s.stream, [&] {
      const status done = call(device.on(s.stream));
      EXPECT_TRUE(done.ok()) << what << ": " << done.reason();
    });
    EXPECT_EQ(graph.nodes, 1U) << what;
  }
};

TEST_F(device_memory, what_one_block_does_allocates_and_clears_nothing) {
  const device_buffer<float> in(std::vector<float>(2000, 1)), out(2000);
  const device_buffer<int> keys(std::vector<int>(500, 7)), items(std::vector<int>(500, 8));
  const device_buffer<position<float>> place(1);
  const auto first = [&](std::size_t n) { return in.values().first(n); };
  for (const std::size_t n : {0U, 1U, 5U, 300U, 2000U}) {
    expect_one_launch("sum", [&](auto on) { return reduce_into(on, first(n), out.data()); });
    expect_one_launch("argmin", [&](auto on) { return argmin_into(on, first(n), place.data()); });
    expect_one_launch("exact sum",
                      [&](auto on) { return exact_sum_into(on, first(n), out.data()); });
  }
  expect_one_launch("ordered", [&](auto on) {
    return reduce_into(on, first(500), out.data(), 0.0F, with_identity(plus{}, 0.0F));
  });
  expect_one_launch("scan", [&](auto on) { return inclusive_scan(on, first(2000), out.room()); });
  expect_one_launch("scan from another boundary",
                    [&](auto on) { return inclusive_scan(on, first(700), out.room().subspan(1)); });
  expect_one_launch("rows",
                    [&](auto on) { return reduce_rows(on, first(2000), 20, 100, out.room()); });
  expect_one_launch("long rows",
                    [&](auto on) { return reduce_rows(on, first(1500), 1, 1500, out.room()); });
  expect_one_launch("sort", [&](auto on) { return sort(on, keys.room()); });
  expect_one_launch("sort by key",
                    [&](auto on) { return stable_sort_by_key(on, keys.room(), items.room()); });
}

TEST_F(device_memory, one_place_has_both_kinds) {
  const std::size_t n = 70'000;
  const device_buffer<int> keys(std::vector<int>(n, 7)), sum(1);
  const workspace cleared(reduce_workspace_bytes<int>());
  const temp_storage scratch(sort_temp_storage_bytes<int>(n));
  const auto run = [&](auto on) {
    for (int i = 0; i < 2; ++i) {  // a sort leaves the workspace as it was
      ASSERT_TRUE(sort(on, keys.room()).ok());
      ASSERT_TRUE(reduce_into(on, keys.values(), sum.data()).ok());
      EXPECT_EQ(sum.read(), std::vector<int>(1, 7 * static_cast<int>(n)));
    }
  };
  run(device.with(cleared).with(scratch));
  run(device.with(scratch).with(cleared));
  const workspace_view given = cleared;
  const std::size_t bytes = reduce_workspace_bytes<int>();
  expect_refused(
      reduce_into(device.with(scratch).with(cleared).with(workspace_view{given.data, bytes - 1}),
                  keys.values(), sum.data()),
      bytes, bytes - 1);
}

/// As much as is needed but one byte, whatever the call's size: a mistake shows at once.
TEST_F(device_memory, too_little_is_refused_with_both_numbers_and_the_function_of_the_size) {
  const device_buffer<float> in(std::vector<float>(70000, 1)), out(70000);
  const device_buffer<int> keys(std::vector<int>(70000, 7));
  const auto expect_named = [](const status& refused, std::size_t bytes, const char* function) {
    expect_refused(refused, bytes, bytes - 1);
    EXPECT_NE(std::string(refused.reason()).find(function), std::string::npos) << refused.reason();
  };
  for (const std::size_t n : {5U, 70000U}) {
    SCOPED_TRACE(n);
    const auto values = in.values().first(n);
    const auto short_by_one = [&](std::size_t bytes, const char* function, auto call) {
      const workspace memory(bytes);
      const workspace_view all = memory;
      expect_named(call(device.with(workspace_view{all.data, bytes - 1})), bytes, function);
    };
    short_by_one(reduce_workspace_bytes<float>(), " reduce_workspace_bytes<Acc>()",
                 [&](auto on) { return reduce_into(on, values, out.data()); });
    short_by_one(reduce_workspace_bytes<float>(), " reduce_workspace_bytes<Acc>()",
                 [&](auto on) { return reduce_rows(on, values, 1, n, out.room()); });
    short_by_one(scan_workspace_bytes<float>(n), " scan_workspace_bytes<T, Acc>(n)",
                 [&](auto on) { return inclusive_scan(on, values, out.room()); });
    const std::size_t bytes = sort_temp_storage_bytes<int>(n);
    const temp_storage memory(bytes);
    const temp_storage_view all = memory;
    expect_named(sort(device.with(temp_storage_view{all.data, bytes - 1}), keys.room().first(n)),
                 bytes, " sort_temp_storage_bytes<K, V>(n)");
  }
  EXPECT_EQ(keys.read(), std::vector<int>(70000, 7));
}

TEST_F(device_memory, misaligned_memory_is_refused_with_both_numbers) {
  const device_buffer<float> in(std::vector<float>(5, 1)), out(5);
  const workspace memory(2 * reduce_workspace_bytes<float>());
  const workspace_view all = memory;
  for (const std::size_t off : {1U, 8U, 24U, 128U}) {
    const workspace_view shifted{static_cast<char*>(all.data) + off, all.bytes - off};
    expect_refused(reduce_into(device.with(shifted), in.values(), out.data()), 256,
                   off & (~off + 1));
  }
  const workspace_view second{static_cast<char*>(all.data) + 256, all.bytes - 256};
  EXPECT_TRUE(reduce_into(device.with(second), in.values(), out.data()).ok());
}

void set_header(const workspace& memory, unsigned counter, std::uint64_t value) {
  const workspace_view view = memory;
  auto* const at = static_cast<std::uint64_t*>(view.data) + counter;
  detail::copy_async(at, &value, sizeof value, device.stream()).throw_if_failed("set a header");
  detail::wait_for(device.stream()).throw_if_failed("set a header");
}

struct triple {
  std::uint64_t at[3];
  friend bool operator==(const triple&, const triple&) = default;
};
struct add_each {
  static constexpr bool commutative = true;
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return {{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {{0, 0, 0}};
  }
};

/// Epochs start again after 2^32 launches. What a call with more memory left behind the memory of
/// the call in which they do must be gone then, too.
TEST_F(device_memory, old_epochs_are_cleared_behind_a_smaller_view) {
  const std::size_t n = on_cpu ? 60000 : 2000000, few = 600;
  const device_buffer<triple> ones(std::vector<triple>(n, {{1, 2, 3}})), out(n);
  const device_buffer<triple> twos(std::vector<triple>(n, {{2, 4, 6}}));
  for (std::uint64_t seed = 0; seed < (on_cpu ? 8 : 1); ++seed) {
#if defined(SIMT_KERNELS)
    const simt::observe order({.workers = 1, .seed = seed, .patience_seconds = 10});
#endif
    const workspace memory(scan_workspace_bytes<triple>(n));
    const workspace_view all = memory;
    const workspace_view front{all.data, scan_workspace_bytes<triple>(few)};
    ASSERT_LT(front.bytes, all.bytes);
    const auto scan = [&](const workspace_view& view, const auto& values, std::size_t count) {
      ASSERT_TRUE(
          inclusive_scan(device.with(view), values.values().first(count), out.room(), add_each{})
              .ok());
    };
    scan(all, ones, n), scan(all, ones, n);  // epochs 1 and 2
    set_header(memory, detail::tile_status::ids, std::uint64_t{0xfffffffe} << 32);
    scan(front, ones, few);                  // the last
    scan(all, twos, n), scan(all, twos, n);  // epochs 1 and 2
    const auto results = out.read();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(results[i], (triple{{2 * (i + 1), 4 * (i + 1), 6 * (i + 1)}})) << i;
    }
  }
}

#if defined(SIMT_KERNELS)
TEST_F(device_memory, two_launches_at_once_in_one_workspace_are_found) {
  const device_buffer<float> in(std::vector<float>(70000, 1)), out(1);
  const device_buffer<int> whole(std::vector<int>(70000, 1)), count(1);
  const workspace memory(reduce_workspace_bytes<float>());
  set_header(memory, detail::tile_status::in_use, 12345);  // as if another launch were at work
  const simt::observe unchecked({});  // a kernel that is stopped leaves things undone
  const auto expect_found = [](auto call) {
    try {
      (void)call();
      FAIL() << "it should be found";
    } catch (const std::exception& e) {
      for (const char* says : {"two launches use one workspace at once", "was not cleared"}) {
        EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
      }
    }
  };
  expect_found([&] { return reduce_into(device.with(memory), in.values(), out.data()); });
  expect_found([&] { return reduce_into(device.with(memory), whole.values(), count.data()); });
}
#endif

/// What keeps the level compiles with it, and has the host's bits. (What can't keep it does not
/// compile: tests/library/refused.)
TEST_F(device_memory, calls_that_keep_gpu_to_gpu) {
  const auto anywhere = device.with(determinism::gpu_to_gpu);
  std::vector<float> values = random_values<float>(70001);
  values[5] = 1e30F, values[60000] = -1e30F;
  double exact = 0;
  {
    exact_accumulator<double> sum;
    for (const float v : values) sum.add(static_cast<double>(v));
    exact = sum.round();
  }
  const device_buffer<float> in(values);
  EXPECT_EQ(mean(anywhere, in.values()), exact / 70001);
  EXPECT_EQ(min(anywhere, in.values()), -1e30F);
  EXPECT_EQ(max(anywhere, in.values()), 1e30F);
  EXPECT_EQ(minmax(anywhere, in.values()).max, 1e30F);
  EXPECT_EQ(argmax(anywhere, in.values()).index, 5U);
  EXPECT_EQ(reduce(anywhere, in.values(), 0.0F, maximum{}), 1e30F);
  const std::vector<int> numbers = random_values<int>(70001);
  const device_buffer<int> whole(numbers), out(70001);
  ASSERT_TRUE(inclusive_scan(anywhere, whole.values(), out.room()).ok());
  const int all = std::accumulate(numbers.begin(), numbers.end(), 0, plus{});
  EXPECT_EQ(out.read().back(), all);
  ASSERT_TRUE(reduce_rows(anywhere, whole.values(), 1, 70001, out.room()).ok());
  EXPECT_EQ(out.read().front(), all);
  EXPECT_EQ(reduce(anywhere, whole.values()), all);
  ASSERT_TRUE(sort(anywhere, out.room()).ok());
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
