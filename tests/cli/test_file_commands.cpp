// warpfold reduce, scan and sort: right for every type and size, within their memory.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "tests/cli/sorted.hpp"
#include "tests/library/canonical/reference.hpp"
#include "warpfold/order.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

template <class T>
class typed_files : public file_command {};
TYPED_TEST_SUITE(typed_files, file_types);

/// What one line of output stands for.
template <class T>
T parsed(const std::string& line) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(std::stod(line));
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(std::stoll(line));
  else
    return static_cast<T>(std::stoull(line));
}

TYPED_TEST(typed_files, reduce) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{1}, 3 * chunk / sizeof(T) + 5}) {
    const auto values = this->template random<T>(n);
    const std::string file = this->npy("a.npy", values) + " --backend host --op ";
    const auto result = [&](const std::string& op) {
      const outcome o = this->run("reduce " + file + op);
      EXPECT_EQ(o.code, 0) << o.err;
      return o.out;
    };
    wide<T> sum = 0;
    double magnitude = 0;
    for (const T v : values) {
      sum = static_cast<wide<T>>(sum + static_cast<wide<T>>(v));
      magnitude += std::fabs(static_cast<double>(v));
    }
    if constexpr (std::is_floating_point_v<T>) {
      const double bound = static_cast<double>(n) * 0x1p-52 * magnitude;
      EXPECT_NEAR(parsed<double>(result("sum")), sum, bound);
      EXPECT_NEAR(parsed<double>(result("mean")), sum / static_cast<double>(n), bound);
    } else {
      EXPECT_EQ(parsed<wide<T>>(result("sum")), sum);
      T all_and = values[0], all_or = values[0], all_xor = 0;
      for (const T v : values) all_and &= v, all_or |= v, all_xor ^= v;
      EXPECT_EQ(parsed<wide<T>>(result("and")), static_cast<wide<T>>(all_and));
      EXPECT_EQ(parsed<wide<T>>(result("or")), static_cast<wide<T>>(all_or));
      EXPECT_EQ(parsed<wide<T>>(result("xor")), static_cast<wide<T>>(all_xor));
    }
    const auto least = std::min_element(values.begin(), values.end());
    const auto greatest = std::max_element(values.begin(), values.end());
    EXPECT_EQ(parsed<T>(result("min")), *least);
    EXPECT_EQ(parsed<T>(result("max")), *greatest);
    EXPECT_THAT(result("argmin"),
                StartsWith("argmin " + std::to_string(least - values.begin()) + "\n"));
    EXPECT_THAT(result("argmax"),
                StartsWith("argmax " + std::to_string(greatest - values.begin()) + "\n"));
    EXPECT_THAT(result("statistics"), StartsWith("count " + std::to_string(n) + "\nsum "));
  }
}

TYPED_TEST(typed_files, scan) {
  using T = TypeParam;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, chunk / sizeof(T), 3 * chunk / sizeof(T) + 5}) {
    auto values = this->template random<T>(n);
    for (T& v : values) v = static_cast<T>(std::fmod(static_cast<double>(v) * 8, 64.0));
    const std::string in = this->npy("a.npy", values);
    for (const bool exclusive : {false, true}) {
      const outcome o = this->run("scan " + in + " -o " + this->path("b.npy") +
                                  " --force --backend host" + (exclusive ? " --exclusive" : ""));
      ASSERT_EQ(o.code, 0) << o.err;
      using out = std::conditional_t<std::is_integral_v<T>, wide<T>, T>;
      const auto prefixes = this->template read<out>("b.npy");
      ASSERT_EQ(prefixes.size(), n);
      wide<T> sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (exclusive)
          ASSERT_NEAR(static_cast<double>(prefixes[i]), static_cast<double>(sum),
                      std::is_integral_v<T> ? 0 : 1e-6 * (1 + std::fabs(static_cast<double>(sum))));
        sum = static_cast<wide<T>>(sum + static_cast<wide<T>>(values[i]));
        if (!exclusive)
          ASSERT_NEAR(static_cast<double>(prefixes[i]), static_cast<double>(sum),
                      std::is_integral_v<T> ? 0 : 1e-6 * (1 + std::fabs(static_cast<double>(sum))));
      }
    }
  }
}

