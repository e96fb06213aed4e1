// The commands on files as calls, on many threads and in little memory: every result is that of a
// plain loop, whatever the threads do.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "data/array.hpp"
#include "data/output_file.hpp"
#include "files/reduce.hpp"
#include "files/scan.hpp"
#include "files/sort.hpp"
#include "tests/library/canonical/reference.hpp"
#include "tests/temporary_directory.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::tests {
namespace {

const files::run_options four_threads{.memory = files::least_memory, .threads = 4};

class host_files : public testing::Test {
 protected:
  template <class T>
  std::filesystem::path write(const char* name, const std::vector<T>& values) {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    return path;
  }
  template <class T>
  std::vector<T> read(const std::filesystem::path& path) {
    std::vector<T> values(std::filesystem::file_size(path) / sizeof(T));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
  }
  temporary_directory folder_;
};

std::vector<std::int32_t> some_values(std::size_t n) {
  std::mt19937 random(7);
  std::vector<std::int32_t> values(n);
  for (auto& v : values) v = static_cast<std::int32_t>(random() % 2001) - 1000;
  return values;
}

TEST_F(host_files, sums_and_statistics) {
  const auto values = some_values(3'000'000);
  const auto sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  data::number_input in(write("in", values), value_type::i32);
  EXPECT_EQ(files::reduce_all(in, files::reduction::sum, four_threads)[0].second,
            files::number(sum));
  const auto about = files::reduce_all(in, files::reduction::statistics, four_threads);
  EXPECT_EQ(std::get<double>(about[1].second), static_cast<double>(sum)) << about[1].first;
}

TEST_F(host_files, exact_sums) {
  std::vector<float> values(2'000'000, 0.25F);
  values.front() = 1e30F;
  values.back() = -1e30F;
  data::number_input in(write("in", values), value_type::f32);
  EXPECT_EQ(
      std::get<float>(files::reduce_all(in, files::reduction::exact_sum, four_threads)[0].second),
      499'999.5F);
}

TEST_F(host_files, prefixes) {
  const auto values = some_values(3'000'000);
  std::vector<std::int64_t> expected(values.begin(), values.end());
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  data::number_input in(write("in", values), value_type::i32);
  data::output_file out(folder_ / "out", data::output_file::over::nothing);
  EXPECT_EQ(
      files::scan_all(in, files::reduction::sum, false, value_type::i64, out, 0, four_threads),
      values.size());
  out.commit();
  EXPECT_EQ(read<std::int64_t>(folder_ / "out"), expected);
}

/// At determinism::gpu_to_gpu, with different memory and threads.
class canonical_files : public host_files {
 protected:
  static constexpr std::size_t chunk = files::host_chunk_bytes;
  static constexpr auto anywhere = host.with(determinism::gpu_to_gpu);

  static std::vector<files::run_options> limits() {
    return {{.memory = files::least_memory, .threads = 1, .gpu_to_gpu = true},
            {.memory = files::least_memory, .threads = 7, .gpu_to_gpu = true},
            {.memory = std::size_t{1} << 30, .threads = 2, .gpu_to_gpu = true}};
  }
  /// Products of any number of them are near 1.
  template <class T>
  static std::vector<T> near_one(std::size_t n) {
    std::mt19937 random(7);
    std::vector<T> values(n);
    for (T& v : values) v = static_cast<T>(1 + (static_cast<double>(random()) * 0x1p-31 - 1) / 999);
    return values;
  }
  /// f(values, input) for files of less than a chunk, whole chunks, and more.
  template <class T, class F>
  void for_files(const F& f) {
    constexpr std::size_t most = chunk / sizeof(T);
    for (const std::size_t n : {std::size_t{1}, most - 3, most, 2 * most, 3 * most + 77}) {
      const auto values = near_one<T>(n);
      data::number_input in(write("in", values), data::type_of<T>());
      f(values, in);
    }
  }
  template <class T>
  std::vector<T> scanned(data::number_input& in, files::reduction op, bool exclusive,
                         const files::run_options& o) {
    data::output_file out(folder_ / "out", data::output_file::over::anything);
    files::scan_all(in, op, exclusive, data::type_of<T>(), out, 0, o);
    out.commit();
    return read<T>(folder_ / "out");
  }
  template <class T, class Op>
  void expect_prefixes(files::reduction op, Op combine, double init) {
    for_files<T>([&](const std::vector<T>& values, data::number_input& in) {
      const std::vector<double> wide(values.begin(), values.end());
      std::vector<double> reference(values.size());
      canonical::inclusive_scan<double>(wide.data(), wide.size(), reference.data(), init, combine);
      const std::vector<T> inclusive(reference.begin(), reference.end());
      std::vector<T> exclusive(values.size());
      exclusive_scan(anywhere, values, exclusive, init, combine);
      for (const auto& o : limits()) {
        EXPECT_TRUE(scanned<T>(in, op, false, o) == inclusive) << values.size() << " " << o.threads;
        EXPECT_TRUE(scanned<T>(in, op, true, o) == exclusive) << values.size() << " " << o.threads;
      }
    });
  }
  template <class T>
  void expect_reductions() {
    for_files<T>([&](const std::vector<T>& values, data::number_input& in) {
      const std::vector<double> wide(values.begin(), values.end());
      const auto all = statistics(anywhere, values);
      const double product = canonical::reduce(wide.data(), wide.size(), multiplies{});
      for (const auto& o : limits()) {
        const auto result = [&](files::reduction op) { return files::reduce_all(in, op, o); };
        EXPECT_EQ(result(files::reduction::product)[0].second, files::number(product));
        EXPECT_EQ(result(files::reduction::sum)[0].second,
                  files::number(reduce(anywhere, values, 0.0)));
        EXPECT_EQ(result(files::reduction::mean)[0].second, files::number(mean(anywhere, values)));
        const auto found = result(files::reduction::statistics);
        EXPECT_EQ(found[0].second, files::number(std::uint64_t{values.size()}));
        EXPECT_EQ(found[1].second, files::number(all.sum));
        EXPECT_EQ(found[3].second, files::number(all.variance));
        EXPECT_EQ(found[5].second, files::number(all.min.index));
        EXPECT_EQ(found[7].second, files::number(all.max.index));
      }
    });
  }
};

TEST_F(canonical_files, prefixes) {
  expect_prefixes<float>(files::reduction::sum, plus{}, 0);
  expect_prefixes<float>(files::reduction::product, multiplies{}, 1);
  expect_prefixes<double>(files::reduction::sum, plus{}, 0);
  expect_prefixes<double>(files::reduction::product, multiplies{}, 1);
}

TEST_F(canonical_files, reductions) {
  expect_reductions<float>();
  expect_reductions<double>();
}

TEST_F(canonical_files, of_no_values) {
  data::number_input in(write("in", std::vector<float>{}), value_type::f32);
  const auto o = limits()[0];
  EXPECT_EQ(files::reduce_all(in, files::reduction::product, o)[0].second, files::number(1.0));
  EXPECT_EQ(files::reduce_all(in, files::reduction::sum, o)[0].second, files::number(0.0));
  EXPECT_THROW(files::reduce_all(in, files::reduction::statistics, o), data_error);
  EXPECT_TRUE(scanned<float>(in, files::reduction::sum, false, o).empty());
}

TEST_F(host_files, sorts_in_runs_that_are_merged) {
  auto values = some_values(9'000'000);  // more than twice the memory
  data::number_input in(write("in", values), value_type::i32);
  data::output_file out(folder_ / "out", data::output_file::over::nothing);
  files::sort_all({.keys = in,
                   .items = nullptr,
                   .descending = false,
                   .keys_out = {&out, 0},
                   .items_out = {},
                   .scratch_folder = folder_.path()},
                  four_threads);
  out.commit();
  std::sort(values.begin(), values.end());
  EXPECT_EQ(read<std::int32_t>(folder_ / "out"), values);
}

}  // namespace
}  // namespace warpfold::tests
