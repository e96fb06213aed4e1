// What commands on files are given: standard input that stands anywhere, pipes without a writer,
// closed descriptors, ignored signals, limits of the process; and how they say no.
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/cli/file_commands.hpp"
#include "tests/cli/sorted.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

const std::string program = WARPFOLD_PROGRAM " ";

class file_inputs : public file_command {
 protected:
  /// The status of a shell's command that `signals` are sent to after a while; killed by force
  /// when it has not ended in ten seconds.
  static int status_after(const std::string& command, std::initializer_list<int> signals) {
    const pid_t process = fork();
    if (process == 0) {
      execl("/bin/sh", "sh", "-c", ("exec 2>/dev/null; " + command).c_str(), nullptr);
      _exit(127);
    }
    for (const int s : signals) {
      std::this_thread::sleep_for(300ms);
      kill(process, s);
    }
    int status = 0;
    for (int i = 0; i < 1000; ++i) {
      if (waitpid(process, &status, WNOHANG) == process) return status;
      std::this_thread::sleep_for(10ms);
    }
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return status;
  }
  static bool ended_by(int status, int signal) {
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
  }
  outcome run_with(const std::string& fault, const std::string& arguments) {
    return shell("WARPFOLD_FAULT=" + fault + " LD_PRELOAD=" WARPFOLD_FAULTS " " + program +
                 arguments);
  }
  void expect_one_line(const outcome& o, int code, const std::string& says) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(says));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_LT(o.err.size(), 600U);
  }
};

TEST_F(file_inputs, standard_input_goes_on_where_it_stands) {
  const std::string file = raw("a.bin", std::vector<std::uint8_t>{2, 2, 2, 2, 1, 1, 1, 1});
  const std::string skip = "dd bs=4 count=1 status=none of=/dev/null; ";
  EXPECT_EQ(shell("(" + skip + program + "reduce - --type u8) < " + file).out, "4\n");
  EXPECT_EQ(shell("(" + skip + "cat | " + program + "reduce - --type u8) < " + file).out, "4\n");
  EXPECT_EQ(
      shell("(" + program + "reduce - --type u8; " + program + "reduce - --type u8) < " + file).out,
      "12\n0\n")
      << "it is taken to its end";
  EXPECT_EQ(shell("(dd bs=100 count=1 status=none of=/dev/null; " + program +
                  "reduce - --type u8) < " + file)
                .out,
            "0\n");
  const std::string npy_file = npy("a.npy", std::vector<std::int32_t>{1, 2, 3});
  EXPECT_EQ(run("reduce - < " + npy_file).out, "6\n");
  const std::string behind = path("behind");
  shell("(printf 1234; cat " + npy_file + ") > " + behind);
  EXPECT_EQ(shell("(" + skip + program + "reduce -) < " + behind).out, "6\n");
  EXPECT_EQ(shell("(" + skip + program + "sort - --type u8 -o " + path("b") + ") < " + file).code,
            0);
  EXPECT_EQ(read<std::uint8_t>("b"), (std::vector<std::uint8_t>{1, 1, 1, 1}));
}

TEST_F(file_inputs, a_pipe_without_a_writer_waits_for_one_and_hears_signals) {
  const std::string fifo = path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string reduce = "exec " + program + "reduce " + fifo + " --type u8";
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_TRUE(ended_by(status_after(reduce, {signal}), signal)) << signal;
  }
  EXPECT_EQ(shell("(sleep 0.3; printf '\\001\\002'; sleep 0.3; printf '\\003') > " + fifo + " & " +
                  program + "reduce " + fifo + " --type u8")
                .out,
            "6\n");
  EXPECT_EQ(
      shell("(sleep 0.3; : > " + fifo + ") & " + program + "reduce " + fifo + " --type u8").out,
      "0\n");
}

TEST_F(file_inputs, signals_that_the_caller_ignores_are_ignored) {
  const std::string endless = "exec " + program + "reduce /dev/zero --type u8";
  EXPECT_TRUE(ended_by(status_after("trap '' HUP; " + endless, {SIGHUP, SIGTERM}), SIGTERM));
  EXPECT_TRUE(
      ended_by(status_after("trap '' INT TERM; " + endless, {SIGINT, SIGTERM, SIGHUP}), SIGHUP));
  const std::string file = raw("a.bin", std::vector<std::uint8_t>{1});
  EXPECT_EQ(shell("trap '' INT TERM HUP; " + program + "reduce --type u8 " + file).out, "1\n");
}

