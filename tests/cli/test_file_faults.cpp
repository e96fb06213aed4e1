// What goes wrong with files: a clear line, the documented exit code, and nothing lost or left.
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/cli/file_commands.hpp"
#include "tests/cli/sorted.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

class file_faults : public file_command {
 protected:
  outcome run_with(const std::string& fault, const std::string& arguments) {
    return shell("WARPFOLD_FAULT=" + fault +
                 " LD_PRELOAD=" WARPFOLD_FAULTS " " WARPFOLD_PROGRAM " " + arguments);
  }
  /// Refused with code 4, one line, and the folder as it was.
  void expect_failure(const std::string& fault, const std::string& arguments,
                      const std::string& says) {
    const auto before = names();
    const outcome o = run_with(fault, arguments);
    EXPECT_EQ(o.code, 4) << fault << ": " << arguments << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(says)) << fault << ": " << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_EQ(names(), before) << fault << ": " << arguments;
  }
};

TEST_F(file_faults, bad_input_is_refused) {
  const std::string ints = npy("i.npy", std::vector<std::int32_t>{1, 2, 3});
  const std::string floats = npy("f.npy", std::vector<float>{1, 2, 3});
  const std::string square = npy("s.npy", std::vector<float>{1, 2, 3, 4}, {2, 2});
  const std::string none = npy("none.npy", std::vector<float>{});
  const std::string bytes = write("b.bin", "12345");
  const std::string out = " -o " + path("out.npy");
  expect_refusal("reduce " + path("missing.npy"), 4, "check the path");
  expect_refusal("reduce " + path(""), 4, "is a directory");
  expect_refusal("reduce " + bytes, 2, "--type");
  expect_refusal("reduce " + bytes + " --type i32", 4, "not a whole number of i32");
  expect_refusal("reduce " + floats + " --type i32", 2, "is an .npy file of f32");
  expect_refusal("reduce " + ints + " --op median", 2, "statistics");
  expect_refusal("reduce " + floats + " --op xor", 2, "is for integers");
  expect_refusal("reduce " + ints + " --op exact-sum", 2, "is for f32 and f64");
  expect_refusal("reduce " + none + " --op min", 4, "holds no values");
  expect_refusal("reduce " + ints + " --axis 0", 2, "2-D");
  expect_refusal("reduce " + square + " --axis 2", 2, "must be 0 or 1");
  expect_refusal("reduce " + square + " --axis 1 --op statistics", 2, "leave --axis out");
  expect_refusal("reduce " + ints + " --memory 1MiB", 2, "at least 16MiB");
  expect_refusal("reduce " + ints + " --memory much", 2, "512MiB or 4GiB");
  expect_refusal("reduce " + ints + " --backend tpu", 2, "auto, cuda or host");
  expect_refusal("reduce " + ints + " --progress maybe", 2, "auto, always or never");
  expect_refusal("reduce " + ints + " --accumulator " + path("acc"), 2, "exact-sum");
  expect_refusal("scan " + ints, 2, "--output: name the file to write; - is standard output");
  expect_refusal("scan " + ints + " -o - --out-type i8", 2, "--out-type i8: there is no such type");
  expect_refusal("scan " + ints + " --op mean" + out, 2, "a scan takes sum");
  expect_refusal("scan " + ints + " --out-type f32" + out, 2, "i64 or i32");
  expect_refusal("scan " + square + out, 2, "2 dimensions");
  expect_refusal("scan " + ints + " -o " + ints, 2, "is the input");
  expect_refusal("scan " + ints + " --force -o " + ints, 2, "is the input");
  expect_refusal("scan " + ints + " -o " + floats, 4, "exists already");
  expect_refusal("scan " + ints + " -o " + path("no/such/folder.npy"), 4, "check the path");
  expect_refusal("sort " + ints + out + " --values " + floats, 2, "give both or neither");
  expect_refusal("sort " + ints + out + " --values " + square + " --values-out " + path("v.npy"), 2,
                 "2 dimensions");
  expect_refusal("sort " + ints + out + " --values " + none + " --values-out " + path("v.npy"), 2,
                 "one for each key");
  expect_refusal("sort " + ints + out + " --values " + floats + " --values-out " + path("out.npy"),
                 2, "are the same file");
  expect_refusal("sort " + ints + out + " --tmp " + path("nowhere"), 4, "is not a folder");
  expect_refusal("sort - --type i32" + out + " < /dev/null", 2, "a sort needs a file");
  EXPECT_THAT(run_after("printf 12345", "reduce - --type i32").err,
              HasSubstr("not a whole number"));
  EXPECT_THAT(run_after("cat " + ints, "reduce - --type f32").err,
              HasSubstr("is an .npy file of i32"));
  EXPECT_EQ(names(), (std::vector<std::string>{"b.bin", "f.npy", "i.npy", "none.npy", "s.npy"}));
}

