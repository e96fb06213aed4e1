// Calls across GPUs beside the same calls on one, in one run: all results are checked, times are
// medians of turns. Writes one JSON object: warpfold_multi_gpu OUTPUT DRIVER COMMIT, the last two
// as the JSON shall name them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/cluster/two_devices.cuh"
#include "bench/cluster/values.cuh"
#include "warpfold/nccl.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)

namespace {

using namespace many_devices;  // NOLINT(google-build-using-namespace)
using clock_type = std::chrono::steady_clock;

struct row {
  std::string call, type;
  std::size_t n;
  int gpus;
  double microseconds;
  bool right;
};
std::vector<row> rows;

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// Threads that meet here run on at once: none of them has slept.
class spin_barrier {
 public:
  explicit spin_barrier(int count) : count_(count) {}
  void arrive_and_wait() {
    const unsigned turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == count_) {
      arrived_ = 0;
      turn_.fetch_add(1);
    } else {
      while (turn_.load() == turn) {
      }
    }
  }

 private:
  int count_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> turn_{0};
};

/// The median over turns of the time from when all devices begin until all have ended, where
/// prepare(place) comes before each turn and is not timed.
double timed(const all_devices& devices, int turns, const std::function<void(int)>& prepare,
             const std::function<void(int)>& call) {
  const int count = devices.size();
  std::vector<double> times;
  spin_barrier together(count);
  clock_type::time_point begin;
  devices.run([&](auto place) {
    const int d = place.rank();
    for (int turn = -2; turn < turns; ++turn) {
      prepare(d);
      detail::cuda_check(cudaStreamSynchronize(place.stream()), "cudaStreamSynchronize");
      together.arrive_and_wait();
      if (d == 0) begin = clock_type::now();
      together.arrive_and_wait();
      call(d);
      detail::cuda_check(cudaStreamSynchronize(place.stream()), "cudaStreamSynchronize");
      together.arrive_and_wait();
      if (d == 0 && turn >= 0) {
        times.push_back(
            std::chrono::duration<double, std::micro>(clock_type::now() - begin).count());
      }
    }
  });
  return median(times);
}

void check(const status& s) { s.throw_if_failed("a benchmark"); }
void nothing(int) {}

/// The same of a call that is captured once and launched as a graph.
double timed_graph(const all_devices& devices, int turns, const std::function<void(int)>& call) {
  const auto ran = [](cudaError_t e) { detail::cuda_check(e, "a graph"); };
  std::vector<cudaGraphExec_t> graphs(static_cast<std::size_t>(devices.size()));
  devices.run([&](auto place) {
    ran(cudaStreamBeginCapture(place.stream(), cudaStreamCaptureModeThreadLocal));
    call(place.rank());
    cudaGraph_t captured = nullptr;
    ran(cudaStreamEndCapture(place.stream(), &captured));
    ran(cudaGraphInstantiate(&graphs[static_cast<std::size_t>(place.rank())], captured, 0));
    ran(cudaGraphDestroy(captured));
  });
  const double time = timed(devices, turns, nothing, [&](int d) {
    ran(cudaGraphLaunch(graphs[static_cast<std::size_t>(d)], devices.place(d).stream()));
  });
  for (const cudaGraphExec_t graph : graphs) ran(cudaGraphExecDestroy(graph));
  return time;
}

