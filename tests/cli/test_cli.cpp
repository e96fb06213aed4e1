// The program as a user meets it: what it prints, where, and its exit codes.
#include "measure/json.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string header = dictionary;
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

constexpr const char* three_i32 = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";

TEST_F(command_line, a_table_goes_to_standard_output) {
  const outcome o = run("ladder reduce --n 2^12 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("sum of 4,096 i32"), HasSubstr("12 sequential"),
                           HasSubstr("22 bulk-copy"), HasSubstr("✓")));
  EXPECT_EQ(o.out.find('\x1b'), std::string::npos) << "colour, but not on a terminal";
}

TEST_F(command_line, the_scan_ladder_shows_work_and_depth) {
  const outcome o = run("ladder scan --n 2^12 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("inclusive sum of 4,096 i32"), HasSubstr("operator"),
                           HasSubstr("limit"), HasSubstr("depth"), HasSubstr("08 look-back"),
                           HasSubstr("✓")));
  const outcome json =
      run("ladder scan --exclusive --n 2^12+3 --type f64 --op min --block 64 --rung 03,look-back "
          "--backend simt --json -");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto document = warpfold::measure::parse_json_document(json.out);
  ASSERT_EQ(document.measurements.size(), 3U);  // the reference, two rungs
  const auto& last = document.measurements.back();
  EXPECT_EQ(last.ladder, "scan");
  EXPECT_EQ(last.name, "look-back");
  EXPECT_EQ(last.form, "exclusive");
  EXPECT_EQ(last.launches, 2U);
  EXPECT_TRUE(last.verdict.right);
  ASSERT_NE(last.find(warpfold::measure::counters::applications), nullptr);
  ASSERT_NE(last.find(warpfold::measure::counters::depth), nullptr);
}

TEST_F(command_line, the_sort_ladder_sorts_keys_and_pairs) {
  const outcome o = run("ladder sort --n 1000 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("ascending keys of 1,000 u32"), HasSubstr("01 odd-even"),
                           HasSubstr("07 merge-path"), HasSubstr("✓ sorted")));
  for (const std::string keys : {"sorted", "reversed", "constant", "few"}) {
    const outcome json = run("ladder sort --pairs --descending --n 2^12+3 --type f64 --keys " +
                             keys + " --rung 05,merge-path --backend simt --json -");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto document = warpfold::measure::parse_json_document(json.out);
    ASSERT_EQ(document.measurements.size(), 4U);  // two of the host, two rungs
    const auto& last = document.measurements.back();
    EXPECT_EQ(last.name, "merge-path");
    EXPECT_EQ(last.op, "pairs");
    EXPECT_EQ(last.form, "descending");
    EXPECT_TRUE(last.verdict.right);
  }
  const std::string raw = write("raw.bin", std::string(8000, '\1'));
  EXPECT_EQ(run("ladder sort " + raw + " --type u64 --rung 4 --backend simt").code, 0);
}

TEST_F(command_line, the_histogram_ladder_counts_bins) {
  const outcome o = run("ladder histogram --n 2^12 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("64 bins of 4,096 u32"), HasSubstr("01 global-atomics"),
                           HasSubstr("07 sorted-runs"), HasSubstr("conflicts"), HasSubstr("~"),
                           HasSubstr("✓ counted")));
  for (const std::string values : {"sorted", "reversed", "constant", "few"}) {
    const outcome json = run("ladder histogram --bins 100000 --n 2^12+3 --type i64 --values " +
                             values + " --rung 02,sorted-runs --backend simt --json -");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto document = warpfold::measure::parse_json_document(json.out);
    ASSERT_EQ(document.measurements.size(), 3U);  // the loop on the host, two rungs
    EXPECT_EQ(document.measurements[1].skipped, "takes at most 16384 bins");
    const auto& last = document.measurements.back();
    EXPECT_EQ(last.ladder, "histogram");
    EXPECT_EQ(last.op, "100000 bins");
    EXPECT_TRUE(last.verdict.right);
  }
  const std::string raw = write("raw.bin", std::string(8000, '\1'));
  EXPECT_EQ(run("ladder histogram " + raw + " --type u64 --rung 5 --backend simt").code, 0);
  EXPECT_THAT(run("ladder histogram --n 1000 --check --schedules 2").out,
              HasSubstr("checked 8 rungs: no finding"));
}