TEST_F(file_faults, what_exists_stays_until_the_new_one_is_whole) {
  const std::string in = npy("a.npy", std::vector<std::int64_t>{1, 2, 3});
  const std::string old = write("out.npy", "precious");
  expect_failure("full:0", "scan " + in + " --force -o " + old, "No space left");
  expect_failure("sync", "scan " + in + " --force -o " + old, "can't be written");
  expect_failure("rename", "scan " + in + " --force -o " + old, "can't be written");
  EXPECT_EQ(std::filesystem::file_size(old), 8U);
  EXPECT_EQ(run("scan " + in + " --force -o " + old).code, 0);
  EXPECT_EQ(read<std::int64_t>("out.npy"), (std::vector<std::int64_t>{1, 3, 6}));
}

/// Once it is on the disk, under its name, no close can take a file back; of standard output, whose
/// file is not synced, a close may be what tells that something was lost.
TEST_F(file_faults, a_close_that_fails_fails_what_was_not_on_the_disk) {
  const std::string in = npy("a.npy", std::vector<std::int64_t>{1, 2, 3});
  for (const std::string fault : {"closing", "closeint", "nameless+closing"}) {
    const outcome o = run_with(fault, "scan " + in + " --force -o " + path("out.npy"));
    EXPECT_EQ(o.code, 0) << fault << o.err;
    EXPECT_EQ(read<std::int64_t>("out.npy"), (std::vector<std::int64_t>{1, 3, 6})) << fault;
    const outcome s = run_with(fault, "scan " + in + " -o - > " + path("streamed"));
    EXPECT_EQ(s.code, fault == "closeint" ? 0 : 4) << fault << s.err;
    EXPECT_EQ(read<std::int64_t>("streamed"), (std::vector<std::int64_t>{1, 3, 6})) << fault;
  }
}

/// The second sync of a single output is that of the folder, which has the name.
TEST_F(file_faults, a_name_that_may_be_lost_is_said) {
  const std::string in = npy("a.npy", std::vector<std::int64_t>{1, 2, 3});
  for (const std::string& command : {"scan " + in + " -o " + path("out"),
                                     "reduce " + npy("f.npy", std::vector<double>{1}) +
                                         " --op exact-sum --accumulator " + path("out"),
                                     "reduce " + in + " --json " + path("out")}) {
    const outcome o = run_with("sync:2", command);
    EXPECT_EQ(o.code, 4) << command;
    EXPECT_THAT(o.err, HasSubstr("a power failure now may lose its name")) << command;
    EXPECT_TRUE(std::filesystem::remove(path("out"))) << command;
  }
}

TEST_F(file_faults, disks_that_fill_up_and_fail) {
  const std::string in =
      raw("a.bin", random<std::uint32_t>(6'000'000)) + " --type u32 --memory 16MiB ";
  const std::string out = "-o " + path("out.bin");
  for (const std::uint64_t at : {0, 1'000'000, 20'000'000, 30'000'000}) {
    const std::string full = "full:" + std::to_string(at),
                      bad = "eio:" + std::to_string(at % 24'000'000);
    expect_failure(full, "sort " + in + out, "No space left");
    expect_failure(full, "scan " + in + out, "No space left");
    expect_failure(bad, "reduce " + in, "Input/output error");
    expect_failure(bad, "scan " + in + out, "Input/output error");
    expect_failure(bad, "sort " + in + out, "Input/output error");
  }
  expect_failure("nameless+rename", "reduce " + path("missing"), "check the path");
}

