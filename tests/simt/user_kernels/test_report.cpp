// The report: its figures, its summary, its views.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "simt/report.hpp"
#include "simt/src/memory/short_name.hpp"
#include "tests/json_schema.hpp"
#include "tests/simt/user_kernels/reported.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// The line of reported.cu with this mark.
int line_of(const std::string& mark) {
  std::istringstream source(simt::read_source(WARPFOLD_USER_KERNELS "/reported.cu"));
  int number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.find("// [" + mark + "]") != std::string::npos) return number;
  }
  throw std::out_of_range("no mark " + mark);
}
std::string place_of(const std::string& mark) {
  return "reported.cu:" + std::to_string(line_of(mark));
}

TEST(own_report, a_clean_kernel) {
  const auto report = simt::inspect(reported::clean);
  EXPECT_THAT(report.findings(), IsEmpty());
  EXPECT_THAT(report.errors(), IsEmpty());
  EXPECT_EQ(report.shared_bank_conflicts(), 0U);
  EXPECT_EQ(report.global_load_efficiency(), 100);
  EXPECT_EQ(report.total().global_load.requests, 32U);
  ASSERT_THAT(report.kernels(), SizeIs(1));
  const auto& kernel = report.kernel("clean");
  EXPECT_EQ(kernel.name, "clean_kernel");
  EXPECT_EQ(kernel.grid.x, 4U);
  EXPECT_THAT(simt::remarks(kernel), IsEmpty());
  EXPECT_THAT(report.summary(), AllOf(HasSubstr("clean_kernel · grid 4, block 256\n"),
                                      HasSubstr("no line stands out")));
}

TEST(own_report, lines_add_up_to_the_kernel) {
  const auto report = simt::inspect([] {
    reported::clean();
    reported::bank_conflicts();
    reported::one_bin();
  });
  for (const auto& kernel : report.kernels()) {
    simt::counters sum;
    for (const auto& line : kernel.lines) {
      EXPECT_THAT(line.file, HasSubstr("reported.cu"));
      sum += line.counted;
    }
    EXPECT_EQ(sum.global_load.sectors, kernel.total.global_load.sectors);
    EXPECT_EQ(sum.global_store.requests, kernel.total.global_store.requests);
    EXPECT_EQ(sum.shared_load.wavefronts, kernel.total.shared_load.wavefronts);
    EXPECT_EQ(sum.shared_bank_conflicts(), kernel.total.shared_bank_conflicts());
    EXPECT_EQ(sum.shared_atomic.requests, kernel.total.shared_atomic.requests);
    EXPECT_EQ(sum.global_atomic.sectors, kernel.total.global_atomic.sectors);
  }
}

TEST(own_report, the_worst_line_comes_first) {
  const auto text_of = [](void (*launches)()) {
    const auto report = simt::inspect(launches);
    const auto all = simt::remarks(report.kernels().at(0));
    return all.empty() ? "" : all[0].text();
  };
  EXPECT_EQ(text_of(reported::bank_conflicts),
            place_of("conflict") +
                " · 32-way bank conflict · 1,984 of 2,048 wavefronts wasted: pad the rows by a "
                "word, or let "
                "neighbouring lanes take neighbouring words");
  EXPECT_EQ(text_of(reported::strided),
            place_of("strided") +
                " · 32 sectors a load where 4 would do · 224 of 256 sectors wasted: "
                "let neighbouring lanes take neighbouring words");
  EXPECT_EQ(
      text_of(reported::one_bin),
      place_of("shared atomic") +
          " · shared atomics in 32 turns · 62 of 64 turns spent waiting: reduce in the warp first");
  EXPECT_THAT(text_of(reported::few_lanes),
              AllOf(HasSubstr(place_of("few lanes")), HasSubstr(" of 32 lanes active")));
  const auto report = simt::inspect(reported::one_bin);
  EXPECT_THAT(report.summary(),
              HasSubstr(place_of("global atomic") +
                        " · 32 sectors an atomic where 1 would do · 62 of 64 sectors wasted: "
                        "let neighbouring lanes take neighbouring words"));
}

/// A basic block is where its first call is, not where its address arithmetic comes from.
TEST(own_report, a_block_is_at_the_line_of_its_call) {
  const auto steps_at = [](void (*launches)(), const std::string& mark) -> std::uint64_t {
    const auto report = simt::inspect(launches);
    for (const auto& line : report.kernels().at(0).lines) {
      if (line.line == line_of(mark)) return line.warp_steps;
    }
    return 0;
  };
  EXPECT_EQ(steps_at(reported::transposed, "meeting"), 32U) << "a step for each warp";
  EXPECT_EQ(steps_at(reported::few_lanes, "behind the loop"), 1U);
}

