// `warpfold ladder … --scaling`: its tables, and what it refuses.
#include <gmock/gmock.h>

#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(command_line, scaling_shows_laws_beside_counts) {
  const outcome reduce = run("ladder reduce --scaling --n 2^14 --rung 12,14");
  EXPECT_EQ(reduce.code, 0) << reduce.err;
  EXPECT_THAT(reduce.err, IsEmpty());
  EXPECT_THAT(reduce.out,
              AllOf(HasSubstr("one block takes all values"), HasSubstr("block 256"),
                    ContainsRegex("12 sequential +n - 1 +1.000 +1.000 +1.000 +1.000 +1.000 +1.000"),
                    ContainsRegex("14 unroll-last-warp +n - 1 +2.556"), HasSubstr("Brent"),
                    Not(HasSubstr("13 first-add"))));
  const outcome scan = run("ladder scan --scaling --n 2^12 --block 64 --rung 1,3");
  EXPECT_EQ(scan.code, 0) << scan.err;
  EXPECT_THAT(scan.out, AllOf(HasSubstr("0.871 n log2 n"), HasSubstr("2(n - 1)"),
                              HasSubstr("block 64"), Not(HasSubstr("Brent"))));
  const outcome sort = run("ladder sort --scaling --n 2^12 --rung 1,4");
  EXPECT_EQ(sort.code, 0) << sort.err;
  EXPECT_THAT(sort.out, AllOf(HasSubstr("n log2² n / 4"), HasSubstr("0.497 n²")));
}

TEST_F(command_line, scaling_refuses_what_makes_no_sense) {
  expect_refusal("ladder reduce --scaling --n 1000", 2, "power of two");
  expect_refusal("ladder reduce --scaling --n 2^11", 2, "2^12");
  expect_refusal("ladder reduce --scaling --n many", 2, "--n many");
  expect_refusal("ladder reduce --scaling --block 100", 2, "--block 100");
  expect_refusal("ladder reduce --scaling --rung 99", 2, "rung 99");
  expect_refusal("ladder reduce --scaling --rung 0", 2, "host");
  expect_refusal("ladder reduce --scaling --backend cuda", 2, "--backend cuda");
  expect_refusal("ladder reduce --scaling --type f32", 2, "--type");
  expect_refusal("ladder reduce --scaling --check", 2, "--check");
  expect_refusal("ladder reduce --scaling --counters", 2, "--counters");
  expect_refusal("ladder reduce --scaling --lines", 2, "--lines");
  expect_refusal("ladder reduce --scaling --schedules 2", 2, "--schedules");
  expect_refusal("ladder sort --scaling values.npy", 2, "file");
}

}  // namespace
}  // namespace warpfold::cli
