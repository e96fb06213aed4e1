// `warpfold bench` on the host: small sizes, its JSON read back, and what it refuses.
#include <cstdlib>
#include <set>

#include "measure/json.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class bench_command : public command_line {
 protected:
  void SetUp() override {
    // Emptying a cache of hundreds of megabytes takes seconds a call, and nobody reads these times.
    setenv("WARPFOLD_CACHE_BYTES", "1048576", 1);
    static const int code = run("bench reduce --backend host --n 1 --samples 1").code;
    if (code == 3) GTEST_SKIP() << "a portable program has no host to measure";
  }
};

measure::document parsed(const outcome& o) {
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  return measure::parse_json_document(o.out);
}

TEST_F(bench_command, bench_shows_the_library_beside_its_peer) {
  const outcome o = run("bench reduce --backend host --n 1000,2^12 --samples 3");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(StartsWith("reduce · sum of i32 · "), HasSubstr("1,000"),
                           HasSubstr("4,096"), HasSubstr("tbb"), HasSubstr("✓"),
                           HasSubstr("Medians and quartiles of 3 samples"),
                           HasSubstr("A plain read reaches ")));
}

TEST_F(bench_command, bench_measures_every_type_at_every_size) {
  const auto document = parsed(
      run("bench reduce --backend host --n 2^4:2^6,100 --type i32,u8,f64 --op max --samples 2 "
          "--json -"));
  ASSERT_EQ(document.measurements.size(), 3U * 4 * 2);
  std::set<std::pair<std::string, std::size_t>> seen;
  for (const auto& m : document.measurements) {
    EXPECT_EQ(m.ladder, "reduce");
    EXPECT_EQ(m.op, "max");
    EXPECT_EQ(m.backend, measure::backend_kind::host);
    EXPECT_EQ(m.call, "single");
    EXPECT_EQ(m.reference, m.name == "tbb");
    EXPECT_TRUE(m.verdict.right) << m.name << " " << m.n << " " << m.type;
    ASSERT_TRUE(m.timing.has_value());
    EXPECT_EQ(m.timing->samples_us.size(), 2U);
    EXPECT_GT(m.read_ceiling_gbs, 0);
    seen.insert({m.type, m.n});
  }
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_THAT(document.run.command, StartsWith("warpfold bench reduce"));
  EXPECT_THAT(document.run.commit, testing::Not(IsEmpty()));
}

TEST_F(bench_command, bench_checks_scans_and_sorts) {
  for (const std::string& what :
       {"scan --type i32,i64,u8,f32,f64", "scan --exclusive --type i32 --op max",
        "scan --type f32 --op max", "sort --type u32,u64,f32",
        "sort --pairs --order own --type f32"}) {
    const auto document =
        parsed(run("bench " + what + " --backend host --n 1,100000 --samples 2 --json -"));
    ASSERT_FALSE(document.measurements.empty());
    for (const auto& m : document.measurements) {
      EXPECT_TRUE(m.verdict.right) << what << ": " << m.name << " " << m.n << " " << m.type;
      EXPECT_GT(m.copy_ceiling_gbs, 0);
    }
  }
}

TEST_F(bench_command, bench_can_do_without_peers) {
  const auto document =
      parsed(run("bench sort --backend host --n 10 --against none --samples 1 --json -"));
  ASSERT_EQ(document.measurements.size(), 1U);
  EXPECT_EQ(document.measurements[0].name, "warpfold");
  const auto once =
      parsed(run("bench sort --backend host --n 10,10 --type u32,u32 --against tbb,tbb --samples 1 "
                 "--json -"));
  EXPECT_EQ(once.measurements.size(), 2U);
}

TEST_F(bench_command, bench_replaces_its_json_as_a_whole) {
  const std::string file = write("results.json", "what was there before");
  EXPECT_EQ(run("bench reduce --backend host --n 64 --samples 1 --json " + file).code, 0);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(measure::parse_json_document(text).measurements.size(), 2U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  expect_refusal("bench reduce --backend host --n 64 --samples 1 --against none --json " +
                     (folder_ / "none" / "results.json").string(),
                 4, "results.json");
}

TEST_F(bench_command, bench_takes_no_cache_that_is_no_number) {
  setenv("WARPFOLD_CACHE_BYTES", "a lot", 1);
  const outcome o = run("bench reduce --backend host --n 1 --samples 1");
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("WARPFOLD_CACHE_BYTES=a lot: it takes a number of bytes"));
}

TEST_F(bench_command, bench_refuses_what_it_can_not_do) {
  const std::string on_host = "bench reduce --backend host ";
  expect_refusal(on_host + "--n many", 2, "--n many: not a number of elements");
  expect_refusal(on_host + "--n 0", 2, "--n 0: nothing to measure");
  expect_refusal(on_host + "--n 2^4,,2^5", 2, "a value is missing next to a comma");
  expect_refusal(on_host + "--n 2^10:2^8", 2, "from one power of two up to another");
  expect_refusal(on_host + "--n 1000:2^12", 2, "from one power of two up to another");
  expect_refusal(on_host + "--n 2^4:", 2, "not a number of elements");
  expect_refusal(on_host + "--type i99", 2, "--type i99");
  expect_refusal(on_host + "--type u64", 2, "i32, i64, u8, f32, f64");
  expect_refusal(on_host + "--op median", 2, "must be one of sum, max");
  expect_refusal(on_host + "--against cub", 2, "compares with tbb");
  expect_refusal(on_host + "--samples 0", 2, "1 to 10000");
  expect_refusal(on_host + "--seed x", 2, "--seed x");
  expect_refusal("bench reduce --backend gpu", 2, "must be auto, cuda or host");
  expect_refusal("bench sort --order down", 2, "must be one of ascending, own");
  expect_refusal("bench sort --type i32", 2, "u32, u64, f32");
  expect_refusal("bench sort --pairs --n 2^32", 2, "must be less than 2^32");
  expect_refusal(on_host + "--n 2^50", 3, "take a smaller --n");
  EXPECT_EQ(run("bench").code, 2);
  EXPECT_EQ(run("bench median").code, 2);
  EXPECT_EQ(run("bench scan --pairs").code, 2);
}

}  // namespace
}  // namespace warpfold::cli