TYPED_TEST(typed_files, sort_in_memory_and_outside) {
  using T = TypeParam;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, 3 * chunk, 40 * chunk + 24}) {
    auto keys = this->template random<T>(bytes / sizeof(T));
    const std::string in =
        this->raw("a.bin", keys) + " --type " + std::string(name_of(data::type_of<T>()));
    keys = sorted(std::move(keys));
    for (const bool down : {false, true}) {
      const outcome o =
          this->run("sort " + in + " -o " + this->path("b.bin") +
                    " --force --memory 16MiB --backend host" + (down ? " --descending" : ""));
      ASSERT_EQ(o.code, 0) << o.err;
      if (down) std::reverse(keys.begin(), keys.end());
      ASSERT_TRUE(this->template read<T>("b.bin") == keys) << bytes;
    }
    EXPECT_EQ(this->names(), (std::vector<std::string>{"a.bin", "b.bin"}));
  }
}

class files : public file_command {};

TEST_F(files, sort_moves_values_along_and_keeps_the_order_of_equals) {
  for (const std::size_t n : {1000U, 5'000'001U}) {
    auto keys = random<std::uint32_t>(n);
    for (auto& k : keys) k %= 1000;
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), 0U);
    const outcome o =
        run("sort " + npy("k.npy", keys) + " --values " + npy("v.npy", places) + " -o " +
            path("ks.npy") + " --values-out " + path("vs.npy") + " --memory 16MiB --descending");
    ASSERT_EQ(o.code, 0) << o.err;
    std::stable_sort(places.begin(), places.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return keys[a] > keys[b]; });
    ASSERT_TRUE(read<std::uint64_t>("vs.npy") == places);
    const auto sorted = read<std::uint32_t>("ks.npy");
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], keys[places[i]]);
    for (const char* name : {"ks.npy", "vs.npy"}) std::filesystem::remove(path(name));
  }
}

TEST_F(files, sort_puts_nan_last_and_minus_zero_before_zero) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  run("sort " + npy("a.npy", std::vector<float>{nan, 1, 0.0F, -0.0F, -inf, inf, -1}) + " -o " +
      path("b.npy"));
  const auto sorted = read<float>("b.npy");
  ASSERT_EQ(sorted.size(), 7U);
  EXPECT_EQ(sorted[0], -inf);
  EXPECT_TRUE(std::signbit(sorted[2]) && !std::signbit(sorted[3]));
  EXPECT_TRUE(std::isnan(sorted[6]));
}

TEST_F(files, the_last_run_may_hold_few_rows_and_keys_may_all_be_equal) {
  const std::vector<std::uint8_t> keys(17 * chunk + 1, 7);
  ASSERT_EQ(
      run("sort " + raw("a.bin", keys) + " --type u8 --memory 16MiB -o " + path("b.bin")).code, 0);
  EXPECT_TRUE(read<std::uint8_t>("b.bin") == keys);
}

TEST_F(files, sums_do_not_depend_on_memory_or_threads) {
  const std::string file = npy("a.npy", random<float>(5'000'000)) + " --backend host ";
  const std::string sum = run("reduce " + file).out;
  for (const char* limits : {"--threads 1", "--threads 7", "--memory 16MiB", "--memory 1GiB"}) {
    EXPECT_EQ(run("reduce " + file + limits).out, sum) << limits;
  }
}

TEST_F(files, results_are_the_same_on_every_machine) {
  const std::string everywhere = " --determinism gpu_to_gpu ", rest = " -o " + path("b.npy");
  const std::string file = npy("a.npy", std::vector<float>{0x1p60F, 1, -0x1p60F});
  EXPECT_EQ(run("reduce " + file + everywhere).out, "1\n") << "exact";
  ASSERT_EQ(run("scan " + file + everywhere + rest).code, 0);
  EXPECT_EQ(read<float>("b.npy"), (std::vector<float>{0x1p60F, 0x1p60F, 0}));
  expect_refusal("reduce " + file + " --determinism all", 2,
                 "--determinism all: must be run_to_run or gpu_to_gpu");
  expect_refusal("scan " + file + everywhere + rest + " --backend cuda", 2, "runs on the host");
  const std::string table = npy("t.npy", std::vector<float>{1, 2, 3, 4}, {2, 2}) + " --axis 0";
  EXPECT_EQ(run("reduce " + table + everywhere + "--op max").out, "3\n4\n");
  expect_refusal("reduce " + table + everywhere + "--op statistics", 2, "leave --axis out");
}