TEST_F(command_line, the_select_ladder_keeps_what_is_not_0) {
  const outcome o = run("ladder select --n 2^12 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(o.out, AllOf(HasSubstr("what is not 0 of 4,096 i32"), HasSubstr("01 ticket"),
                           HasSubstr("05 wide"), HasSubstr("~"), HasSubstr(" kept")));
  for (const std::string keep : {"0", "1", "100"}) {
    const outcome json = run("ladder select --n 2^12+3 --type f64 --keep " + keep +
                             " --rung 02,look-back --backend simt --json -");
    ASSERT_EQ(json.code, 0) << json.err;
    const auto document = warpfold::measure::parse_json_document(json.out);
    ASSERT_EQ(document.measurements.size(), 3U);  // the loop on the host, two rungs
    const auto& last = document.measurements.back();
    EXPECT_EQ(last.ladder, "select");
    EXPECT_TRUE(last.verdict.right);
    if (keep != "1") EXPECT_EQ(last.verdict.result, keep == "0" ? "0 kept" : "4099 kept");
  }
  EXPECT_THAT(run("ladder select --n 1000 --check --schedules 2").out,
              HasSubstr("checked 6 rungs: no finding"));
}

TEST_F(command_line, json_has_everything) {
  const outcome o =
      run("ladder reduce --n 2^12+3 --type f32 --op max --block 64 "
          "--rung 01,07,cascade --backend simt --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto document = warpfold::measure::parse_json_document(o.out);
  ASSERT_EQ(document.measurements.size(), 5U);  // two references, three rungs
  const auto& last = document.measurements.back();
  EXPECT_EQ(last.name, "cascade");
  EXPECT_EQ(last.n, 4099U);
  EXPECT_EQ(last.type, "f32");
  EXPECT_EQ(last.block, 64U);
  EXPECT_TRUE(last.verdict.right);
  ASSERT_NE(last.find(warpfold::measure::counters::load_requests), nullptr);
  EXPECT_THAT(document.run.command, StartsWith("warpfold ladder reduce"));
}

TEST_F(command_line, lines_show_the_kernels_source) {
  const outcome o = run("ladder reduce --rung 11 --n 2^12 --backend simt --lines");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("✓"), HasSubstr("reduce/11_strided.cuh"),
                           HasSubstr("\nstrided_kernel<int, plus> · grid "), HasSubstr("conflicts"),
                           HasSubstr("if (index < blockDim.x) values[index] = op(")));
  const outcome json = run("ladder scan --rung 2 --n 100 --backend simt --lines --json -");
  EXPECT_EQ(json.code, 0);
  EXPECT_EQ(warpfold::measure::parse_json_document(json.out).measurements.size(), 2U);
  EXPECT_THAT(json.err, IsEmpty()) << "the JSON has them";
  EXPECT_THAT(json.out, HasSubstr("/02_double_buffered.cuh"));
  expect_refusal("ladder reduce --lines --backend cuda", 2, "--lines");
}

