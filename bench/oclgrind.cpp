// The CPU machine beside Oclgrind, which runs OpenCL kernels on a CPU and finds their races: the
// same tree of 512 values in shared memory, 2^20 threads, plain and with all checks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/rung_12.hpp"
#include "simt/launch.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t threads = std::size_t{1} << 20;
constexpr unsigned block = 512;

double seconds(const std::function<void()>& once, int times) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    once();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    all.push_back(took.count());
  }
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[static_cast<std::size_t>(times) / 2];
}

std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  return pclose(pipe) == 0 ? text : "";
}

/// What oclgrind-kernel takes: the kernel, its ranges, its arguments.
class simulation {
 public:
  simulation() {
    std::string name = (fs::temp_directory_path() / "warpfold-oclgrind-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fs::copy_file(WARPFOLD_OCLGRIND_KERNEL, folder_ / "reduce.cl");
    std::ofstream(folder_ / "reduce.sim")
        << fmt::format("reduce.cl\nreduce\n{} 1 1\n{} 1 1\n\n", threads, block)
        << fmt::format("<size={} fill=1>\n", threads * 4)
        << fmt::format("<size={} fill=0 dump>\n<size={}>\n", threads / block * 4, block * 4);
  }
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;
  ~simulation() { fs::remove_all(folder_); }

  void run(const std::string& options) const {
    const std::string out = output_of(
        fmt::format("cd '{}' && oclgrind-kernel {} reduce.sim", folder_.string(), options));
    const auto last = fmt::format("out[{}] = {}", threads / block - 1, block);
    if (out.find(last) != std::string::npos) return;
    std::fprintf(stderr, "oclgrind-kernel did not add up:\n%s\n", out.c_str());
    std::exit(1);
  }

 private:
  fs::path folder_;
};

void print(const char* what, double took) {
  std::printf("%-46s %8.2f s %14.0f threads/s\n", what, took, threads / took);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 3;
  if (times < 1) {
    std::fprintf(stderr, "usage: warpfold_bench_oclgrind [REPETITIONS]\n");
    return 2;
  }
  warpfold::bench::rung_12 rung(threads, block);
  const auto ours = [&](const simt::run_options& options) {
    return seconds(
        [&] {
          const simt::observe scope(options);
          rung.launch();
          if (!scope.findings.empty()) std::abort();
        },
        times);
  };
  print("CPU machine", ours({}));
  print("CPU machine, all checks", ours({.check = true}));
  print("CPU machine, all checks and counters", ours({.count = true, .check = true}));
  if (output_of("oclgrind-kernel --version").empty()) {
    std::fprintf(stderr,
                 "skipped: there is no oclgrind-kernel here; ./dev bench oclgrind installs it\n");
    return 0;
  }
  const simulation other;
  print("Oclgrind", seconds([&] { other.run(""); }, times));
  print("Oclgrind, --data-races", seconds([&] { other.run("--data-races"); }, times));
  return 0;
}