TEST_F(file_faults, short_reads_and_writes_and_disks_without_nameless_files_change_nothing) {
  const auto keys = random<std::uint32_t>(6'000'000);
  const std::string in = raw("a.bin", keys) + " --type u32 --memory 16MiB ";
  const auto expected = sorted(keys);
  for (const char* fault : {"short", "nameless", "procless"}) {
    const outcome o = run_with(fault, "sort " + in + " --force -o " + path("out.bin"));
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(read<std::uint32_t>("out.bin") == expected) << fault;
    EXPECT_EQ(names(), (std::vector<std::string>{"a.bin", "out.bin"}));
  }
}

TEST_F(file_faults, a_pair_of_outputs_is_replaced_or_not) {
  const std::string in = "sort " + raw("k", std::vector<std::uint8_t>{2, 1, 3}) +
                         " --type u8 --values " + raw("v", std::vector<std::uint8_t>{5, 6, 4}) +
                         " --values-type u8 -o " + path("ks") + " --values-out " + path("vs");
  const auto pair = [&] {
    std::string both;
    for (const char* name : {"ks", "vs"}) {
      std::ifstream file(path(name));
      both.append(std::istreambuf_iterator<char>(file), {}).append(" ");
    }
    return both;
  };
  const std::string made = "\1\2\3 \6\5\4 ";
  for (const std::string with : {"", "nameless+"}) {
    for (const bool replaces : {false, true}) {
      for (const std::string call : {"sync:", "rename:"}) {
        int failed = 0;
        for (int k = 1; k <= 8; ++k) {
          const std::string what = with + call + std::to_string(k) + (replaces ? " --force" : "");
          for (const char* name : {"ks", "vs"}) std::filesystem::remove(path(name));
          if (replaces) write("ks", "old"), write("vs", "old");
          const std::string before = pair();
          const outcome o =
              run_with(with + call + std::to_string(k), in + (replaces ? " --force" : ""));
          failed += o.code == 4 ? 1 : 0;
          // Only the folders, which come third and fourth, are synced under the new names.
          const bool in_folder = call == "sync:" && k > 2;
          EXPECT_EQ(pair(), o.code == 0 || in_folder ? made : before) << what << "\n" << o.err;
          EXPECT_EQ(names().size(), pair() == "  " ? 2U : 4U) << what;
        }
        // A new name that a hidden file can't have in one way it gets in another.
        if (replaces || with.empty() || call == "sync:") EXPECT_GE(failed, 1) << with << call;
      }
    }
  }
}

TEST_F(file_faults, a_file_that_shrinks_while_it_is_read) {
  const std::string in = raw("a.bin", random<std::uint8_t>(1 << 20));
  // The pipe's reader has opened the file before it is cut.
  const outcome o =
      shell("cp " + in + " " + path("b.bin") + "; truncate -s 100G " + path("b.bin") +
            "; (sleep 0.3; truncate -s 1M " + path("b.bin") + ") & " WARPFOLD_PROGRAM " reduce " +
            path("b.bin") + " --type u8 --backend host");
  EXPECT_EQ(o.code, 4);
  EXPECT_THAT(o.err, HasSubstr("bytes short"));
}

TEST_F(file_faults, no_permission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read and write everything";
  const std::string in = npy("a.npy", std::vector<int>{1});
  std::filesystem::permissions(in, std::filesystem::perms::none);
  expect_refusal("reduce " + in, 4, "permissions");
}