TEST_F(command_line, a_file_is_reduced) {
  const std::string good =
      write("good.npy", npy(three_i32, std::string("\1\0\0\0\2\0\0\0\4\0\0\0", 12)));
  const outcome o = run("ladder reduce " + good + " --rung 12 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("✓ 7"));
  const std::string raw = write("raw.bin", std::string(8000, '\1'));
  EXPECT_EQ(run("ladder reduce " + raw + " --type f64 --op min --rung 19 --backend simt").code, 0);
}

TEST_F(command_line, numbers_of_values_have_several_forms) {
  const auto title = [&](const std::string& n) {
    const outcome o = run("ladder reduce --rung 12 --backend simt --n " + n);
    EXPECT_EQ(o.code, 0) << n << o.err;
    return o.out.substr(0, o.out.find(" i32"));
  };
  EXPECT_EQ(title("1e3"), "reduce · sum of 1,000");
  EXPECT_EQ(title("2^10-24"), "reduce · sum of 1,000");
  EXPECT_EQ(title("2Ki"), "reduce · sum of 2,048");
  for (const std::string n : {"1e", "1e99", "e3", "9e19", "1e3e3"}) {
    expect_refusal("ladder reduce --n " + n, 2, "--n " + n);
  }
}

TEST_F(command_line, no_values_give_the_identity) {
  const outcome o = run("ladder reduce --n 0 --op and --backend simt");
  EXPECT_EQ(o.code, 0);
  EXPECT_THAT(o.out, HasSubstr("✓ -1"));
}

TEST_F(command_line, bad_options_are_usage_errors) {
  expect_refusal("ladder reduce --rung 99", 2, "rung 99");
  expect_refusal("ladder reduce --rung 1,no-such", 2, "--list");
  expect_refusal("ladder reduce --type i16", 2, "i32, i64, u8, u32, f32, f64, u64");
  expect_refusal("ladder reduce --type u8", 2, "f32 and f64, not for u8\n");
  expect_refusal("ladder reduce --type u8 " + write("bytes", "123"), 2, "astype");
  expect_refusal("ladder reduce --op median", 2, "sum, product");
  expect_refusal("ladder reduce --n abc", 2, "2^22");
  expect_refusal("ladder reduce --n 2^", 2, "--n 2^");
  expect_refusal("ladder reduce --n -5", 2, "--n -5");
  expect_refusal("ladder reduce --n 12x", 2, "--n 12x");
  expect_refusal("ladder reduce --n 99999999999999999999", 2, "--n");
  expect_refusal("ladder reduce --n 0 --op mean", 2, "mean of no values");
  expect_refusal("ladder reduce --block 100", 2, "--block 100");
  expect_refusal("ladder reduce --block 2048", 2, "1024");
  expect_refusal("ladder reduce --type f32 --op and", 2, "integer");
  expect_refusal("ladder reduce --backend tpu", 2, "auto, simt or cuda");
  expect_refusal("ladder reduce --finish never", 2, "relaunch or host");
  expect_refusal("ladder diff reduce 12 77", 2, "rung 77");
  expect_refusal("ladder diff bake 1 2", 2, "reduce");
  expect_refusal("ladder scan --rung 10", 2, "rung 10");
  expect_refusal("ladder scan --type u8", 2, "not for u8");
  expect_refusal("ladder scan --op mean", 2, "no mean");
  expect_refusal("ladder scan --op median", 2, "sum, product");
  expect_refusal("ladder scan --n abc", 2, "2^22");
  expect_refusal("ladder scan --block 100", 2, "--block 100");
  expect_refusal("ladder scan --type f32 --op and", 2, "integer");
  expect_refusal("ladder scan --backend tpu", 2, "auto, simt or cuda");
  expect_refusal("ladder scan --n 2^40 --backend simt", 3, "smaller --n");
  EXPECT_EQ(run("ladder scan --finish host").code, 2);
  expect_refusal("ladder sort --rung 12", 2, "rung 12");
  expect_refusal("ladder sort --type i64", 2, "u32, i32, f32, u64 and f64");
  expect_refusal("ladder sort --keys falling", 2, "random, sorted, reversed");
  expect_refusal("ladder histogram --values falling", 2, "--values falling: must be random");
  expect_refusal("ladder select --keep 101", 2, "must be 0 to 100");
  expect_refusal("ladder select --type u32", 2, "i32, i64, f32 and f64, not for u32");
  expect_refusal("ladder histogram --bins 0", 2, "1 to 2^24");
  expect_refusal("ladder histogram --bins 2^25", 2, "1 to 2^24");
  expect_refusal("ladder histogram --type f32", 2, "u32, i32, u64 and i64, not for f32");
  expect_refusal("ladder sort --n abc", 2, "2^22");
  expect_refusal("ladder sort --block 100", 2, "--block 100");
  expect_refusal("ladder sort --n 2^40 --backend simt", 3, "smaller --n");
  EXPECT_EQ(run("ladder sort --op sum").code, 2);
  EXPECT_EQ(run("ladder reduce --no-such-option").code, 2);
  EXPECT_EQ(run("no-such-command").code, 2);
}

TEST_F(command_line, too_much_memory_is_refused_before_it_is_taken) {
  expect_refusal("ladder reduce --n 2^40 --backend simt", 3, "smaller --n");
  expect_refusal("ladder reduce --n 2^62 --backend simt", 3, "smaller --n");
}

TEST_F(command_line, no_gpu_is_said) {
  const outcome o = run("ladder reduce --n 16 --backend cuda");
  if (o.code == 0) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(o.code, 3);
  EXPECT_THAT(o.err, HasSubstr("--backend simt"));
}

TEST_F(command_line, bad_files_are_data_errors) {
  const std::string values("\1\0\0\0\2\0\0\0\4\0\0\0", 12);
  const auto refuse = [&](const std::string& name, const std::string& bytes,
                          const std::string& says) {
    expect_refusal("ladder reduce " + write(name, bytes), 4, says);
  };
  refuse("short.npy", npy(three_i32, values.substr(0, 8)), "short.npy");
  refuse("long.npy", npy(three_i32, values + "xxxx"), "long.npy");
  refuse("header.npy", npy(three_i32, values).substr(0, 40), "header.npy");
  refuse("fortran.npy", npy("{'descr': '<i4', 'fortran_order': True, 'shape': (3, 1), }", values),
         "ortran");
  refuse("big.npy", npy("{'descr': '>i4', 'fortran_order': False, 'shape': (3,), }", values),
         "endian");
  refuse("object.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", values),
         "object.npy");
  refuse("lie.npy",
         npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4611686018427387904,), }", values),
         "lie.npy");
  expect_refusal("ladder reduce " + (folder_ / "missing.npy").string(), 4, "missing.npy");
  expect_refusal("ladder reduce " + write("odd.raw", "12345") + " --type i32", 4, "odd.raw");
  expect_refusal("ladder reduce " + write("untyped.raw", "1234"), 2, "--type");
  expect_refusal("ladder reduce --n 5 " + write("both.npy", npy(three_i32, values)), 2, "--n");
  expect_refusal("ladder reduce --type f32 " + write("typed.npy", npy(three_i32, values)), 2,
                 "typed.npy");
}