// In f64, of values whose sums depend on the order.
TEST_F(files, sums_along_an_axis_are_in_the_canonical_order) {
  const std::size_t columns = 1000, rows = 3 * chunk / sizeof(double) / columns + 7;
  auto values = random<double>(rows * columns);
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= 1e10;
  const std::string table = "reduce " + npy("t.npy", values, {rows, columns}) +
                            " --determinism gpu_to_gpu -o " + path("s.npy") + " --force ";
  std::vector<double> by_row, by_column, mean, column(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    by_row.push_back(canonical::reduce(values.data() + r * columns, columns, std::plus{}));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) column[r] = values[r * columns + c];
    by_column.push_back(canonical::reduce(column.data(), rows, std::plus{}));
    mean.push_back(by_column.back() / static_cast<double>(rows));
  }
  for (const std::string limits : {"--threads 1", "--threads 3", "--memory 64MiB"}) {
    ASSERT_EQ(run(table + "--axis 1 " + limits).code, 0);
    EXPECT_EQ(read<double>("s.npy"), by_row) << limits;
    ASSERT_EQ(run(table + "--axis 0 " + limits).code, 0);
    EXPECT_EQ(read<double>("s.npy"), by_column) << limits;
    ASSERT_EQ(run(table + "--axis 0 --op mean " + limits).code, 0);
    EXPECT_EQ(read<double>("s.npy"), mean) << limits;
  }
}

TEST_F(files, streams_are_read_to_their_end) {
  const auto values = random<std::uint8_t>(5 * chunk + 3);
  const std::string file = raw("a.bin", values);
  std::uint64_t sum = 0;
  for (const auto v : values) sum += v;
  const std::string expected = std::to_string(sum) + "\n";
  for (const std::string name : {"-", "/dev/stdin"}) {
    EXPECT_EQ(run_after("cat " + file, "reduce " + name + " --type u8").out, expected);
    EXPECT_EQ(run("reduce " + name + " --type u8 < " + file).out, expected);
  }
  EXPECT_EQ(run("reduce - --type i64 < /dev/null").out, "0\n");
  ASSERT_EQ(run_after("cat " + file, "scan - --type u8 -o " + path("b.npy")).code, 0);
  EXPECT_EQ(read<std::uint64_t>("b.npy").back(), sum);
}

TEST_F(files, rows_and_columns) {
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                      {3, 700'000},
                                      {700'000, 3},
                                      {2000, 1300},
                                      {5, 1},
                                      {1, 5}}) {
    const auto values = random<std::int32_t>(rows * columns);
    const std::string file = npy("a.npy", values, {rows, columns});
    std::vector<std::int64_t> by_row(rows), by_column(columns), best(rows);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      const std::size_t r = i / columns, c = i % columns;
      by_row[r] += values[i];
      by_column[c] += values[i];
      if (values[i] < values[r * columns + static_cast<std::size_t>(best[r])])
        best[r] = static_cast<std::int64_t>(c);
    }
    const auto result = [&](const std::string& options) {
      const outcome o = run("reduce " + file + " --force -o " + path("b.npy") + " " + options);
      EXPECT_EQ(o.code, 0) << o.err;
      return read<std::int64_t>("b.npy");
    };
    EXPECT_EQ(result("--axis 1"), by_row);
    EXPECT_EQ(result("--axis 0"), by_column);
    EXPECT_EQ(result("--axis 1 --op argmin"), best);
  }
  const outcome printed = run("reduce " + npy("c.npy", std::vector<double>{1, 2, 3, 4.5}, {2, 2}) +
                              " --axis 0 --op mean");
  EXPECT_EQ(printed.out, "2\n3.25\n");
}