TEST_F(file_inputs, closed_descriptors_let_nothing_into_the_output) {
  const std::string in = npy("a.npy", std::vector<std::int64_t>{1, 2, 3});
  const std::string closings[] = {" <&-", " >&-", " 2>&-"};
  for (unsigned which = 0; which < 8; ++which) {
    std::string closed;
    for (unsigned d = 0; d < 3; ++d) {
      if ((which >> d & 1) != 0) closed += closings[d];
    }
    const auto code_of = [&](const std::string& arguments) {
      return WEXITSTATUS(std::system(
          ("( exec" + closed + "; exec " + program + arguments + " ) > /dev/null 2>&1 < /dev/null")
              .c_str()));
    };
    EXPECT_EQ(code_of("scan " + in + " --progress always -o " + path("out.npy")), 0) << closed;
    EXPECT_EQ(read<std::int64_t>("out.npy"), (std::vector<std::int64_t>{1, 3, 6})) << closed;
    EXPECT_EQ(code_of("reduce " + in), (which & 2) != 0 ? 4 : 0) << closed;
    EXPECT_EQ(code_of("reduce - --type u8"), (which & 3) != 0 ? 4 : 0) << closed;
    EXPECT_EQ(code_of("reduce " + path("missing") + " --progress always"), 4) << closed;
    EXPECT_EQ(names(), (std::vector<std::string>{"a.npy", "out.npy"})) << closed;
    std::filesystem::remove(path("out.npy"));
  }
}

TEST_F(file_inputs, an_output_that_takes_nothing_is_code_4) {
  const std::string file = npy("a.npy", random<std::int64_t>(20'000), {2, 10'000});
  const std::string columns = program + "reduce " + file + " --axis 0";
  expect_one_line(shell(columns + " > /dev/full"), 4, "standard output");
  expect_one_line(shell(columns + " >&-"), 4, "standard output");
  const outcome o = shell("{ (trap '' PIPE; sleep 0.2; " + columns + "; echo $? > " + path("code") +
                          ") | true; }");
  expect_one_line({4, "", o.err}, 4, "standard output");
  EXPECT_EQ(shell("cat " + path("code")).out, "4\n");
}

TEST_F(file_inputs, names_that_cannot_be_are_code_4) {
  const std::string file = npy("a.npy", std::vector<float>{1});
  const std::string loop = path("loop");
  std::filesystem::create_symlink(loop, loop);
  for (const std::string& name : {std::string(300, 'x'), std::string(5000, 'y'), loop}) {
    expect_one_line(run("reduce " + file + " --op exact-sum --accumulator " + name), 4, "'");
    expect_one_line(run("sort " + file + " -o " + path("b.npy") + " --tmp " + name), 4, "'");
    expect_one_line(run("reduce " + name + " --type u8"), 4, "check the path");
  }
}

TEST_F(file_inputs, threads_that_cannot_be_started_are_code_3) {
  const std::string file = raw("a.bin", random<std::uint32_t>(6'000'000)) + " --type u32 ";
  for (const int first : {0, 1, 2, 3}) {
    const std::string fault = "threads:" + std::to_string(first);
    const outcome o = run_with(fault, "reduce " + file + "--threads 8");
    expect_one_line(o, 3, "--threads");
    EXPECT_THAT(o.out, IsEmpty());
    const auto before = names();
    const outcome s = run_with(fault, "sort " + file + "--memory 16MiB -o " + path("b.bin"));
    EXPECT_TRUE(s.code == 0 || s.code == 3) << fault << ": " << s.code << "\n" << s.err;
    if (s.code == 0) std::filesystem::remove(path("b.bin"));
    EXPECT_EQ(names(), before) << fault;
  }
}

