// The commands on files under mpirun: the same bytes as by one process alone, all of them or none.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/cli/file_commands.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

class ranks : public file_command {
 protected:
  ranks() {
    // For root too; and without a look for networks and machines, which takes longer than the rest.
    for (const auto& [name, value] : {std::pair{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                      {"OMPI_MCA_pml", "ob1"},
                                      {"OMPI_MCA_btl", "self,vader"},
                                      {"OMPI_MCA_plm", "isolated"}}) {
      ::setenv(name, value, 1);
    }
  }
  static std::string mpirun(int ranks, const std::string& wrapper = "") {
    return WARPFOLD_MPIRUN " -q --oversubscribe -n " + std::to_string(ranks) + " " + wrapper +
           " " WARPFOLD_PROGRAM " ";
  }
  /// Each rank is started by `wrapper`, a shell's words, where there is one.
  outcome run_ranks(int ranks, const std::string& arguments, const std::string& wrapper = "") {
    return shell(mpirun(ranks, wrapper) + arguments + " < /dev/null");
  }
  /// A wrapper that does this on one rank before.
  static std::string on_rank(int rank, const std::string& words) {
    return "sh -c 'if [ $OMPI_COMM_WORLD_RANK = " + std::to_string(rank) + " ]; then " + words +
           "; fi; exec \"$0\" \"$@\"'";
  }
  const std::string faults = "export LD_PRELOAD=" WARPFOLD_FAULTS " WARPFOLD_FAULT=";

  /// On standard output and in the files, the same as alone.
  void expect_same(int ranks, const std::string& arguments, const std::vector<std::string>& files) {
    std::string one = arguments, many = arguments;
    for (const auto& f : files) {
      one += " " + path("one_" + f);
      many += " " + path("many_" + f);
    }
    const outcome a = run(one), b = run_ranks(ranks, many);
    EXPECT_EQ(a.code, 0) << a.err;
    EXPECT_EQ(b.code, 0) << many << "\n" << b.err;
    EXPECT_EQ(a.out, b.out) << ranks << ": " << arguments;
    for (const auto& f : files) {
      EXPECT_EQ(shell("cmp " + path("one_" + f) + " " + path("many_" + f)).code, 0) << many;
      std::filesystem::remove(path("one_" + f));
      std::filesystem::remove(path("many_" + f));
    }
  }
  /// Refused with one line of one rank, this exit code, and the folder as it was.
  void expect_failure(const outcome& o, int code, const std::string& says) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(says));
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
};

