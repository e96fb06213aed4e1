// What the pipeline makes of the link between host and device: reductions and scans of pinned host
// memory, and a reduction of a file in the page cache, beside plain copies of it, in one run.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "bench/harness/device_memory.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/host_timer.hpp"
#include "bench/harness/program.hpp"
#include "data/number_input.hpp"
#include "files/reduce.hpp"
#include "warpfold/device/detail/convert.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/device/stage.cuh"

namespace warpfold::bench {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{32} << 20;
constexpr unsigned slot_count = 4;

/// Pinned memory of both directions, and as much of the device's.
struct setting {
  explicit setting(std::size_t gibibytes)
      : n((gibibytes << 30) / sizeof(std::int32_t)), device_in(n), device_out(n) {
    in = static_cast<std::int32_t*>(room.allocate(bytes(), 4096));
    out = static_cast<std::int32_t*>(room.allocate(bytes(), 4096));
    cuda_check(room.refused() ? cudaErrorMemoryAllocation : cudaSuccess, "pin memory");
    for (cudaStream_t* s : {&there, &back}) {
      cuda_check(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking), "make a stream");
    }
    std::uint64_t state = std::chrono::steady_clock::now().time_since_epoch().count() | 1;
    for (std::size_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      in[i] = static_cast<std::int32_t>(state >> 54) - 512;
      sum += in[i];
    }
    cuda_check(cudaMemcpy(device_out.data(), in, bytes(), cudaMemcpyHostToDevice), "copy");
  }
  setting(const setting&) = delete;
  setting& operator=(const setting&) = delete;
  ~setting() {
    cudaStreamDestroy(there);
    cudaStreamDestroy(back);
    room.deallocate(in, bytes(), 4096);
    room.deallocate(out, bytes(), 4096);
  }
  [[nodiscard]] std::size_t bytes() const { return n * sizeof(std::int32_t); }

  pinned_memory room;
  std::size_t n;
  device_buffer<std::int32_t> device_in, device_out;
  std::int32_t *in = nullptr, *out = nullptr;
  cudaStream_t there = nullptr, back = nullptr;
  std::int64_t sum = 0;

  /// `run` returns when all is done.
  [[nodiscard]] measurements time(session& s, const std::string& name,
                                  const std::function<void()>& run,
                                  const std::function<bool()>& right) {
    measure::measurement m;
    m.ladder = "link", m.name = name, m.backend = measure::backend_kind::cuda, m.op = "sum",
    m.type = "i32", m.n = n;
    m.useful_bytes = bytes();
    const candidate only{m, [&](std::size_t) { run(); }};
    const slots memory{.renew = [&] { std::fill_n(out, n, -1); },
                       .check = [&](std::size_t, std::size_t) { return one_result(right()); }};
    return time_on_host(s.samples(7), memory, std::span(&only, 1));
  }

  void copy(cudaMemcpyKind kind) const {
    const bool in_there = kind == cudaMemcpyHostToDevice;
    cuda_check(in_there ? cudaMemcpyAsync(device_in.data(), in, bytes(), kind, there)
                        : cudaMemcpyAsync(out, device_out.data(), bytes(), kind, back),
               "copy");
  }
  void wait() const { cuda_check(cudaDeviceSynchronize(), "wait"); }
  [[nodiscard]] bool came_back() const { return std::equal(in, in + n, out); }
};

auto lent(const setting& s) {
  return [&s](std::uint64_t offset, std::size_t most) {
    const std::size_t at = std::min<std::size_t>(offset, s.bytes());
    return std::span(reinterpret_cast<std::byte*>(s.in) + at, std::min(most, s.bytes() - at));
  };
}