/// A command that was started, and its end.
class running {
 public:
  explicit running(const std::string& arguments) : process_(fork()) {
    if (process_ != 0) return;
    const int null = ::open("/dev/null", O_RDWR);
    dup2(null, STDERR_FILENO);
    const std::string command = "exec " WARPFOLD_PROGRAM " " + arguments;
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  /// Its status after a signal that comes so much later; it may have ended before.
  int stopped_by(int signal, std::chrono::microseconds later) const {
    std::this_thread::sleep_for(later);
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    return status;
  }
  /// Its status after two signals, one shortly after the other.
  int stopped_by_two(int first, int second) const {
    kill(process_, first);
    return stopped_by(second, std::chrono::milliseconds(20));
  }

 private:
  pid_t process_;
};

TEST_F(file_faults, killed_at_any_moment_the_output_is_absent_or_whole_and_right) {
  const auto keys = random<std::uint32_t>(2'200'000);  // two runs
  const std::string in = raw("a.bin", keys) + " --type u32 --memory 16MiB --backend host ";
  const auto expected = sorted(keys);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run("sort " + in + "-o " + path("out.bin")).code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  std::filesystem::remove(path("out.bin"));
  int killed = 0, ended = 0;
  for (int i = 0; i < 200; ++i) {
    const int signal =
        std::array{SIGINT, SIGTERM, SIGKILL, SIGHUP}[static_cast<std::size_t>(i) % 4];
    const auto later = std::chrono::microseconds(
        static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(whole.count() * 11 / 10)));
    const int status = running("sort " + in + "-o " + path("out.bin")).stopped_by(signal, later);
    if (std::filesystem::exists(path("out.bin"))) {
      ++ended;
      ASSERT_TRUE(read<std::uint32_t>("out.bin") == expected) << i;
      std::filesystem::remove(path("out.bin"));
    } else {
      ++killed;
      ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << i << ": " << status;
    }
    ASSERT_EQ(names(), std::vector<std::string>{"a.bin"}) << i;
  }
  EXPECT_GT(killed, 0);
  std::cout << killed << " killed on the way, " << ended << " had ended\n";
}

TEST_F(file_faults, a_second_signal_removes_the_hidden_file_and_so_does_the_next_run) {
  const std::string scan = "scan " + raw("a.bin", std::vector<std::uint8_t>{1, 2, 3}) +
                           " --type u8 --backend host -o " + path("out.bin");
  setenv("LD_PRELOAD", WARPFOLD_FAULTS, 1);
  for (const bool kills : {false, true}) {
    setenv("WARPFOLD_FAULT", "nameless+stall", 1);
    const running command(scan);
    for (int i = 0; i < 1000 && names().size() < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it is writing to a slow disk
    const int status =
        kills ? command.stopped_by(SIGKILL, {}) : command.stopped_by_two(SIGTERM, SIGINT);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(names().size(), kills ? 2U : 1U);
  }
  setenv("WARPFOLD_FAULT", "nameless", 1);
  EXPECT_EQ(run(scan).code, 0);
  unsetenv("WARPFOLD_FAULT");
  unsetenv("LD_PRELOAD");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.bin", "out.bin"}));
}

TEST_F(file_faults, a_signal_ends_a_sort_in_memory) {
  using clock = std::chrono::steady_clock;
  const std::string sort = "sort " + raw("a.bin", random<std::uint64_t>(12'000'000)) +
                           " --type u64 --memory 1GiB --backend host -o " + path("out.bin");
  const auto begin = clock::now();
  ASSERT_EQ(run(sort).code, 0);
  const auto whole = clock::now() - begin;
  std::filesystem::remove(path("out.bin"));
  auto least = whole;
  for (int i = 0; i < 5; ++i) {
    const running command(sort);
    std::this_thread::sleep_for(whole / 3);
    const auto asked = clock::now();
    const int status = command.stopped_by(SIGINT, {});
    least = std::min(least, clock::now() - asked);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
    EXPECT_EQ(names(), std::vector<std::string>{"a.bin"});
  }
  EXPECT_LT(least, whole / 5) << "of two thirds that were left";
}

TEST_F(file_faults, a_signal_ends_a_wait_for_a_stream) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const int writer = ::open(path("fifo").c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  const int status = running("scan " + path("fifo") + " --type u8 -o " + path("out.bin"))
                         .stopped_by(SIGTERM, std::chrono::milliseconds(300));
  ::close(writer);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(names(), std::vector<std::string>{"fifo"});
}

}  // namespace
}  // namespace warpfold::cli