TEST_F(file_inputs, memory_that_ends_anywhere_is_code_3) {
  const std::string file = npy("a.npy", random<float>(1000));
  for (const std::string& command :
       {"reduce " + file + " --op statistics", "reduce " + file + " --json -",
        "scan " + file + " --progress always -o " + path("b.npy")}) {
    int failed = 0;
    for (int nth = 0; nth < 4000; nth += 1 + nth / 40) {
      const outcome o = run_with("memory:" + std::to_string(nth), command);
      std::filesystem::remove(path("b.npy"));
      ASSERT_TRUE(o.code == 0 || o.code == 3) << nth << " of " << command << ": " << o.code << "\n"
                                              << o.err;
      if (o.code == 0) continue;
      ++failed;
      ASSERT_THAT(o.err, HasSubstr("memory")) << nth << " of " << command;
      ASSERT_EQ(names(), std::vector<std::string>{"a.npy"}) << nth << " of " << command;
    }
    EXPECT_GT(failed, 20) << command;
  }
}

TEST_F(file_inputs, a_limit_on_the_size_of_files_is_code_4) {
  const std::string file = npy("a.npy", random<std::int64_t>(100'000));
  const outcome o = shell("ulimit -f 100; " + program + "scan " + file + " -o " + path("b.npy"));
  expect_one_line(o, 4, "ulimit -f");
  EXPECT_EQ(names(), std::vector<std::string>{"a.npy"});
}

TEST_F(file_inputs, what_is_no_npy_file_is_named) {
  const std::string archive = raw("a.npz", std::vector<std::uint8_t>{'P', 'K', 3, 4, 0, 0});
  expect_refusal("reduce " + archive, 4, "is an .npz archive; unzip it");
  EXPECT_EQ(run("reduce " + archive + " --type u8").code, 0);
  expect_refusal("reduce - < /dev/null", 2, "standard input: a stream without an .npy header");
}

TEST_F(file_inputs, files_of_the_kernel_are_refused) {
  expect_refusal("reduce /proc/version --type u8", 4, "size of 0");
  expect_refusal("reduce - --type u8 < /proc/version", 4, "size of 0");
  EXPECT_NE(run_after("cat /proc/version", "reduce - --type u8").out, "0\n");
  EXPECT_EQ(run("reduce " + raw("none", std::vector<std::uint8_t>{}) + " --type u8").out, "0\n");
}

TEST_F(file_inputs, numbers_in_options_do_not_wrap_and_threads_have_work) {
  const std::string file = raw("a.bin", std::vector<std::int32_t>(10, 1)) + " --type i32";
  expect_refusal("reduce " + file + " --memory 18446744073709551615+16777217", 2, "512MiB or 4GiB");
  const outcome o = run("reduce " + file + " --threads 20000 --memory 1024GiB --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(nlohmann::json::parse(o.out)["stages"][0]["slots"], 1);
}

TEST_F(file_inputs, a_dumb_terminal_gets_no_escapes) {
  const int near = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (near < 0 || ::grantpt(near) != 0 || ::unlockpt(near) != 0) GTEST_SKIP() << "no terminals";
  const std::string far = ::ptsname(near);
  const int open_far = ::open(far.c_str(), O_RDWR | O_NOCTTY);
  const std::string file = npy("a.npy", random<float>(1'000'000));
  const auto shown = [&](const std::string& terminal) {
    EXPECT_EQ(
        std::system(("TERM=" + terminal + " " + program + "reduce " + file + " >/dev/null 2>" + far)
                        .c_str()),
        0);
    ::fcntl(near, F_SETFL, O_NONBLOCK);
    std::array<char, 4096> text{};
    const ssize_t count = ::read(near, text.data(), text.size());
    return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  };
  EXPECT_THAT(shown("xterm"), HasSubstr("\x1b[K"));
  EXPECT_EQ(shown("dumb"), "");
  ::close(open_far);
  ::close(near);
}

TEST_F(file_inputs, json_has_a_schema_and_words_for_what_is_not_finite) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto result = [&](const std::string& arguments) {
    const outcome o = run(arguments + " --json -");
    EXPECT_EQ(o.code, 0) << o.err;
    return nlohmann::json::parse(o.out);
  };
  const std::string infinite = npy("i.npy", std::vector<float>{1, inf}),
                    least = npy("l.npy", std::vector<float>{1, -inf}),
                    none = npy("n.npy", std::vector<float>{inf, -inf});
  EXPECT_EQ(result("reduce " + infinite)["result"]["sum"], "inf");
  EXPECT_EQ(result("reduce " + least)["result"]["sum"], "-inf");
  EXPECT_EQ(result("reduce " + none)["result"]["sum"], "nan");
  const auto rows =
      result("reduce " + npy("r.npy", std::vector<double>{1, 2, inf, 3}, {2, 2}) + " --axis 1");
  EXPECT_EQ(rows["result"], nlohmann::json::parse(R"([3.0, "inf"])"));
  const std::string out = " --force -o " + path("o.npy");
  for (const auto& j : {rows, result("reduce " + infinite), result("scan " + infinite + out),
                        result("sort " + infinite + out)}) {
    EXPECT_EQ(j.value("schema", 0), 2) << j;
    EXPECT_EQ(j.value("backend", ""), "host") << j;
  }
}

/// The same bytes as of one file that has them all, wherever the cuts are.
TEST_F(file_inputs, several_files_are_as_one) {
  const auto all = random<float>(900'000);
  const auto some = [&](std::size_t from, std::size_t to) {
    return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(from),
                              all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const std::string one = npy("one.npy", all) + " ",
                    many = npy("a.npy", some(0, 300'001)) + " " + npy("b.npy", some(0, 0)) + " " +
                           raw("c.raw", some(300'001, 899'999)) + " --type f32 " +
                           npy("d.npy", some(899'999, 900'000)) + " ";
  for (const char* op : {"sum", "statistics", "argmax", "exact-sum"}) {
    const std::string how = "--backend host --op " + std::string(op);
    EXPECT_EQ(run("reduce " + many + how).out, run("reduce " + one + how).out) << op;
  }
  for (const char* how : {"scan", "sort"}) {
    const std::string to = " --backend host --force -o " + path("o");
    ASSERT_EQ(run(how + (" " + one) + to + "1.npy").code, 0);
    ASSERT_EQ(run(how + (" " + many) + to + "2.npy").code, 0);
    EXPECT_EQ(shell("cmp " + path("o1.npy") + " " + path("o2.npy")).code, 0) << how;
  }
  const std::string keys = npy("k.npy", random<std::int32_t>(900'000));
  const auto sort = [&](const std::string& values, const std::string& to) {
    return run("sort " + values + keys + " --backend host -o " + path("k" + to) + " --values-out " +
               path("v" + to));
  };
  ASSERT_EQ(sort("--values " + one, "1").code, 0);
  std::string cut = many;
  for (const char* name : {"/a.npy", "/b.npy", "/c.raw", "/d.npy"}) {
    cut.insert(cut.find(folder_.string() + name), "--values ");
  }
  cut.replace(cut.find("--type"), 6, "--values-type");
  ASSERT_EQ(sort(cut, "2").code, 0);
  EXPECT_EQ(shell("cmp " + path("k1") + " " + path("k2")).code, 0);
  EXPECT_EQ(shell("cmp " + path("v1") + " " + path("v2")).code, 0);
  EXPECT_THAT(run("reduce " + many + "--json -").out, HasSubstr("\"files\": ["));

  const std::string other = npy("e.npy", random<double>(6), {2, 3});
  expect_refusal("reduce " + path("a.npy") + " " + other, 4, "give files of one type");
  expect_refusal("reduce " + path("a.npy") + " -", 2, "several inputs must be files");
  expect_refusal("reduce " + path("a.npy") + " " + path("none.npy"), 4, "none.npy");
  expect_refusal("reduce --axis 0 " + other + " " + other, 2, "takes one file");
  expect_refusal("scan " + npy("f.npy", random<double>(6)) + " " + other + " -o " + path("x"), 2,
                 "has 2 dimensions");
  expect_refusal("scan " + path("f.npy") + " " + path("f.npy") + " --force -o " + path("f.npy"), 2,
                 "is the input");
}

/// "ulimit -n" sets the hard limit, too: nothing can raise it.
TEST_F(file_inputs, more_files_than_may_be_open) {
  constexpr std::size_t count = 1030, each = 50;
  const auto all = random<std::uint32_t>(count * each);
  std::string many;
  std::filesystem::create_directory(path("p"));
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const from = all.data() + i * each;
    many += " " + npy("p/" + std::to_string(i), std::vector<std::uint32_t>(from, from + each));
  }
  std::string values = many;
  for (std::size_t at = 0; (at = values.find(' ', at)) != std::string::npos; at += 10) {
    values.replace(at, 1, " --values ");
  }
  const std::string one = " " + npy("one.npy", all), host = " --backend host --force -o ";
  const std::string sum = run("reduce" + one).out;
  ASSERT_EQ(run("scan" + one + host + path("s1")).code, 0);
  ASSERT_EQ(run("sort" + one + host + path("k1")).code, 0);
  for (const std::string limit : {"ulimit -n 1024; ", "ulimit -n 40; "}) {
    const auto limited = [&](const std::string& arguments) {
      const outcome o = shell(limit + program + arguments);
      EXPECT_EQ(o.code, 0) << limit << o.err;
      return o.out;
    };
    EXPECT_EQ(limited("reduce" + many + " --threads 64"), sum);
    limited("scan" + many + host + path("s2"));
    EXPECT_EQ(shell("cmp " + path("s1") + " " + path("s2")).code, 0);
    limited("sort" + many + values + " --values-out " + path("v2") + host + path("k2"));
    EXPECT_EQ(shell("cmp " + path("k1") + " " + path("k2")).code, 0);
    EXPECT_EQ(shell("cmp " + path("k1") + " " + path("v2")).code, 0) << "the same values";
  }
}

TEST_F(file_inputs, a_sort_has_more_runs_than_files_may_be_open) {
  const auto keys = random<std::uint8_t>(std::size_t{100} << 20);
  const std::string file = raw("a.bin", keys);
  const outcome o = shell("ulimit -n 16; " + program + "sort " + file +
                          " --type u8 --memory 16MiB -o " + path("b.bin"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(read<std::uint8_t>("b.bin") == sorted(keys));
}

TEST_F(file_inputs, an_npy_file_on_standard_input_is_read) {
  const auto values = random<std::int32_t>(700'000);
  const std::string file = npy("a.npy", values),
                    square = npy("s.npy", std::vector<double>{1, 2, 3, 4}, {2, 2});
  const auto piped = [&](const std::string& arguments) {
    const outcome o = run_after("cat " + file, arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  };
  EXPECT_EQ(piped("reduce -"), run("reduce " + file).out);
  EXPECT_EQ(piped("reduce - --type i32"), run("reduce " + file).out);
  piped("scan - -o " + path("piped.npy"));
  ASSERT_EQ(run("scan " + file + " -o " + path("named.npy")).code, 0);
  EXPECT_EQ(shell("cmp " + path("piped.npy") + " " + path("named.npy")).code, 0);
  EXPECT_EQ(run_after("cat " + square, "reduce - --axis 0").out, "4\n6\n");
  EXPECT_EQ(run_after("cat " + npy("v2.npy", std::vector<float>{2.5}, {}), "reduce -").out,
            "2.5\n");
  EXPECT_EQ(run_after("(sleep 0.2; head -c 3 " + file + "; sleep 0.2; tail -c +4 " + file + ")",
                      "reduce -")
                .out,
            run("reduce " + file).out)
      << "however it comes";
  EXPECT_EQ(run_after("printf '\\223NU'", "reduce - --type u8").out, "310\n") << "not an .npy file";

  const auto refused = [&](const std::string& before, const std::string& arguments, int code,
                           const std::string& says) {
    expect_one_line(run_after(before, arguments), code, says);
  };
  refused("cat " + file, "reduce - --type f32", 2, "is an .npy file of i32");
  refused("head -c 1000 " + file, "reduce -", 4, "ended after 872 of the 2800000 bytes");
  refused("cat " + file + " " + file, "reduce -", 4, "has more than the 2800000 bytes");
  refused("head -c 40 " + file, "reduce -", 4, "was cut short");
  refused("printf abcd", "reduce -", 2, "give it with --type");
  refused("cat " + square, "scan - -o " + path("x"), 2, "has 2 dimensions");
  refused("cat " + file, "sort - -o " + path("x"), 2, "a sort needs a file");
}

}  // namespace
}  // namespace warpfold::cli