measurements time_reduction(session& now, setting& s) {
  pipeline line({.chunk_bytes = chunk_bytes, .slots = slot_count});
  device_stage stage(line, sizeof(std::int64_t));
  std::vector<std::int64_t*> partial(slot_count);
  for (auto& p : partial)
    p = static_cast<std::int64_t*>(s.room.allocate(sizeof *p, alignof(double)));
  std::atomic<std::int64_t> sum = 0;
  auto rows = s.time(
      now, "reduce from the host",
      [&] {
        sum = 0;
        line.run({.borrow = lent(s),
                  .in_order =
                      [&](const pipeline::chunk& c) {
                        stage.enqueue_chunk(
                            c, {partial[c.slot], sizeof(std::int64_t)},
                            [&](std::byte* from, std::byte* to, cudaStream_t stream) {
                              reduce_into(device.on(stream),
                                          std::span(reinterpret_cast<const std::int32_t*>(from),
                                                    c.bytes.size() / 4),
                                          reinterpret_cast<std::int64_t*>(to))
                                  .throw_if_failed("reduce_into");
                            });
                      },
                  .finish =
                      [&](const pipeline::chunk& c) {
                        stage.wait(c);
                        sum += *partial[c.slot];
                      }});
      },
      [&] { return sum == s.sum; });
  for (auto* p : partial) s.room.deallocate(p, sizeof *p, alignof(double));
  return rows;
}

measurements time_scan(session& now, setting& s) {
  pipeline line({.chunk_bytes = chunk_bytes, .slots = slot_count});
  device_stage stage(line, chunk_bytes + 4);
  detail::device_value<std::int32_t> carry(0);
  const auto enqueue = [&](std::size_t n, std::byte* from, std::byte* to, cudaStream_t stream) {
    auto* const prefix = reinterpret_cast<std::int32_t*>(to);
    const std::span all(prefix, n + 1);
    detail::copy_async(prefix, carry.get(), 4, stream).throw_if_failed("carry");
    detail::copy_async(prefix + 1, from, 4 * n, stream).throw_if_failed("values");
    inclusive_scan(device.on(stream), all, all).throw_if_failed("scan");
    detail::copy_async(carry.get(), prefix + n, 4, stream).throw_if_failed("carry");
  };
  return s.time(
      now, "scan from and to the host",
      [&] {
        const std::int32_t zero = 0;
        cuda_check(cudaMemcpy(carry.get(), &zero, 4, cudaMemcpyHostToDevice), "start");
        line.run({.borrow = lent(s),
                  .in_order =
                      [&](const pipeline::chunk& c) {
                        auto* const to = reinterpret_cast<std::byte*>(s.out) + c.offset;
                        stage.enqueue_chunk(
                            c, {to, c.bytes.size(), 4},
                            [&](std::byte* from, std::byte* into, cudaStream_t stream) {
                              enqueue(c.bytes.size() / 4, from, into, stream);
                            });
                      },
                  .finish = [&](const pipeline::chunk& c) { stage.wait(c); }});
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

measurements time_file(session& now, setting& s, const std::filesystem::path& folder) {
  const cached_file file(s, folder);
  files::reduced result;
  return s.time(
      now, "reduce a file in the page cache",
      [&] {
        data::number_input in(file.path(), value_type::i32);
        result = files::reduce_all(in, files::reduction::sum, {.on_device = true});
      },
      [&] { return std::get<std::int64_t>(result.front().second) == s.sum; });
}

void run_all(session& now) {
  setting s(now.args.word(0, 4));
  now.add(s.time(
      now, "copy there", [&] { s.copy(cudaMemcpyHostToDevice), s.wait(); },
      [&] {
        cuda_check(cudaMemcpy(s.out, s.device_in.data(), s.bytes(), cudaMemcpyDeviceToHost),
                   "look");
        return s.came_back();
      }));
  now.add(s.time(
      now, "copy back", [&] { s.copy(cudaMemcpyDeviceToHost), s.wait(); },
      [&] { return s.came_back(); }));
  now.add(s.time(
      now, "copy both ways at once",
      [&] {
        s.copy(cudaMemcpyHostToDevice);
        s.copy(cudaMemcpyDeviceToHost);
        s.wait();
      },
      [&] { return s.came_back(); }));
  now.add(time_reduction(now, s));
  now.add(time_scan(now, s));
  if (now.args.words().size() > 1) now.add(time_file(now, s, now.args.words()[1]));
}

}  // namespace

/// The file goes to FOLDER, and is removed.
const bench_program program{"link",  "",      "[GiB of pinned memory, each way [FOLDER]]",
                            run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
