// The commands on files under mpirun: the same bytes as by one process alone, all of them or none.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <stop_token>
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

  /// All of these, several at once: most of their time is mpirun's, which waits.
  static void together(const std::vector<std::function<void()>>& parts) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (int w = 0; w < 8; ++w) {
      workers.emplace_back([&] {
        for (std::size_t i = 0; (i = next++) < parts.size();) parts[i]();
      });
    }
  }

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
    }
  }
  /// Refused with one line of one rank, and this exit code. What mpirun's event loop says of itself
  /// while a killed rank's pipes close is not the command's.
  static void expect_failure(const outcome& o, int code, const std::string& says) {
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(says));
    std::istringstream lines(o.err);
    int own = 0;
    for (std::string line; std::getline(lines, line);) own += line.starts_with("[warn] ") ? 0 : 1;
    EXPECT_EQ(own, 1) << o.err;
  }
};

TEST_F(ranks, give_the_bytes_of_one_process) {
  const std::string floats = npy("f.npy", random<float>(1'500'000)),
                    doubles = npy("d.npy", random<double>(300'001)),
                    ints = npy("i.npy", random<std::int32_t>(700'001)),
                    one = npy("1.npy", random<float>(1)),
                    none = npy("0.npy", std::vector<double>{}),
                    everywhere = " --determinism gpu_to_gpu";
  together({[&] { expect_same(3, "reduce " + floats, {}); },
            [&] { expect_same(7, "reduce " + floats + " --op statistics", {}); },
            [&] { expect_same(4, "reduce " + doubles + " --op exact-sum", {}); },
            [&] { expect_same(2, "reduce " + ints + " --op argmax", {}); },
            [&] { expect_same(3, "reduce " + none + " --op sum", {}); },
            [&] { expect_same(4, "scan " + floats + " --exclusive -o", {"f4.npy"}); },
            [&] { expect_same(7, "scan " + ints + " -o", {"i7.bin"}); },
            [&] { expect_same(4, "scan " + floats + everywhere + " -o", {"e4.npy"}); },
            [&] { expect_same(3, "reduce " + doubles + everywhere + " --op product", {}); },
            [&] { expect_same(7, "reduce " + floats + everywhere + " --op statistics", {}); },
            [&] { expect_same(3, "scan " + none + " -o", {"03.npy"}); },
            [&] { expect_same(2, "scan " + one + " -o", {"12.npy"}); },
            [&] { expect_same(1, "sort " + ints + " -o", {"i1.npy"}); },
            [&] { expect_same(7, "sort " + doubles + " --descending -o", {"d7.npy"}); },
            [&] { expect_same(4, "sort " + one + " -o", {"14.npy"}); },
            [&] { expect_same(2, "sort " + none + " -o", {"02.npy"}); },
            // one file each, and any number of files
            [&] { expect_same(2, "reduce " + floats + " " + one, {}); },
            [&] { expect_same(3, "scan " + ints + " " + ints + " -o", {"i3.npy"}); },
            [&] {
              expect_same(2, "sort " + doubles + " " + none + " " + doubles + " -o", {"d2.npy"});
            }});
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
  for (const char* f : {"x", "y", "z", "sub", "v/sub"}) {
    std::filesystem::create_directories(path(f));
  }
  for (const char* f : {"z", "v"}) std::filesystem::copy(in, path(f));
  npy("y/a.npy", random<std::int64_t>(10));
  npy("b.npy", random<std::int64_t>(10));
  npy("y/b.npy", random<std::int64_t>(500'000));  // so that both have as many in all
  std::filesystem::copy(in, path("cut.npy"));
  std::filesystem::resize_file(path("cut.npy"), 3'000'000);  // of 4: shorter than its slices
  for (int i = 0; i < 7; ++i) write("out" + std::to_string(i), "precious");
  const auto before = names();
  const auto over = [&](const char* command, int i) {
    return command + (" " + in) + " --force -o " + path("out" + std::to_string(i));
  };
  const auto check = [&](int many, const std::string& call, const std::string& wrapper, int code,
                         const std::string& says) {
    return [=, this] { expect_failure(run_ranks(many, call, wrapper), code, says); };
  };
  const auto fault = [&](int rank, const char* what) { return on_rank(rank, faults + what); };
  // One rank sees other files than the others: none there, a shorter one, no folder for the
  // output, and another one.
  const auto here = [&](const char* folder, const std::string& call, const char* says) {
    return [=, this] {
      const std::string there = on_rank(1, "cd " + path(folder));
      expect_failure(shell("cd " + folder_.string() + "; " + mpirun(2, there) + call), 4, says);
    };
  };
  together(
      {check(3, over("scan", 0), fault(2, "full:0"), 4, "rank 2 of 3: "),
       check(3, over("scan", 1), fault(1, "late") + " " + fault(2, "full:0"), 4, "rank 2 of 3: "),
       check(3, over("scan", 2), fault(1, "eio:0"), 4, "rank 1 of 3: "),
       check(3, over("scan", 3), fault(1, "sync"), 4, "can't be written"),
       check(3, over("scan", 4), fault(0, "rename"), 4, "rank 0 of 3: "),
       check(2, over("sort", 5), fault(1, "full:0"), 4, "No space left"),
       check(3, over("scan", 6), fault(1, "single"), 4, "rank 1 of 3: this MPI does not support"),
       check(2, "reduce " + path("none.npy"), "", 4, "check the path"),
       check(3, "reduce " + path("cut.npy"), "", 4, "rank 0 of 3: "),
       here("z", "scan a.npy -o sub/out", "rank 1 of 2: 'sub/out': can't be written"),
       here("v", "scan a.npy -o sub/out", "was created by the first rank and can't be opened here"),
       here("x", "reduce a.npy", "rank 1 of 2: "), here("y", "reduce a.npy", "on another rank"),
       here("y", "reduce a.npy b.npy", "on another rank")});
  EXPECT_EQ(names(), before);
  for (const char* f : {"sub", "v/sub"}) EXPECT_TRUE(std::filesystem::is_empty(path(f))) << f;
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(std::filesystem::file_size(path("out" + std::to_string(i))), 8U);
  }
}

/// Whether it is the words or what they ask for that makes no sense, and whoever finds it.
TEST_F(ranks, refuse_a_call_with_one_line) {
  const std::string in = npy("a.npy", random<float>(10));
  const auto refused = [&](const std::string& call, const std::string& says) {
    return [=, this] { expect_failure(run_ranks(3, call), 2, says); };
  };
  const auto other = [&](const std::string& words, const std::string& says) {
    return [=, this] {
      expect_failure(shell(mpirun(1) + "reduce " + in + " : -n 1 " WARPFOLD_PROGRAM " " + words +
                           " < /dev/null"),
                     2, says);
    };
  };
  together({refused("redcue " + in, "did you mean reduce?"), refused("reduce", "file is required"),
            refused("reduce " + in + " --opp max", "did you mean --op?"),
            refused("reduce " + in + " --op mux", "must be one of sum"),
            refused("reduce " + in + " --memory 1KiB", "give it at least"),
            refused("reduce - --type i32", "write it to a file"),
            refused("scan " + in + " -o -", "name a file"),
            other("reduce " + in + " --op max", "different arguments"),
            other("reduce --opp", "rank 1 of 2: "), other("redcue", "did you mean reduce?")});
  const outcome help = run_ranks(3, "reduce --help");
  EXPECT_EQ(help.code, 0) << help.err;
  EXPECT_EQ(help.out, run("reduce --help").out);
}

/// The sort of rank 1 stands still for a second after its runs are written.
TEST_F(ranks, find_an_input_that_changes) {
  const std::string in = npy("a.npy", random<std::int32_t>(1000));
  std::jthread writer([&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(75));
      std::filesystem::last_write_time(in, std::filesystem::file_time_type::clock::now());
    }
  });
  const outcome o =
      run_ranks(2, "sort " + in + " -o " + path("out"), on_rank(1, faults + "stall:1"));
  writer.request_stop();
  writer.join();
  expect_failure(o, 4, "was written to while it was read");
  EXPECT_EQ(names(), std::vector<std::string>{"a.npy"});
}

/// Whoever is killed, and whenever: the old file or the whole new one, nothing beside it, no rank
/// that goes on; and where it is a rank's program, a line that says so and exit code 4. mpirun is
/// ended where it does not end by itself: that of Open MPI 4.1 may wait for itself for ever (in
/// PMIx_server_finalize) when a process died that was about to report. Rarely, it ends with 1, when
/// it misses the connection before it learns of the code.
TEST_F(ranks, leave_nothing_torn_when_one_is_killed) {
  const std::string in = npy("a.npy", random<std::int32_t>(1'000'000)), whole = path("whole");
  ASSERT_EQ(run("sort " + in + " -o " + whole).code, 0);
  const auto system = [](const std::string& words) {
    return WEXITSTATUS(std::system((words + " > /dev/null 2>&1 < /dev/null").c_str()));
  };
  std::atomic<int> killed = 0, by_mpirun = 0;
  const auto kill_one = [&](int run, std::chrono::milliseconds wait) {
    const std::string folder = "run" + std::to_string(run);
    std::filesystem::create_directory(path(folder));
    const std::string out = write(folder + "/out", "precious");
    const auto ours = [&](const char* program) {
      return "pgrep -f '" + std::string(program) + " .*" + out + "'";
    };
    // A rank's program, or, now and then, what waits for it, or mpirun.
    const bool front = run % 5 == 4, launcher = run % 10 == 3;
    const std::string victim = ours(front      ? "warpfold-sor[t]"
                                    : launcher ? "^" WARPFOLD_MPIRUN
                                               : "warpfold-sort-mp[i]");
    const auto poll = [](const auto& reached) {
      for (int k = 0; k < 50 && !reached(); ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
    };
    std::atomic<bool> hit = false;
    std::thread killer([&] {
      poll([&] { return system(victim) == 0; });
      std::this_thread::sleep_for(wait);
      hit = system("pid=$(" + victim + " | shuf -n 1); [ -n \"$pid\" ] && kill -9 $pid") == 0;
    });
    const outcome o = shell("timeout -s KILL 10 " + mpirun(3) + "sort " + in + " --force -o " +
                            out + " < /dev/null");
    killer.join();
    bool are_gone = false;  // ranks of an mpirun that hung end after it
    poll([&] { return are_gone = system(ours("warpfold-sort(-mpi)?")) != 0; });
    const std::string when = std::to_string(wait.count()) + " ms: " + o.err;
    EXPECT_TRUE(are_gone) << when;
    const bool is_whole = system("cmp -s " + out + " " + whole) == 0;
    EXPECT_TRUE(is_whole || std::filesystem::file_size(out) == 8U) << when;
    EXPECT_TRUE(is_whole || o.code != 0) << when;
    const bool mpirun_hung = o.code == 128 + SIGKILL;
    if (o.code != 0 && !front && !launcher && !mpirun_hung) {
      expect_failure(o, o.code == 1 ? 1 : 4, "ended by signal 9");
      by_mpirun += o.code == 1 ? 1 : 0;
    }
    const std::filesystem::directory_iterator all(path(folder));
    EXPECT_EQ(std::distance(begin(all), end(all)), 1) << when;
    killed += hit && o.code != 0 ? 1 : 0;
  };
  std::vector<std::function<void()>> runs;
  for (int i = 0; i < 20; ++i) {
    const std::chrono::milliseconds wait(random_() % 400);
    runs.emplace_back([=] { kill_one(i, wait); });
  }
  together(runs);
  EXPECT_GT(killed, 0);
  EXPECT_LE(by_mpirun, 2);
}

/// A build without MPI has no second program.
TEST_F(ranks, are_refused_without_mpi) {
  const std::string in = npy("a.npy", random<float>(10));
  std::filesystem::create_directory(path("bin"));
  std::filesystem::copy(WARPFOLD_REDUCE, path("bin"));
  const outcome o = shell("OMPI_COMM_WORLD_SIZE=2 " + path("bin/warpfold-reduce ") + in);
  expect_failure(o, 3, "was started by MPI but built without it");
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 " + path("bin/warpfold-reduce ") + in).code, 0);
}

}  // namespace
}  // namespace warpfold::cli