TEST_F(command_line, json_is_not_half_written) {
  const outcome o = run("ladder reduce --n 16 --rung 12 --backend simt --json " +
                        (folder_ / "no" / "such" / "folder.json").string());
  EXPECT_EQ(o.code, 4) << o.err;
  const std::string file = folder_ / "rows.json";
  EXPECT_EQ(run("ladder reduce --n 16 --rung 12 --backend simt --json " + file).code, 0);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(warpfold::measure::parse_json_document(text).measurements.size(), 3U);
  EXPECT_EQ(run("ladder reduce --n 16 --rung 12 --backend simt > /dev/full").code, 4);
}

TEST_F(command_line, lists_and_diffs) {
  const outcome list = run("ladder reduce --list");
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 2 + 22);
  EXPECT_THAT(list.out, AllOf(StartsWith("00  serial"), HasSubstr("\n00  recursive")));
  const outcome diff = run("ladder diff reduce 12 13");
  EXPECT_EQ(diff.code, 0);
  EXPECT_THAT(diff.out, AllOf(HasSubstr("--- 12 sequential"), HasSubstr("+++ 13 first-add"),
                              HasSubstr("\n-"), HasSubstr("\n+")));
  for (int rung = 2; rung <= 22; ++rung) {
    const outcome each =
        run("ladder diff reduce " + std::to_string(rung - 1) + " " + std::to_string(rung));
    EXPECT_EQ(each.code, 0);
    EXPECT_THAT(each.out, HasSubstr("@@")) << rung;
  }
  const outcome scans = run("ladder scan --list");
  EXPECT_EQ(std::count(scans.out.begin(), scans.out.end(), '\n'), 1 + 9);
  for (int rung = 2; rung <= 9; ++rung) {
    const outcome each =
        run("ladder diff scan " + std::to_string(rung - 1) + " " + std::to_string(rung));
    EXPECT_EQ(each.code, 0);
    EXPECT_THAT(each.out, HasSubstr("@@")) << rung;
  }
  const outcome sorts = run("ladder sort --list");
  EXPECT_EQ(std::count(sorts.out.begin(), sorts.out.end(), '\n'), 2 + 10);
  EXPECT_THAT(sorts.out, testing::ContainsRegex("01  odd-even.*\n02  recursive-bitonic"));
  expect_refusal("ladder diff sort 2 3", 2, "no kernel");
  EXPECT_THAT(run("ladder diff sort 04 05").out, HasSubstr("+++ 05 bitonic-warp"));
  EXPECT_THAT(run("ladder diff histogram 3 4").out,
              HasSubstr("+    const unsigned same = __match"));
}

TEST_F(command_line, a_diff_shows_the_helpers_that_only_one_rung_has) {
  for (const char* pair : {"13 14", "06 07"}) {
    EXPECT_THAT(run(std::string("ladder diff reduce ") + pair).out,
                AllOf(HasSubstr("@@ warp_tail.cuh: reduce_warp_tail @@\n+template"),
                      HasSubstr("\n+    __syncwarp();\n"), Not(HasSubstr("\n-template"))));
  }
  EXPECT_THAT(run("ladder diff reduce 14 13").out, HasSubstr("\n-    __syncwarp();\n"));
  EXPECT_THAT(run("ladder diff reduce 14 15").out, Not(HasSubstr("syncwarp")));
  EXPECT_THAT(run("ladder diff reduce 16 17").out,
              AllOf(HasSubstr("+    value = op(value, shuffle_down(value, offset));"),
                    HasSubstr("-  if (tid < 32) reduce_warp_tail")));
}