TEST(own_report, findings_stand_above_all) {
  const auto report = simt::inspect(reported::race);
  ASSERT_THAT(report.findings(), Not(IsEmpty()));
  EXPECT_EQ(report.findings()[0].here.line, line_of("race"));
  EXPECT_EQ(report.summary().find("race "), 0U);
  EXPECT_THAT(report.summary(), AllOf(HasSubstr(place_of("race")), HasSubstr("fix: ")));
  std::ostringstream shown;
  shown << report.findings()[0];
  EXPECT_EQ(shown.str(), report.findings()[0].text());
}

TEST(own_report, a_kernel_that_fails_is_an_error_in_it) {
  const auto report = simt::inspect(reported::failing);
  ASSERT_THAT(report.errors(), SizeIs(1));
  EXPECT_THAT(report.errors()[0], AllOf(HasSubstr("failing_kernel"), HasSubstr("n == 0")));
  EXPECT_EQ(report.summary().find("error: "), 0U);
}

TEST(own_report, stays_when_the_host_throws_after_a_finding) {
  const auto report = simt::inspect(reported::racing_and_checked);
  ASSERT_THAT(report.findings(), SizeIs(1));
  EXPECT_EQ(report.findings()[0].here.line, line_of("race"));
  EXPECT_THAT(report.errors(),
              testing::Contains("the host's code threw: the race: a wrong result"));
  const auto odd = simt::inspect([] {
    reported::race();
    throw 7;
  });
  EXPECT_THAT(odd.findings(), Not(IsEmpty()));
  EXPECT_THAT(odd.errors(), testing::ElementsAre(HasSubstr("not a std::exception")));
}

TEST(own_report, what_the_host_throws_goes_on_where_nothing_was_found) {
  EXPECT_THROW(simt::inspect([] { throw std::runtime_error("the test's own"); }),
               std::runtime_error);
  testing::internal::CaptureStderr();
  EXPECT_THROW(simt::inspect(reported::failing_and_checked), std::runtime_error);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("n == 0"));
}

TEST(own_report, one_bad_kernel_does_not_fail_what_comes_after) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(simt::inspect(reported::failing).errors(), SizeIs(1));
    EXPECT_THROW(simt::inspect(reported::failing_and_checked), std::runtime_error);
    EXPECT_THAT(simt::inspect(reported::racing_and_checked).findings(), SizeIs(1));
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto report = simt::inspect(reported::clean);
    EXPECT_THAT(report.findings(), IsEmpty());
    EXPECT_THAT(report.errors(), IsEmpty());
    EXPECT_EQ(report.total().global_load.requests, 32U);
  }
  reported::failing();  // which nobody inspects
  simt::inspect([] {});
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorAssert) << "as it was before";
  cudaDeviceReset();
}

TEST(own_report, a_kernel_that_touches_the_hosts_memory) {
  for (const auto launches : {reported::host_pointer, reported::pointer_to_local}) {
    const auto report = simt::inspect(launches);
    ASSERT_THAT(report.findings(), SizeIs(1));
    const simt::finding& f = report.findings()[0];
    EXPECT_EQ(f.kind, simt::finding_kind::host_memory);
    EXPECT_EQ(f.here.line, line_of("host memory"));
    EXPECT_EQ(f.count, 128U);
    EXPECT_THAT(f.text(), AllOf(HasSubstr("access to the host's memory: kernel twice_kernel, 4 "
                                          "bytes, 128 times\n"),
                                HasSubstr("thread (0,0,0), warp 0 reads it"),
                                HasSubstr("fix: copy it to device memory (cudaMalloc")));
    EXPECT_THAT(simt::inspect(launches, {.check = true, .pageable_access = true}).findings(),
                IsEmpty());
    EXPECT_THAT(simt::inspect(launches, {.count = true}).findings(), IsEmpty());
  }
}

TEST(own_report, a_null_pointer_gets_advice_of_its_own) {
  const auto report = simt::inspect(reported::null_pointer);
  ASSERT_THAT(report.findings(), SizeIs(1));
  EXPECT_THAT(report.findings()[0].text(),
              AllOf(HasSubstr("4 bytes behind a null pointer"),
                    HasSubstr("fix: allocate its memory before the launch, and check the status")));
  cudaDeviceReset();
}

TEST(own_report, memory_that_kernels_may_touch) {
  EXPECT_THAT(simt::inspect(reported::memory_for_both).findings(), IsEmpty());
  EXPECT_THAT(simt::inspect(reported::constants_and_variables).findings(), IsEmpty());
}