/// A part of n values for each of `count` devices.
template <class T>
std::vector<on_device<T>> parts_of(std::size_t n, int count) {
  std::vector<on_device<T>> parts;
  for (int d = 0; d < count; ++d) {
    detail::cuda_check(cudaSetDevice(d), "cudaSetDevice");
    parts.emplace_back(n / static_cast<std::size_t>(count));
  }
  detail::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  return parts;
}
template <class T>
T read(const T* from, int d) {
  T value{};
  detail::cuda_check(cudaSetDevice(d), "cudaSetDevice");
  detail::cuda_check(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
  return value;
}

template <class F>
void on_each(const all_devices& devices, const F& f) {
  devices.run([&](auto place) {
    f(place);
    detail::cuda_check(cudaStreamSynchronize(place.stream()), "cudaStreamSynchronize");
  });
}

void measure_reductions(const all_devices& devices, std::size_t n, int turns) {
  const int count = devices.size();
  const auto parts = parts_of<float>(n, count);
  const auto out = parts_of<float>(static_cast<std::size_t>(count), count);
  const auto at = [](int d) { return static_cast<std::size_t>(d); };
  on_each(devices, [&](auto p) {
    const auto v = parts[at(p.rank())].view();
    fill(v, v.size() * at(p.rank()), 8, p.stream());
  });
  const auto result = [&] { return read(out[0].view().data(), 0); };
  const auto exact_call = [&](int d) {
    check(exact_sum_into(devices.place(d), parts[at(d)].view(), out[at(d)].view().data()));
  };
  const double exact_time = timed(devices, turns, nothing, exact_call);
  const float exact = result();
  rows.push_back({"exact_sum", "f32", n, count, exact_time, exact > 0});
  const double time = timed(devices, turns, nothing, [&](int d) {
    check(reduce_into(devices.place(d), parts[at(d)].view(), out[at(d)].view().data()));
  });
  const bool near = std::abs(result() - exact) <= 1e-5F * exact;
  rows.push_back({"reduce", "f32", n, count, time, near});
  // NCCL's own all-reduce of the rounded sums, the plain way.
  const double plain = timed(devices, turns, nothing, [&](int d) {
    const auto p = devices.place(d);
    float* const to = out[at(d)].view().data();
    check(reduce_into(p.here(), parts[at(d)].view(), to));
    check(nccl_detail::to_status(
        ncclAllReduce(to, to, 1, ncclFloat32, ncclSum, p.comm(), p.stream())));
  });
  rows.push_back({"reduce, then ncclAllReduce", "f32", n, count, plain,
                  std::abs(result() - exact) <= 1e-5F * exact});
  const auto near_enough = [&] { return std::abs(result() - exact) <= 1e-5F * exact; };
  const double captured = timed_graph(devices, turns, [&](int d) {
    check(reduce_into(devices.place(d), parts[at(d)].view(), out[at(d)].view().data()));
  });
  rows.push_back({"reduce, in a graph", "f32", n, count, captured, near_enough()});
  if (count > 1) return;
  const double captured_alone = timed_graph(devices, turns, [&](int d) {
    check(reduce_into(devices.place(d).here(), parts[at(d)].view(), out[at(d)].view().data()));
  });
  rows.push_back({"reduce on one GPU, in a graph", "f32", n, 1, captured_alone, near_enough()});
  const double alone = timed(devices, turns, nothing, [&](int d) {
    check(reduce_into(devices.place(d).here(), parts[at(d)].view(), out[at(d)].view().data()));
  });
  rows.push_back(
      {"reduce on one GPU", "f32", n, 1, alone, std::abs(result() - exact) <= 1e-5F * exact});
}

void measure_scans(const all_devices& devices, std::size_t n, int turns) {
  const int count = devices.size();
  const auto in = parts_of<std::uint32_t>(n, count);
  const auto out = parts_of<std::uint32_t>(n, count);
  const auto at = [](int d) { return static_cast<std::size_t>(d); };
  on_each(devices, [&](auto p) {
    const auto v = in[at(p.rank())].view();
    fill(v, v.size() * at(p.rank()), 16, p.stream());
  });
  const double time = timed(devices, turns, nothing, [&](int d) {
    check(inclusive_scan(devices.place(d), in[at(d)].view(), out[at(d)].view()));
  });
  std::uint32_t sum = 0;
  bool right = true;
  for (int d = 0; d < count; ++d) {
    detail::cuda_check(cudaSetDevice(d), "cudaSetDevice");
    sum += reduce(device, in[at(d)].view(), 0U);
    right = right && read(&out[at(d)].view().back(), d) == sum;
  }
  detail::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  rows.push_back({"inclusive_scan", "u32", n, count, time, right});
  if (count > 1) return;
  const double alone = timed(devices, turns, nothing, [&](int d) {
    check(inclusive_scan(devices.place(d).here(), in[at(d)].view(), out[at(d)].view()));
  });
  rows.push_back(
      {"inclusive_scan on one GPU", "u32", n, 1, alone, read(&out[0].view().back(), 0) == sum});
}

void measure_sorts(const all_devices& devices, std::size_t n, int turns) {
  const int count = devices.size();
  const auto keys = parts_of<std::uint32_t>(n, count);
  const auto items = parts_of<std::uint32_t>(n, count);
  const auto at = [](int d) { return static_cast<std::size_t>(d); };
  const auto prepare = [&](int d) {
    const auto k = keys[at(d)].view(), v = items[at(d)].view();
    const cudaStream_t stream = devices.place(d).stream();
    fill(k, k.size() * at(d), 32, stream);
    detail::launch({.grid = 2048, .block = 256, .stream = stream}, count_up_kernel<std::uint32_t>,
                   v.data(), v.size(), v.size() * at(d));
  };
  const auto memory = parts_of<std::byte>(
      across_sort_temp_storage_bytes<std::uint32_t, std::uint32_t>(n / at(count), count) *
          at(count),
      count);
  const auto with_memory = [&](int d, const auto& where) {
    const auto m = memory[at(d)].view();
    return where.with(temp_storage_view{m.data(), m.size()});
  };
  const auto is_sorted = [&] {
    std::uint32_t last = 0;
    bool right = true;
    for (int d = 0; d < count; ++d) {
      detail::cuda_check(cudaSetDevice(d), "cudaSetDevice");
      const on_device<unsigned> wrong(1);
      detail::cuda_check(cudaMemset(wrong.view().data(), 0, sizeof(unsigned)), "cudaMemset");
      const auto k = keys[at(d)].view(), v = items[at(d)].view();
      detail::launch({.grid = 2048, .block = 256, .stream = nullptr}, check_kernel, k.data(),
                     v.data(), k.size(), wrong.view().data());
      right = right && read(wrong.view().data(), d) == 0 && read(&k.front(), d) >= last;
      last = read(&k.back(), d);
    }
    detail::cuda_check(cudaSetDevice(0), "cudaSetDevice");
    return right;
  };
  const double time = timed(devices, turns, prepare, [&](int d) {
    const auto p = devices.place(d);
    check(stable_sort_by_key(across(p.comm(), with_memory(d, p.here())), keys[at(d)].view(),
                             items[at(d)].view()));
  });
  rows.push_back({"stable_sort_by_key", "u32, u32", n, count, time, is_sorted()});
  if (count > 1) return;
  const double alone = timed(devices, turns, prepare, [&](int d) {
    check(stable_sort_by_key(with_memory(d, devices.place(d).here()), keys[at(d)].view(),
                             items[at(d)].view()));
  });
  rows.push_back({"stable_sort_by_key on one GPU", "u32, u32", n, 1, alone, is_sorted()});
}

/// A copy of so many bytes from device 0 to device 1: directly, and through the host's memory.
void measure_copies(std::size_t bytes, int turns) {
  void *from = nullptr, *to = nullptr, *through = nullptr;
  const auto call = [](cudaError_t e) { detail::cuda_check(e, "a peer copy"); };
  call(cudaSetDevice(1));
  call(cudaMalloc(&to, bytes));
  call(cudaSetDevice(0));
  call(cudaMalloc(&from, bytes));
  call(cudaMallocHost(&through, bytes));
  int can = 0;
  call(cudaDeviceCanAccessPeer(&can, 0, 1));
  // NCCL may have enabled it already.
  if (can != 0 && cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) (void)cudaGetLastError();
  const auto time = [&](const std::function<void()>& copy) {
    std::vector<double> times;
    for (int turn = -2; turn < turns; ++turn) {
      const auto begin = clock_type::now();
      copy();
      if (turn < 0) continue;
      times.push_back(std::chrono::duration<double, std::micro>(clock_type::now() - begin).count());
    }
    return median(times);
  };
  const double direct = time([&] {
    call(cudaMemcpyPeerAsync(to, 1, from, 0, bytes, nullptr));
    call(cudaStreamSynchronize(nullptr));
  });
  const double by_host = time([&] {
    call(cudaMemcpy(through, from, bytes, cudaMemcpyDeviceToHost));
    call(cudaMemcpy(to, through, bytes, cudaMemcpyHostToDevice));
  });
  rows.push_back(
      {can != 0 ? "peer copy" : "peer copy, no peer access", "bytes", bytes, 2, direct, true});
  rows.push_back({"copy through the host", "bytes", bytes, 2, by_host, true});
}

std::vector<std::pair<two_devices::way, two_devices::outcome>> timelines;

/// Sums of values that both devices share, by each way that they may come.
void measure_sharing(std::size_t n, int turns) {
  detail::cuda_check(cudaSetDevice(0), "cudaSetDevice");
  const on_device<std::int32_t> values(n);
  fill(values.view(), 0, 6, nullptr);  // a chunk's sum is below 2^31
  two_devices::problem problem(values.view().data(), n);
  using two_devices::way;
  for (const way w : {way::one_device, way::both_links, way::through_host, way::peer}) {
    const auto& found = timelines.emplace_back(w, problem.measure(w, turns)).second;
    rows.push_back({two_devices::name_of(w), "i32", n, w == way::one_device ? 1 : 2,
                    found.microseconds, found.right});
  }
}

void print_timelines(std::FILE* to) {
  std::fputs("\n  ],\n  \"timelines\": [", to);
  const char* between = "\n";
  for (const auto& [w, found] : timelines) {
    std::fprintf(to, "%s    {\"call\": \"%s\", \"spans\": [", between, two_devices::name_of(w));
    const char* next = "\n";
    for (const auto& s : found.spans) {
      std::fprintf(to,
                   "%s      {\"device\": %d, \"engine\": \"%s\", \"stream\": %u, "
                   "\"chunk\": %u, \"begin_us\": %.1f, \"end_us\": %.1f}",
                   next, s.device, s.engine, s.stream, s.chunk, s.begin_us, s.end_us);
      next = ",\n";
    }
    std::fputs("]}", to);
    between = ",\n";
  }
}

void print(std::FILE* to, char** arguments) {
  cudaDeviceProp about{};
  int runtime = 0, count = 0, nccl = 0;
  detail::cuda_check(cudaGetDeviceProperties(&about, 0), "cudaGetDeviceProperties");
  detail::cuda_check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  (void)cudaRuntimeGetVersion(&runtime);
  (void)ncclGetVersion(&nccl);
  std::fprintf(to,
               "{\n  \"schema\": 1,\n  \"device\": \"%s\",\n  \"devices\": %d,\n"
               "  \"driver\": \"%s\",\n  \"cuda_runtime\": %d,\n  \"nccl\": %d,\n"
               "  \"commit\": \"%s\",\n  \"command\": \"warpfold_multi_gpu\",\n  \"calls\": [",
               about.name, count, arguments[2], runtime, nccl, arguments[3]);
  const char* between = "\n";
  for (const row& r : rows) {
    std::fprintf(to,
                 "%s    {\"call\": \"%s\", \"type\": \"%s\", \"n\": %zu, \"gpus\": %d, "
                 "\"microseconds\": %.2f, \"right\": %s}",
                 between, r.call.c_str(), r.type.c_str(), r.n, r.gpus, r.microseconds,
                 r.right ? "true" : "false");
    between = ",\n";
  }
  print_timelines(to);
  std::fputs("\n  ]\n}\n", to);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fputs("usage: warpfold_multi_gpu OUTPUT DRIVER COMMIT\n", stderr);
    return 2;
  }
  int most = 0;
  detail::cuda_check(cudaGetDeviceCount(&most), "cudaGetDeviceCount");
  constexpr std::size_t one = 1;
  for (int count = 1; count <= most; count *= 2) {
    const all_devices devices(count);
    measure_reductions(devices, one << 20, 101);
    measure_reductions(devices, one << 26, 31);
    measure_reductions(devices, one << 32, 11);
    measure_scans(devices, one << 26, 31);
    measure_scans(devices, one << 30, 11);
    measure_sorts(devices, one << 24, 11);
    measure_sorts(devices, one << 28, 7);
    measure_sorts(devices, one << 30, 5);
  }
  if (most > 1) {
    measure_copies(one << 30, 11);
    measure_sharing(one << 28, 11);
  }
  std::FILE* const to = std::fopen(argv[1], "w");
  if (to == nullptr) return 4;
  print(to, argv);
  if (std::fclose(to) != 0) return 4;
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "warpfold_multi_gpu: %s\n", e.what());
  return 3;
}
