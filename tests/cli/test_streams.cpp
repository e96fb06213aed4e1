// `warpfold ladder streams` as a user meets it.
#include <fstream>

#include "measure/json.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(command_line, the_streams_ladder_draws_who_works_when) {
  const outcome o = run("ladder streams --n 2^16 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("sum of 65,536 i32 · 8 chunks · schedule"),
                           HasSubstr("01 pageable"), HasSubstr("09 graph"), HasSubstr("% of"),
                           HasSubstr("given, GB/s: in 54.0, out 55.0, kernel 3,000"),
                           HasSubstr("\n  in  "), HasSubstr("\n  sum "), HasSubstr("\n  out "),
                           HasSubstr("\n  host"), Not(HasSubstr("WRONG"))));
  EXPECT_EQ(run("ladder streams --n 2^16 --backend simt").out, o.out) << "the same every time";
}

TEST_F(command_line, the_streams_ladder_takes_sizes_types_speeds_and_files) {
  for (const std::string arguments :
       {"--n 0", "--n 1 --chunks 1", "--n 12345 --chunks 7 --type f64 --rung 07,graph",
        "--n 2^14 --h2d 10 --d2h 5 --kernel 20 --pageable 1 --host 2 --call 1 --latency 3",
        "--n 2^14 --copy-engines 1 --one-queue --passes 3"}) {
    const outcome o = run("ladder streams --backend simt " + arguments);
    EXPECT_EQ(o.code, 0) << arguments << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("✓"), Not(HasSubstr("WRONG")))) << arguments;
  }
  const std::string raw = write("some.raw", std::string(4096, 'x'));
  EXPECT_THAT(run("ladder streams --backend simt --rung 4 --type i64 " + raw).out,
              HasSubstr("sum of 512 i64"));
}

TEST_F(command_line, the_streams_ladder_as_json_and_as_a_picture) {
  const std::string picture = folder_ / "streams.svg";
  const outcome o =
      run("ladder streams --n 2^20 --chunks 4 --rung 3,4 --backend simt --json - --svg " + picture);
  EXPECT_EQ(o.code, 0) << o.err;
  const auto document = measure::parse_json_document(o.out);
  ASSERT_EQ(document.measurements.size(), 2U);
  const auto& m = document.measurements.back();
  EXPECT_EQ(m.ladder, "streams");
  EXPECT_EQ(m.name, "depth-first");
  EXPECT_EQ(m.form, "4 chunks");
  EXPECT_EQ(m.timing->samples_us.size(), 1U);
  ASSERT_NE(m.find("ladder__overlap.pct"), nullptr);
  EXPECT_GT(*m.find("ladder__overlap.pct"), 0);
  EXPECT_EQ(*m.find("ladder__link_gbs"), 54);
  std::ifstream file(picture);
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(svg, AllOf(testing::StartsWith("<svg"), HasSubstr("04 depth-first"),
                         testing::EndsWith("</svg>\n")));
}

TEST_F(command_line, the_streams_ladder_lists_and_refuses) {
  const outcome list = run("ladder streams --list");
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 9);
  EXPECT_THAT(list.out, AllOf(HasSubstr("01  pageable"), HasSubstr("document 004")));
  expect_refusal("ladder streams --rung 10", 2, "1 to 9");
  expect_refusal("ladder streams --chunks 0", 2, "1 to 256");
  expect_refusal("ladder streams --chunks 257", 2, "1 to 256");
  expect_refusal("ladder streams --chunks many", 2, "--chunks many");
  expect_refusal("ladder streams --passes 0", 2, "--passes 0");
  expect_refusal("ladder streams --n abc", 2, "2^22");
  expect_refusal("ladder streams --type u8", 2, "not for u8");
  expect_refusal("ladder streams --backend tpu", 2, "auto, simt or cuda");
  expect_refusal("ladder streams --backend cuda --h2d 10", 2, "apply to the schedule only");
  expect_refusal("ladder streams --h2d 0", 2, "more than 0");
  expect_refusal("ladder streams --call 0", 2, "--call");
  expect_refusal("ladder streams --copy-engines 3", 2, "1 or 2");
  expect_refusal("ladder streams --n 2^40 --backend simt", 3, "smaller --n");
  expect_refusal("ladder streams --n 64 --backend simt --svg /no/such/place.svg", 4, "place.svg");
  expect_refusal("ladder streams missing.npy --backend simt", 4, "missing.npy");
  EXPECT_EQ(run("ladder streams --h2d fast").code, 2);
}

}  // namespace
}  // namespace warpfold::cli