TEST_F(files, exact_sums_merge_across_files) {
  const std::vector<double> first{1e300, 1, 0x1p-1074}, second{-1e300, 0x1p-53, -1};
  const std::string sum = " --op exact-sum --accumulator " + path("sum");
  EXPECT_EQ(run("reduce " + npy("a.npy", first) + sum).out, "1e+300\n");
  const outcome o = run("reduce " + npy("b.npy", second) + sum);
  EXPECT_EQ(std::stod(o.out), 0x1p-53 + 0x1p-1074) << o.err;
  EXPECT_EQ(
      run("reduce " + npy("c.npy", std::vector<double>{1e16, 1, -1e16}) + " --op exact-sum").out,
      "1\n");
  expect_refusal("reduce " + npy("f.npy", std::vector<float>{1}) + sum, 4,
                 "holds no sum of f32 to add to");
  std::ofstream(path("sum")) << "wfexact, but not really";
  expect_refusal("reduce " + path("a.npy") + sum, 4, "holds no sum of f64 to add to");
  EXPECT_EQ(std::filesystem::file_size(path("sum")), 23U) << "a bad accumulator is left as it is";
}

TEST_F(files, exact_sums_of_f32_are_rounded_to_f32_or_to_f64) {
  // 2^24 + 1 + 2^-28 has more digits than f32, and fewer than f64.
  const std::string file = npy("a.npy", std::vector<float>{0x1p24F, 1, 0x1p-28F}) + " ",
                    doubles = npy("d.npy", std::vector<double>{1, 0.5}) + " ";
  const auto result = [&](const std::string& arguments) {
    const outcome o = run("reduce " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  };
  EXPECT_EQ(result(file + "--op exact-sum"), "16777218\n") << "to the file's type";
  EXPECT_EQ(result(file + "--op exact-sum --out-type f32"), "16777218\n");
  EXPECT_EQ(std::stod(result(file + "--op exact-sum --out-type f64")), 0x1p24 + 1 + 0x1p-28);
  EXPECT_EQ(std::stod(result(file + "--op exact-mean --out-type f64")),
            static_cast<double>((static_cast<long double>(0x1p24) + 1 + 0x1p-28L) / 3));
  EXPECT_EQ(result(doubles + "--op exact-sum --out-type f64"), "1.5\n");
  const std::string accumulated =
      file + "--op exact-sum --out-type f64 --accumulator " + path("sum");
  result(accumulated);
  EXPECT_EQ(std::stod(result(accumulated)), 2 * (0x1p24 + 1 + 0x1p-28));
  const auto type = [&](const std::string& how) {
    return nlohmann::json::parse(result(file + "--op exact-sum --json -" + how))["output_type"];
  };
  EXPECT_EQ(type(""), "f32");
  EXPECT_EQ(type(" --out-type f64"), "f64");
  expect_refusal("reduce " + file + "--out-type f64", 2, "only to --op exact-sum");
  expect_refusal("reduce " + file + "--op exact-sum --out-type i64", 2, "f32 or f64");
  expect_refusal("reduce " + doubles + "--op exact-sum --out-type f32", 2, "rounded to f64");
}

TEST_F(files, a_gpu_that_is_not_there_is_told_in_a_sentence) {
  const std::string file = npy("a.npy", std::vector<float>{1, 2}) + " --backend cuda";
  const std::string to = " --force -o " + path("b.npy");
  for (const std::string& command : {"reduce " + file, "scan " + file + to, "sort " + file + to}) {
    const outcome o = run(command);
    if (o.code == 0) GTEST_SKIP() << "there is a GPU";
    EXPECT_EQ(o.code, 3) << command;
    EXPECT_THAT(o.err, testing::AnyOf(HasSubstr("no NVIDIA driver here"),
                                      HasSubstr("the NVIDIA driver supports"),
                                      HasSubstr("no usable NVIDIA GPU"), HasSubstr("without CUDA")))
        << command;
    EXPECT_THAT(o.err, HasSubstr("use --backend host")) << command;
  }
}

TEST_F(files, json_tells_the_result_and_the_stages) {
  const outcome o =
      run("reduce " + npy("a.npy", random<float>(1'000'000)) + " --op statistics --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["result"]["count"], 1'000'000);
  EXPECT_EQ(j["shape"][0], 1'000'000);
  EXPECT_EQ(j["stages"][0]["bytes"], 4'000'000);
  EXPECT_GT(j["stages"][0]["read_bytes_per_second"], 0);
  const std::vector<float> one_nan{1, std::nanf("")};
  EXPECT_EQ(nlohmann::json::parse(
                run("reduce " + npy("n.npy", one_nan) + " --json -").out)["result"]["sum"],
            "nan");
}

TEST_F(files, progress_is_told_when_asked) {
  const outcome o = run("reduce " + npy("a.npy", random<float>(1'000'000)) + " --progress always");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.err, testing::AllOf(HasSubstr("reducing: 4.00 MB in "), HasSubstr(" limits\n")));
  EXPECT_THAT(run("reduce " + path("a.npy")).err, testing::IsEmpty()) << "not on a terminal";
}

TEST_F(files, memory_stays_within_the_limit) {
  const std::size_t limit = std::size_t{64} << 20;
  const std::string file = raw("a.bin", random<std::uint32_t>(std::size_t{48} << 20));
  const std::vector<std::string> rest{"--type", "u32", "--memory", "64MiB", "--backend", "host"};
  for (std::vector<std::string> command : {std::vector<std::string>{"reduce", file},
                                           {"scan", file, "-o", path("b")},
                                           {"sort", file, "-o", path("c")}}) {
    command.insert(command.end(), rest.begin(), rest.end());
    EXPECT_LE(peak_of(command), limit + (std::size_t{64} << 20)) << command[0];
  }
}

/// What docs/files.md says of --memory.
TEST_F(files, memory_is_kept_by_sorts_of_all_types_and_by_printed_arrays) {
  constexpr std::size_t limit = std::size_t{64} << 20, beside = std::size_t{12} << 20;
  const std::string few = raw("few", std::vector<std::uint8_t>(8, 1));
  const std::size_t bare =
      peak_of({"sort", few, "--type", "u8", "-o", path("none"), "--backend", "host", "--force"});
  struct column {
    const char* type;
    std::size_t bytes;
  };
  // On the disk: what this process holds counts for the command, too.
  const std::string all = raw("all", random<std::uint64_t>(3 * limit / 2 / 8));
  const auto some = [&](const char* name, std::size_t bytes) {
    std::filesystem::copy_file(all, path(name), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path(name), bytes);
    return path(name);
  };
  for (const auto& [key, item] : {std::pair<column, column>{{"u32", 4}, {"", 0}},
                                  {{"u8", 1}, {"u64", 8}},
                                  {{"f64", 8}, {"u64", 8}},
                                  {{"u32", 4}, {"u8", 1}},
                                  {{"i64", 8}, {"f32", 4}},
                                  {{"u8", 1}, {"u8", 1}}}) {
    const std::size_t n = 3 * limit / 2 / (key.bytes + item.bytes) / 8 * 8;
    std::vector<std::string> command{"sort",      some("k", n * key.bytes),
                                     "--type",    key.type,
                                     "-o",        path("ks"),
                                     "--memory",  "64MiB",
                                     "--backend", "host",
                                     "--force"};
    if (item.bytes > 0) {
      for (const std::string& word :
           {std::string("--values"), some("v", n * item.bytes), std::string("--values-type"),
            std::string(item.type), std::string("--values-out"), path("vs")}) {
        command.push_back(word);
      }
    }
    const std::size_t peak = peak_of(command);
    EXPECT_LE(peak, bare + limit + beside) << key.type << " " << item.type;
    std::cout << key.type << " " << item.type << ": " << ((peak - bare) >> 20) << " MiB\n";
  }
  const std::string wide = npy("wide.npy", std::vector<float>(1'400'000, 0.1F), {2, 700'000});
  EXPECT_LE(peak_of({"reduce", wide, "--axis", "0", "--json", "-", "--memory", "16MiB"}),
            bare + (std::size_t{16} << 20) + beside);
}

}  // namespace
}  // namespace warpfold::cli
