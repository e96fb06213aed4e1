// The CPU machine beside Oclgrind, which runs OpenCL kernels on a CPU and finds their races: the
// same tree of 512 values in shared memory, 2^20 threads, plain and with all checks.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/cases/output_of.hpp"
#include "bench/cases/rung_12.hpp"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"

namespace warpfold::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t threads = std::size_t{1} << 20;
constexpr unsigned block = 512;

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

  candidate observed(const std::string& name, const std::string& options) {
    measure::measurement record{.ladder = "simt", .name = name, .n = threads};
    record.reference = true;
    record.type = "i32", record.op = "sum", record.block = block, record.useful_bytes = threads * 4;
    return {record,
            [this, options](std::size_t) {
              out_ = output_of(fmt::format("cd '{}' && oclgrind-kernel {} reduce.sim",
                                           folder_.string(), options));
            },
            true,
            [this](std::size_t, std::size_t) {
              const auto last = fmt::format("out[{}] = {}", threads / block - 1, block);
              return one_result(out_.find(last) != std::string::npos, "it did not add up");
            }};
  }

 private:
  fs::path folder_;
  std::string out_;
};

void run_all(session& s) {
  rung_12 rung(threads, block);
  std::vector<candidate> all{
      rung.observed("CPU machine", {}), rung.observed("CPU machine, all checks", {.check = true}),
      rung.observed("CPU machine, all checks and counters", {.count = true, .check = true})};
  std::optional<simulation> other;
  if (std::system("oclgrind-kernel --version >/dev/null 2>&1") == 0) {
    other.emplace();
    all.push_back(other->observed("Oclgrind", ""));
    all.push_back(other->observed("Oclgrind, --data-races", "--data-races"));
  } else {
    std::fprintf(stderr,
                 "skipped: there is no oclgrind-kernel here; ./dev bench oclgrind installs it\n");
  }
  s.add(time_on_host(s.samples(3), {}, all));
}

}  // namespace

const bench_program program{"oclgrind", "", "", run_all, nullptr, host_run_info};

}  // namespace warpfold::bench