TEST_F(command_line, a_diff_of_the_host_shows_the_switch_and_the_grid) {
  EXPECT_THAT(run("ladder diff --host reduce 14 15").out,
              AllOf(HasSubstr("+  switch (block) {"), HasSubstr("+    case 256:"),
                    HasSubstr("+    with_block_size("), Not(HasSubstr("__global__")),
                    Not(HasSubstr(".idea"))));
  EXPECT_THAT(run("ladder diff --host reduce 15 16").out,
              AllOf(HasSubstr("+struct cascade : resident_grid<2> {"),
                    HasSubstr("+constexpr unsigned resident_blocks(")));
  EXPECT_THAT(run("ladder diff --host reduce 11 12").out, Not(HasSubstr("@@ -2")));
}

TEST_F(command_line, explains_a_rung_with_its_evidence) {
  const outcome o = run("ladder explain reduce/12");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out,
              AllOf(StartsWith("reduce/12 sequential\n    idea "),
                    HasSubstr("improves   the bank conflicts are gone"),
                    HasSubstr("watch      bank conflicts 431,865 → 0\n"),
                    HasSubstr("(11 strided → 12 sequential; 1,048,576 i32, block 256"),
                    HasSubstr("source     documents 002, 003 and 004, Reduce 3"),
                    HasSubstr("warpfold ladder diff reduce 11 12; warpfold steps reduce/12")));
  EXPECT_THAT(run("ladder explain reduce/first-add").out,
              HasSubstr("reads g[i + blockDim.x] past"));
  EXPECT_THAT(run("ladder explain scan/blelloch").out, HasSubstr("operator uses"));
  EXPECT_THAT(run("ladder explain sort/4").out, HasSubstr("launches 105 → 21"));
  EXPECT_THAT(run("ladder explain histogram/6").out,
              AllOf(HasSubstr("atomic conflicts"), HasSubstr(" → 0"), HasSubstr("16,384 u32"),
                    HasSubstr("(02 shared-atomics → 06 copies;")));
  EXPECT_THAT(run("ladder explain select/4").out, HasSubstr("operator uses 32,768 → 16,384"));
  EXPECT_THAT(run("ladder explain streams/5").out, HasSubstr("breadth-first"));
  EXPECT_THAT(run("ladder explain reduce/00").out, HasSubstr("a loop on one core"));
  expect_refusal("ladder explain reduce/sequental", 2, "did you mean sequential");
  expect_refusal("ladder explain 12", 2, "reduce/12");
  expect_refusal("ladder explain trees/12", 2, "reduce, scan, sort, histogram, select");
  expect_refusal("ladder explain streams/77", 2, "--list");
}

TEST_F(command_line, a_list_says_why) {
  for (const char* ladder : {"reduce", "scan", "sort", "histogram", "select", "streams"}) {
    const outcome o = run(std::string("ladder ") + ladder + " --list --why");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("\n    improves "), HasSubstr("\n    watch ")));
  }
  EXPECT_THAT(run("ladder reduce --list --why").out,
              HasSubstr("watch      barriers ↓, steps/warp ↓\n"));
  EXPECT_THAT(run("ladder reduce --list").out,
              HasSubstr("(beyond the documents; shuffles came with Kepler (2012))\n"));
  expect_refusal("ladder reduce --why", 2, "--list");
}

TEST_F(command_line, counters_shows_all_that_was_counted) {
  const outcome o = run("ladder reduce --n 4096 --rung 13,19 --backend simt --counters");
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* head : {"further counters", "launches", "shared", "atomics", "store"}) {
    EXPECT_THAT(o.out, HasSubstr(head));
  }
  EXPECT_THAT(run("ladder reduce --n 4096 --rung 13,19 --backend simt").out,
              Not(HasSubstr("further counters")));
}