TEST(own_report, a_host_that_touches_the_devices_memory) {
  const auto report = simt::inspect(reported::host_reads_and_writes);
  ASSERT_THAT(report.findings(), SizeIs(2));
  EXPECT_THAT(report.errors(), IsEmpty());
  const simt::finding &read = report.findings()[0], &write = report.findings()[1];
  EXPECT_EQ(read.kind, simt::finding_kind::device_memory);
  EXPECT_EQ(read.here.line, line_of("host reads"));
  EXPECT_EQ(read.offset, 4);
  EXPECT_EQ(read.size, 4096 * sizeof(int));
  EXPECT_THAT(read.text(),
              AllOf(HasSubstr("host's access to the device's memory\n  at offset 4 of an "
                              "allocation, 16384 bytes\n"),
                    HasSubstr(place_of("host reads") + ": the host reads it"),
                    HasSubstr("fix: copy it with cudaMemcpy")));
  EXPECT_EQ(write.here.line, line_of("host writes"));
#if defined(__x86_64__)
  EXPECT_THAT(write.text(), HasSubstr("the host writes it"));
#endif
  EXPECT_THAT(simt::inspect(reported::host_reads_and_writes, {.count = true}).findings(),
              IsEmpty());
  reported::host_reads_and_writes();  // nobody looks on
}

TEST(own_report, memory_that_is_not_freed) {
  EXPECT_THAT(simt::inspect(reported::never_freed).findings(), IsEmpty()) << "not asked for";
  simt::run_options options = simt::everything;
  options.leaks = true;
  const auto report = simt::inspect(reported::never_freed, options);
  ASSERT_THAT(report.findings(), SizeIs(1));
  EXPECT_EQ(report.findings()[0].kind, simt::finding_kind::not_freed);
  EXPECT_EQ(report.findings()[0].here.line, line_of("leak"));
  EXPECT_THAT(report.findings()[0].text(),
              AllOf(HasSubstr("memory of the device that is not freed, 4000 bytes, 1 time\n"),
                    HasSubstr(place_of("leak") + ": allocates it with cudaMalloc"),
                    HasSubstr("fix: call cudaFree")));
  EXPECT_THAT(simt::inspect(reported::clean, options).findings(), IsEmpty());
  cudaDeviceReset();
}

/// At the program's end, on standard error, where the environment asks.
TEST(own_report, memory_that_is_not_freed_by_the_end) {
  const auto leave = [](const char* asked) {
    setenv("SIMT_LEAKS", asked, 1);
    reported::never_freed();
    std::exit(0);
  };
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(leave("1"), testing::ExitedWithCode(0),
              "memory of the device that is not freed, 4000 bytes");
  EXPECT_EXIT(leave("0"), testing::ExitedWithCode(0), "^$");
}

TEST(own_report, names_of_kernels_are_short) {
  using simt::detail::short_name;
  EXPECT_EQ(short_name("kernel"), "kernel");
  EXPECT_EQ(short_name("a::b::kernel<3u, true>"), "kernel<3u, true>");
  EXPECT_EQ(
      short_name(
          "w::ladder::cpu::strided_kernel<int, w::ladder::cpu::counting_operator<w::cpu::plus, "
          "w::ladder::cpu::strided> >"),
      "strided_kernel<int, plus>");
  EXPECT_EQ(short_name("k<a::counting_operator<b::f<c::d, int>, e> , unsigned char>"),
            "k<f<d, int>, unsigned char>");
  EXPECT_EQ(short_name("a::k<int (*)(b::c const&, d::e*), f::g<h>::i>"),
            "k<int (*)(c const&, e*), i>");
  EXPECT_EQ(short_name("a::f(int)::{lambda(b::c)#1}"), "{lambda(c)#1}");
}

TEST(own_report, launches_of_one_kernel_are_one_entry) {
  const auto report = simt::inspect(reported::twice_in_two_shapes);
  ASSERT_THAT(report.kernels(), SizeIs(1));
  EXPECT_EQ(report.total().launches, 2U);
  EXPECT_EQ(report.kernels()[0].heading(),
            "strided_kernel · grid 1, block 32 · 2 launches of different shapes");
  EXPECT_THROW(static_cast<void>(report.kernel("no such")), std::out_of_range);
}

TEST(own_report, source_with_counters_beside_each_line) {
  const auto report = simt::inspect(reported::bank_conflicts);
  std::istringstream view(report.source_view());
  std::string found, all;
  for (std::string line; std::getline(view, line); all += line + "\n") {
    if (line.find("// [conflict]") != std::string::npos) found = line;
  }
  std::istringstream cells(found);
  std::string requests, conflicts, steps, lanes, number;
  cells >> requests >> conflicts >> steps >> lanes >> number;
  EXPECT_EQ(requests, "64");
  EXPECT_EQ(conflicts, "1,984");
  EXPECT_EQ(lanes, "32.0");
  EXPECT_EQ(number, std::to_string(line_of("conflict")));
  EXPECT_THAT(all,
              AllOf(HasSubstr("__global__ void column_kernel"), HasSubstr("+ threadIdx.x] = sum;"),
                    Not(HasSubstr("strided_kernel")), Not(HasSubstr("kernel.hpp"))));
  const auto without = simt::source_view(report.kernels()[0], [](const auto&) { return ""; });
  EXPECT_THAT(without, AllOf(HasSubstr("1,984"), Not(HasSubstr("sum +="))));
}

