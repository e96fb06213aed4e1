// What the pipeline makes of the link between host and device: reductions and scans of pinned host
// memory, and a reduction of a file in the page cache, beside plain copies of it, in one run.
//   warpfold_bench_link [GiB [FOLDER]]   the file goes to FOLDER, and is removed
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "bench/device/run_info.cuh"
#include "commit.hpp"
#include "data/number_input.hpp"
#include "files/reduce.hpp"
#include "measure/json.hpp"
#include "warpfold/device/convert.cuh"
#include "warpfold/device/passage.cuh"
#include "warpfold/device/reduce_calls.cuh"
#include "warpfold/device/scan_calls.cuh"

namespace warpfold::bench {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{32} << 20;
constexpr unsigned lanes = 4, samples = 7;

/// Pinned memory of both directions, and as much of the device's.
struct setting {
  explicit setting(std::size_t gibibytes) : n((gibibytes << 30) / sizeof(std::int32_t)) {
    in = static_cast<std::int32_t*>(room.allocate(bytes(), 4096));
    out = static_cast<std::int32_t*>(room.allocate(bytes(), 4096));
    require(room.refused() ? cudaErrorMemoryAllocation : cudaSuccess, "pin memory");
    for (void** p : {&device_in, &device_out}) require(cudaMalloc(p, bytes()), "take memory");
    for (cudaStream_t* s : {&there, &back}) {
      require(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "make a stream");
    }
    std::uint64_t state = std::chrono::steady_clock::now().time_since_epoch().count() | 1;
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      in[i] = static_cast<std::int32_t>(state >> 54) - 512;
      sum += in[i];
    }
  }
  [[nodiscard]] std::size_t bytes() const { return n * sizeof(std::int32_t); }

  pinned_memory room;
  std::size_t n;
  std::int32_t *in = nullptr, *out = nullptr;
  void *device_in = nullptr, *device_out = nullptr;
  cudaStream_t there = nullptr, back = nullptr;
  std::int64_t sum = 0;
  std::vector<measure::measurement> rows;

  /// `run` returns when all is done.
  void time(const std::string& name, const std::function<void()>& run,
            const std::function<bool()>& right) {
    measure::measurement m;
    m.ladder = "link";
    m.name = name;
    m.backend = "cuda";
    m.op = "sum";
    m.type = "i32";
    m.n = n;
    m.useful_bytes = bytes();
    m.timing.emplace();
    m.verdict.right = true;
    for (unsigned i = 0; i <= samples; ++i) {
      std::fill_n(out, n, -1);
      const auto start = std::chrono::steady_clock::now();
      run();
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      if (i > 0) m.timing->samples_us.push_back(took.count());  // the first one warms up
      m.verdict.right = m.verdict.right && right();
    }
    std::fprintf(stderr, "%-28s %7.2f GB/s  %s\n", name.c_str(),
                 static_cast<double>(bytes()) / m.timing->median() / 1000,
                 m.verdict.right ? "right" : "WRONG");
    rows.push_back(std::move(m));
  }

  void copy(cudaMemcpyKind kind) const {
    const bool in_there = kind == cudaMemcpyHostToDevice;
    require(in_there ? cudaMemcpyAsync(device_in, in, bytes(), kind, there)
                     : cudaMemcpyAsync(out, device_out, bytes(), kind, back),
            "copy");
  }
  void wait() const { require(cudaDeviceSynchronize(), "wait"); }
};

auto lent(const setting& s) {
  return [&s](std::uint64_t offset, std::size_t most) {
    const std::size_t at = std::min<std::size_t>(offset, s.bytes());
    return std::span(reinterpret_cast<std::byte*>(s.in) + at, std::min(most, s.bytes() - at));
  };
}

void time_reduction(setting& s) {
  pipeline line({.chunk_bytes = chunk_bytes, .lanes = lanes});
  device_passage passage(line, sizeof(std::int64_t));
  std::vector<std::int64_t*> partial(lanes);
  for (auto& p : partial)
    p = static_cast<std::int64_t*>(s.room.allocate(sizeof *p, alignof(double)));
  std::atomic<std::int64_t> sum = 0;
  s.time(
      "reduce from the host",
      [&] {
        sum = 0;
        line.run({.lend = lent(s),
                  .turn =
                      [&](const pipeline::chunk& c) {
                        passage.send(c, {partial[c.lane], sizeof(std::int64_t)},
                                     [&](std::byte* from, std::byte* to, cudaStream_t stream) {
                                       reduce_into(
                                           device.on(stream),
                                           std::span(reinterpret_cast<const std::int32_t*>(from),
                                                     c.bytes.size() / 4),
                                           reinterpret_cast<std::int64_t*>(to))
                                           .throw_if_failed("reduce_into");
                                     });
                      },
                  .finish =
                      [&](const pipeline::chunk& c) {
                        passage.wait(c);
                        sum += *partial[c.lane];
                      }});
      },
      [&] { return sum == s.sum; });
  for (auto* p : partial) s.room.deallocate(p, sizeof *p, alignof(double));
}