TEST_F(ranks, give_the_bytes_of_one_process) {
  const std::string floats = npy("f.npy", random<float>(1'500'000)),
                    doubles = npy("d.npy", random<double>(300'001)),
                    ints = npy("i.npy", random<std::int32_t>(700'001)),
                    items = npy("v.npy", random<double>(700'001)),
                    one = npy("1.npy", random<float>(1)),
                    none = npy("0.npy", std::vector<double>{});
  expect_same(3, "reduce " + floats, {});
  expect_same(7, "reduce " + floats + " --op statistics", {});
  expect_same(4, "reduce " + doubles + " --op exact-sum", {});
  expect_same(2, "reduce " + ints + " --op argmax", {});
  expect_same(3, "reduce " + none + " --op sum", {});
  expect_same(4, "scan " + floats + " --exclusive -o", {"f.npy"});
  expect_same(7, "scan " + ints + " -o", {"i.bin"});
  expect_same(3, "scan " + none + " -o", {"0.npy"});
  expect_same(2, "scan " + one + " -o", {"1.npy"});
  expect_same(1, "sort " + ints + " -o", {"i.npy"});
  expect_same(7, "sort " + doubles + " --descending -o", {"d.npy"});
  expect_same(4, "sort " + one + " -o", {"1.npy"});
  expect_same(2, "sort " + none + " -o", {"0.npy"});
}

/// 32 MiB of few keys in 16 MiB a rank: runs are merged, and equal keys keep their order.
TEST_F(ranks, sort_more_than_their_memory) {
  auto keys = random<std::int32_t>(4'000'000);
  for (auto& k : keys) k %= 1000;
  std::vector<std::int32_t> items(keys.size());
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::int32_t>(i);
  const std::string arguments =
      "sort " + npy("k.npy", keys) + " --values " + npy("v.npy", items) + " --memory 16MiB";
  ASSERT_EQ(run(arguments + " -o " + path("k1") + " --values-out " + path("v1")).code, 0);
  const outcome o = run_ranks(3, arguments + " -o " + path("k3") + " --values-out " + path("v3"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(shell("cmp " + path("k1") + " " + path("k3")).code, 0);
  EXPECT_EQ(shell("cmp " + path("v1") + " " + path("v3")).code, 0);
}

TEST_F(ranks, fail_together_with_one_line) {
  const std::string in = npy("a.npy", random<std::int64_t>(500'000));
  const std::string old = write("out.npy", "precious");
  const auto before = names();
  const std::string scan = "scan " + in + " --force -o " + old;
  expect_failure(run_ranks(3, scan, on_rank(2, faults + "full:0")), 4, "rank 2 of 3: ");
  expect_failure(
      run_ranks(3, scan, on_rank(1, faults + "late") + " " + on_rank(2, faults + "full:0")), 4,
      "rank 2 of 3: ");
  expect_failure(run_ranks(3, scan, on_rank(1, faults + "eio:0")), 4, "rank 1 of 3: ");
  expect_failure(run_ranks(3, scan, on_rank(1, faults + "sync")), 4, "can't be written");
  expect_failure(run_ranks(3, scan, on_rank(0, faults + "rename")), 4, "rank 0 of 3: ");
  expect_failure(run_ranks(2, "sort " + in + " --force -o " + old, on_rank(1, faults + "full:0")),
                 4, "No space left");
  expect_failure(run_ranks(2, "reduce " + path("none.npy")), 4, "check the path");
  // One rank sees another file than the others: none there, and a shorter one.
  const auto in_folder = [&](const std::string& name) {
    std::filesystem::create_directory(path(name));
    return on_rank(1, "cd " + path(name));
  };
  const std::string here = "cd " + folder_.string() + "; ";
  expect_failure(shell(here + mpirun(2, in_folder("x")) + "reduce a.npy"), 4, "rank 1 of 2: ");
  const std::string shorter = in_folder("y");
  npy("y/a.npy", random<std::int64_t>(10));
  expect_failure(shell(here + mpirun(2, shorter) + "reduce a.npy"), 4, "on another rank");
  expect_failure(run_ranks(2, "reduce - --type i32"), 2, "write it to a file");
  expect_failure(run_ranks(2, "scan " + in + " -o -"), 2, "name one");
  std::filesystem::remove_all(path("x"));
  std::filesystem::remove_all(path("y"));
  EXPECT_EQ(names(), before);
  EXPECT_EQ(std::filesystem::file_size(old), 8U);
}

/// The sort of rank 1 stands still for three seconds after its runs are written.
TEST_F(ranks, find_an_input_that_changes) {
  const std::string in = npy("a.npy", random<std::int32_t>(1000));
  std::thread writer([&] {
    for (int i = 0; i < 40; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(75));
      std::filesystem::last_write_time(in, std::filesystem::file_time_type::clock::now());
    }
  });
  const outcome o = run_ranks(2, "sort " + in + " -o " + path("out"), on_rank(1, faults + "stall"));
  writer.join();
  expect_failure(o, 4, "was written to while it was read");
  EXPECT_EQ(names(), std::vector<std::string>{"a.npy"});
}

TEST_F(ranks, need_the_same_words) {
  const std::string in = npy("a.npy", random<float>(10));
  const outcome o =
      shell(mpirun(1) + "reduce " + in + " : -n 1 " WARPFOLD_PROGRAM " reduce " + in + " --op max");
  expect_failure(o, 2, "different commands");
}

/// Whoever is killed, and whenever: the old file or the whole new one, and nothing beside it; and
/// no rank goes on. mpirun is ended where it does not end by itself: that of Open MPI 4.1 may wait
/// for itself for ever (in PMIx_server_finalize) when a process died that was about to report.
TEST_F(ranks, leave_nothing_torn_when_one_is_killed) {
  const std::string in = npy("a.npy", random<std::int32_t>(1'000'000)), whole = path("whole");
  ASSERT_EQ(run("sort " + in + " -o " + whole).code, 0);
  const auto system = [](const std::string& words) {
    return WEXITSTATUS(std::system((words + " > /dev/null 2>&1 < /dev/null").c_str()));
  };
  std::atomic<int> killed = 0;
  const auto kill_one = [&](int run, std::chrono::milliseconds wait) {
    const std::string folder = "run" + std::to_string(run);
    std::filesystem::create_directory(path(folder));
    const std::string out = write(folder + "/out", "precious");
    const std::string ours = "pgrep -f 'warpfold-sort(-mpi)? .*" + out + "'";
    bool are_gone = false;
    std::thread killer([&] {
      std::this_thread::sleep_for(wait);
      system("pid=$(" + ours + " | shuf -n 1); [ -n \"$pid\" ] && kill -9 $pid");
      for (int k = 0; k < 50 && !are_gone; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        are_gone = system(ours) != 0;
      }
    });
    const int code =
        system("timeout -s KILL 10 " + mpirun(3) + "sort " + in + " --force -o " + out);
    killer.join();
    EXPECT_TRUE(are_gone) << wait.count() << " ms";
    const bool is_whole = system("cmp -s " + out + " " + whole) == 0;
    EXPECT_TRUE(is_whole || std::filesystem::file_size(out) == 8U) << wait.count() << " ms";
    EXPECT_TRUE(is_whole || code != 0) << wait.count() << " ms";
    const auto files = [&] {
      const std::filesystem::directory_iterator all(path(folder));
      return std::distance(begin(all), end(all));
    };
    // One that rank 0 had made and not told of yet is removed by the next that makes one there.
    if (files() > 1) system(mpirun(2) + "sort " + in + " --force -o " + out);
    EXPECT_EQ(files(), 1) << wait.count() << " ms";
    killed += code != 0;
  };
  for (int i = 0; i < 20; i += 5) {
    std::vector<std::jthread> runs;
    for (int k = i; k < i + 5; ++k) {
      runs.emplace_back(kill_one, k, std::chrono::milliseconds(100 + random_() % 900));
    }
  }
  EXPECT_GT(killed, 0);
}

/// A build without MPI has no second program.
TEST_F(ranks, are_refused_without_mpi) {
  const std::string in = npy("a.npy", random<float>(10));
  std::filesystem::create_directory(path("bin"));
  std::filesystem::copy(WARPFOLD_REDUCE, path("bin"));
  const outcome o = shell("OMPI_COMM_WORLD_SIZE=2 " + path("bin/warpfold-reduce ") + in);
  expect_failure(o, 3, "was started by MPI, and was built without it");
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 " + path("bin/warpfold-reduce ") + in).code, 0);
}

}  // namespace
}  // namespace warpfold::cli