TEST(own_report, json) {
  const auto report = simt::inspect([] {
    reported::bank_conflicts();
    reported::race();
  });
  const auto j = nlohmann::json::parse(report.json());
  EXPECT_EQ(j["schema"], 1);
  EXPECT_EQ(j["kernels"].size(), 2U);
  const auto& kernel = j["kernels"][0];
  EXPECT_EQ(kernel["name"], "column_kernel");
  EXPECT_EQ(kernel["block"][0], 32);
  EXPECT_EQ(kernel["counters"]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"], 1984);
  EXPECT_EQ(kernel["remarks"][0]["line"], line_of("conflict"));
  bool seen = false;
  for (const auto& line : kernel["lines"]) {
    if (line["line"] != line_of("conflict")) continue;
    EXPECT_EQ(line["shared_load"]["conflicts"], 1984);
    EXPECT_EQ(line["active_lanes"], 32);
    seen = true;
  }
  EXPECT_TRUE(seen);
  EXPECT_EQ(j["findings"][0]["here"]["line"], line_of("race")) << report.summary();
  EXPECT_THAT(j["errors"], IsEmpty());
}

/// The lines' times, and what no line has, are the kernel's.
TEST(own_report, predicted_times_are_in_the_json) {
  const auto report = simt::inspect(reported::bank_conflicts);
  const auto device = simt::find_device_model("k40m");
  const auto j = nlohmann::json::parse(report.json(simt::read_source, device));
  const auto& kernel = j["kernels"][0];
  const auto whole = report.prediction(device);
  EXPECT_EQ(kernel["predicted"]["device"], "k40m");
  EXPECT_DOUBLE_EQ(kernel["predicted"]["median_us"], whole.us);
  ASSERT_THAT(whole.lines, Not(IsEmpty()));
  for (const auto& line : kernel["lines"]) {
    const auto at = std::find_if(whole.lines.begin(), whole.lines.end(), [&](const auto& l) {
      return l.line == line["line"] && l.file == line["file"];
    });
    EXPECT_DOUBLE_EQ(line.value("predicted_us", 0.0), at == whole.lines.end() ? 0 : at->us);
  }
}

/// As report.txt and "-" show it.
TEST(own_report, predicted_times_are_in_the_text) {
  const auto report = simt::inspect(reported::bank_conflicts);
  const std::string time = report.prediction("h100").text();
  EXPECT_THAT(time, HasSubstr("µs on h100, limited by "));
  EXPECT_THAT(time, HasSubstr(" (blind mean error "));
  EXPECT_THAT(report.text(), HasSubstr("\n  " + time + "\n"));
  EXPECT_THAT(report.json(), HasSubstr("\"blind_error_pct\""));
}

TEST(own_report, json_is_as_the_schema_says) {
  const warpfold::tests::json_schema schema("report");
  for (const auto launches :
       {+[] {}, reported::clean, reported::bank_conflicts, reported::strided, reported::one_bin,
        reported::few_lanes, reported::race, reported::failing, reported::racing_and_checked,
        reported::twice_in_two_shapes, reported::host_pointer, reported::host_reads_and_writes}) {
    const std::string json = simt::inspect(launches).json();
    EXPECT_THAT(schema.violations(nlohmann::json::parse(json)), IsEmpty()) << json;
  }
}

TEST(own_report, sources_of_lines_and_findings_are_in_the_json) {
  const auto report = simt::inspect(reported::race);
  const auto sources = nlohmann::json::parse(report.json())["sources"];
  ASSERT_THAT(sources, SizeIs(1));
  EXPECT_THAT(sources[0]["file"].get<std::string>(), testing::EndsWith("/reported.cu"));
  EXPECT_THAT(sources[0]["text"].get<std::string>(), HasSubstr("// [race]"));
  const auto without = nlohmann::json::parse(report.json([](const auto&) { return ""; }));
  EXPECT_THAT(without["sources"], IsEmpty());
}

TEST(own_report, as_a_page) {
  const auto report = simt::inspect(reported::race);
  EXPECT_THAT(report.html(), AllOf(testing::StartsWith("<!doctype html>"), HasSubstr("// [race]")));
  EXPECT_THROW(report.save_html("/no-such-folder/page.html"), std::system_error);
}

TEST(own_report, nothing_has_run) {
  const auto report = simt::inspect([] {});
  EXPECT_EQ(report.summary(), "no kernel has run\n");
  EXPECT_THAT(report.source_view(), IsEmpty());
}

}  // namespace