void time_scan(setting& s) {
  pipeline line({.chunk_bytes = chunk_bytes, .lanes = lanes});
  device_passage passage(line, chunk_bytes + 4);
  device_value<std::int32_t> carry(0);
  const auto enqueue = [&](std::size_t n, std::byte* from, std::byte* to, cudaStream_t stream) {
    auto* const prefix = reinterpret_cast<std::int32_t*>(to);
    const std::span all(prefix, n + 1);
    copy_async(prefix, carry.get(), 4, stream).throw_if_failed("carry");
    copy_async(prefix + 1, from, 4 * n, stream).throw_if_failed("values");
    inclusive_scan(device.on(stream), all, all).throw_if_failed("scan");
    copy_async(carry.get(), prefix + n, 4, stream).throw_if_failed("carry");
  };
  s.time(
      "scan from and to the host",
      [&] {
        const std::int32_t zero = 0;
        require(cudaMemcpy(carry.get(), &zero, 4, cudaMemcpyHostToDevice), "start");
        line.run({.lend = lent(s),
                  .turn =
                      [&](const pipeline::chunk& c) {
                        auto* const to = reinterpret_cast<std::byte*>(s.out) + c.offset;
                        passage.send(c, {to, c.bytes.size(), 4},
                                     [&](std::byte* from, std::byte* into, cudaStream_t stream) {
                                       enqueue(c.bytes.size() / 4, from, into, stream);
                                     });
                      },
                  .finish = [&](const pipeline::chunk& c) { passage.wait(c); }});
      },
      [&] {
        std::uint32_t prefix = 0;
        for (std::size_t i = 0; i < s.n; ++i) {
          prefix += static_cast<std::uint32_t>(s.in[i]);
          if (s.out[i] != static_cast<std::int32_t>(prefix)) return false;
        }
        return true;
      });
}

/// The input as a file that is gone again afterwards.
class cached_file {
 public:
  cached_file(const setting& s, const std::filesystem::path& folder)
      : path_(folder / "warpfold-bench-link.raw") {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(s.in), static_cast<std::streamsize>(s.bytes()));
    if (!file.flush()) throw error("cannot write " + path_.string());
    ::sync();  // or the disk takes part of the time
  }
  ~cached_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  cached_file(const cached_file&) = delete;
  cached_file& operator=(const cached_file&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void time_file(setting& s, const std::filesystem::path& folder) {
  const cached_file file(s, folder);
  files::reduced result;
  s.time(
      "reduce a file in the page cache",
      [&] {
        data::number_input in(file.path(), value_type::i32);
        result = files::reduce_all(in, files::reduction::sum, {.on_device = true});
      },
      [&] { return std::get<std::int64_t>(result.front().second) == s.sum; });
}

int run(std::size_t gibibytes, const char* folder) {
  setting s(gibibytes);
  const auto always = [] { return true; };
  s.time(
      "copy there", [&] { s.copy(cudaMemcpyHostToDevice), s.wait(); }, always);
  s.time(
      "copy back", [&] { s.copy(cudaMemcpyDeviceToHost), s.wait(); }, always);
  s.time(
      "copy both ways at once",
      [&] {
        s.copy(cudaMemcpyHostToDevice);
        s.copy(cudaMemcpyDeviceToHost);
        s.wait();
      },
      always);
  time_reduction(s);
  time_scan(s);
  std::string command = "warpfold_bench_link " + std::to_string(gibibytes);
  if (folder != nullptr) {
    time_file(s, folder);
    command += " FOLDER";
  }
  std::puts(measure::json_document(s.rows, cuda_run_info(commit, command)).c_str());
  return std::all_of(s.rows.begin(), s.rows.end(), [](const auto& m) { return m.verdict.right; })
             ? 0
             : 1;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    const int gibibytes = argc > 1 ? std::atoi(argv[1]) : 4;
    if (gibibytes < 1) {
      std::fprintf(stderr,
                   "usage: warpfold_bench_link [GiB of pinned memory, each way [FOLDER]]\n");
      return 2;
    }
    return warpfold::bench::run(static_cast<std::size_t>(gibibytes), argc > 2 ? argv[2] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_link: %s\n", e.what());
    return 3;
  }
}