TEST_F(command_line, doctor_knows_its_own_build_and_is_quiet_about_what_is_missing) {
  const outcome doctor = run("doctor");
  EXPECT_THAT(doctor.out, HasSubstr("clang"));
#if defined(WARPFOLD_WITH_CUDA)
  EXPECT_THAT(doctor.out, HasSubstr(", with CUDA kernels"));
#else
  EXPECT_THAT(doctor.out, HasSubstr(", without CUDA kernels"));
#endif
  EXPECT_THAT(doctor.err, IsEmpty());
  EXPECT_THAT(shell("PATH=/usr/bin:/bin " WARPFOLD_PROGRAM " doctor").err, IsEmpty());
}

TEST_F(command_line, doctor_warns_where_path_has_another_warpfold_first) {
  const std::string other = write("warpfold", "#!/bin/sh\necho 0.0.9\n");
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  const std::string own = std::filesystem::path(WARPFOLD_PROGRAM).parent_path();
  const auto with_path = [&](const std::string& folders) {
    return shell("PATH=" + folders + ":/usr/bin:/bin " WARPFOLD_PROGRAM " doctor").out;
  };
  EXPECT_THAT(with_path(folder_.string() + ":" + own),
              AllOf(HasSubstr("!  warpfold "), HasSubstr(other + ", 0.0.9")));
  EXPECT_THAT(with_path(own + ":" + folder_.string()), Not(HasSubstr("!  warpfold")));
}

TEST_F(command_line, doctor_says_which_paths_the_library_takes) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "it speaks of the GPU here";
  EXPECT_THAT(run("doctor").out,
              AllOf(HasSubstr("✓  clusters"), HasSubstr("SIMT_DEVICE=h100"),
                    HasSubstr("compute capability 9.0"), HasSubstr("227 KiB a block")));
  const outcome l4 = shell("SIMT_DEVICE=l4 " WARPFOLD_PROGRAM " doctor");
  EXPECT_THAT(l4.out,
              AllOf(HasSubstr("shaped like an NVIDIA L4"), HasSubstr("–  clusters"),
                    HasSubstr("–  bulk copies"), HasSubstr("–  programmatic launches"),
                    HasSubstr("older than compute capability 9.0"), HasSubstr("99 KiB a block")));
  const outcome none = shell("SIMT_DEVICE=t5 " WARPFOLD_PROGRAM " doctor");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("SIMT_DEVICE=t5: no such device; there are a10, a100, b200, "
                                  "gh200, h100, h200, l4, l40s, rtx3090, rtx4090, rtx5090, t4, "
                                  "v100, or give a device file (.json)"));
}

TEST_F(command_line, rungs_of_the_host_may_be_named) {
  for (const std::string which : {"sort --rung 2", "sort --rung recursive-bitonic,0",
                                  "scan --rung serial", "reduce --rung 00"}) {
    const outcome o = run("ladder " + which + " --n 1000 --backend simt");
    EXPECT_EQ(o.code, 0) << which << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("00 serial"), HasSubstr("✓"), Not(HasSubstr("\n01 "))));
  }
  EXPECT_THAT(run("ladder sort --rung 2,4 --n 1000 --backend simt").out,
              AllOf(HasSubstr("02 recursive-bitonic"), HasSubstr("04 bitonic-shared")));
}

TEST_F(command_line, check) {
  const outcome o = run("ladder reduce --check --n 1000 --block 64 --rung 12,16,19");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("sequential"), HasSubstr("\nchecked 3 rungs: no finding\n"),
                           Not(HasSubstr("mend"))));
  expect_refusal("ladder reduce --check --backend cuda", 2, "--check");
}

TEST_F(command_line, schedules) {
  const outcome o = run("ladder scan --schedules 4 --n 5000 --block 64 --rung 5,8");
  EXPECT_EQ(o.code, 0) << o.err << o.out;
  EXPECT_THAT(o.out, AllOf(HasSubstr("look-back"),
                           HasSubstr("\nchecked 2 rungs: no finding\n4 more orders of blocks, "
                                     "warps and lanes: the same results\n"),
                           Not(HasSubstr("mend"))));
  EXPECT_EQ(run("ladder sort --schedule 3 --n 500 --rung 4").code, 0);
  expect_refusal("ladder reduce --schedules 3 --backend cuda", 2, "--schedules");
  expect_refusal("ladder reduce --schedules 0", 2, "--schedules");
  expect_refusal("ladder reduce --schedules many", 2, "--schedules");
  expect_refusal("ladder reduce --schedules 3 --schedule 2", 2, "--schedule");
}

}  // namespace
}  // namespace warpfold::cli
