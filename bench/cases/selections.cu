// Selections and calls on runs of equal keys in a graph, beside CUB and a copy of the bytes that
// they must move.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/keys.hpp"
#include "warpfold/select.hpp"

namespace warpfold::bench {
namespace {

struct below {
  std::uint32_t limit;
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return static_cast<std::uint32_t>(value) < limit;
  }
};
template <class K>
struct random_or_runs {
  unsigned length;  // of runs; 0: random keys
  __device__ K operator()(std::size_t i) const {
    return length == 0 ? any_number<K>(1, i) : static_cast<K>(i / length);
  }
};
template <class V>
struct random_values {
  __device__ V operator()(std::size_t i) const { return any_number<V>(2, i); }
};

/// What a call writes in one slot.
template <class K, class V>
struct outputs {
  K* keys;
  V* values;
  std::size_t* number;
};

template <class K, class V>
__global__ void check_kernel(outputs<K, V> got, outputs<K, V> expected, std::size_t n,
                             bool writes_keys, bool writes_values, unsigned* mark) {
  const std::size_t number = *expected.number;
  bool wrong = writes_keys && *got.number != number;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < (writes_keys ? number : n); i += std::size_t{gridDim.x} * blockDim.x) {
    wrong = wrong || (writes_keys && got.keys[i] != expected.keys[i]) ||
            (writes_values && got.values[i] != expected.values[i]);
  }
  if (wrong) *mark = 1;
}

/// Inputs of many calls, their outputs, and what CUB makes of them.
template <class K, class V>
class run_slots {
 public:
  run_slots(device_place& place, std::size_t count_of_keys, unsigned length)
      : n(count_of_keys),
        where(place),
        count(std::min<std::size_t>(device_slots_of(n * sizeof(K), where.cache_bytes), 24)),
        keys(n, count),
        values(n, count),
        work(reduce_by_key_workspace_bytes<K, V>(n) + select_workspace_bytes<K>(n)),
        cub_work(n * 4 + (std::size_t{16} << 20)),
        out_(n, count),
        expected_(n, count),
        marks_(count) {
    fill(keys.all(), random_or_runs<K>{length}, where.stream());
    fill(values.all(), random_values<V>{}, where.stream());
  }

  [[nodiscard]] outputs<K, V> out(std::size_t slot) const { return out_(slot); }
  [[nodiscard]] outputs<K, V> expected(std::size_t slot) const { return expected_(slot); }
  [[nodiscard]] slots as_slots(bool writes_keys, bool writes_values) const {
    return {.count = count,
            .calls_per_graph = count,
            .renew = [this] { out_.poison(where.stream()); },
            .check =
                [=, this](std::size_t begin, std::size_t end) {
                  return marks_.count(end, where.stream(), [&](unsigned* marks) {
                    for (std::size_t s = begin; s < end; ++s) {
                      check_kernel<<<256, 256, 0, where.stream()>>>(
                          out(s), expected(s), n, writes_keys, writes_values, marks + s);
                    }
                  });
                }};
  }

  std::size_t n;
  device_place& where;
  std::size_t count;
  slot_buffer<K> keys;
  slot_buffer<V> values;
  workspace work;
  device_buffer<char> cub_work;

 private:
  struct output_buffers {
    slot_buffer<K> keys;
    slot_buffer<V> values;
    slot_buffer<std::size_t> number;
    output_buffers(std::size_t n, std::size_t count)
        : keys(n, count), values(n, count), number(1, count) {}
    outputs<K, V> operator()(std::size_t slot) const {
      return {keys(slot), values(slot), number(slot)};
    }
    void poison(cudaStream_t stream) const {
      keys.all().set_bytes(0xff, stream);
      values.all().set_bytes(0xff, stream);
      number.all().set_bytes(0xff, stream);
    }
  };
  output_buffers out_, expected_;
  wrong_slots marks_;
};

template <class K, class V>
struct two_ways {
  std::string form;
  bool writes_keys, writes_values;
  double bytes_a_key, bytes_a_result;  // read; written for each of `number` results
  std::function<status(std::size_t slot, outputs<K, V>)> ours;
  std::function<cudaError_t(std::size_t slot, outputs<K, V>, std::size_t& bytes)> cub;
};

template <class K, class V>
void compare(session& s, const run_slots<K, V>& in, const two_ways<K, V>& call) {
  const bench_case c{.what = algorithm::scan, .n = in.n, .samples = s.samples(30)};
  const cudaStream_t stream = in.where.stream();
  const auto by_cub = [&](std::size_t slot, const outputs<K, V>& to) {
    std::size_t bytes = in.cub_work.bytes();
    cuda_check(call.cub(slot, to, bytes), "CUB");
  };
  for (std::size_t slot = 0; slot < in.count; ++slot) by_cub(slot, in.expected(slot));
  std::size_t number = in.n;
  if (call.writes_keys) {
    cuda_check(cudaMemcpyAsync(&number, in.expected(0).number, sizeof number,
                               cudaMemcpyDeviceToHost, stream),
               "read a number");
    in.where.wait();
  }
  const auto bytes = static_cast<std::size_t>(static_cast<double>(in.n) * call.bytes_a_key +
                                              static_cast<double>(number) * call.bytes_a_result);
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = "u" + std::to_string(8 * sizeof(K));
    row.form = call.form;
    row.useful_bytes = bytes;
    return row;
  };
  const auto copy = [&](std::size_t slot) {
    cuda_check(cudaMemcpyAsync(in.out(slot).keys, in.keys(slot),
                               std::min(in.n * sizeof(K), std::max<std::size_t>(bytes / 2, 1)),
                               cudaMemcpyDeviceToDevice, stream),
               "a copy");
  };
  std::vector<candidate> candidates{
      {record("warpfold"),
       [&](std::size_t slot) { call.ours(slot, in.out(slot)).throw_if_failed("a timed call"); }},
      {record("cub"), [&](std::size_t slot) { by_cub(slot, in.out(slot)); }}};
  if (bytes / 2 <= in.n * sizeof(K)) {
    candidates.push_back(
        {record("copy"), copy, true, [](std::size_t, std::size_t) { return mistakes{}; }});
  }
  s.add(time_graphs(c.samples, in.where, in.as_slots(call.writes_keys, call.writes_values),
                    candidates));
}

template <class K>
void select_some(session& s, device_place& where, std::size_t n, unsigned percent) {
  const run_slots<K, std::uint32_t> in(where, n, 0);
  const auto limit = std::uint64_t{percent} * ((std::uint64_t{1} << 32) - 1) / 100;
  const below keep{static_cast<std::uint32_t>(limit)};
  const auto on = device.on(where.stream()).with(in.work);
  compare<K, std::uint32_t>(
      s, in,
      {"copy_if, " + std::to_string(percent) + " % kept", true, false, sizeof(K), sizeof(K),
       [&](std::size_t slot, outputs<K, std::uint32_t> to) {
         return copy_if(on, std::span<const K>(in.keys(slot), n), std::span<K>(to.keys, n),
                        to.number, keep);
       },
       [&](std::size_t slot, outputs<K, std::uint32_t> to, std::size_t& bytes) {
         return cub::DeviceSelect::If(in.cub_work.data(), bytes, in.keys(slot), to.keys, to.number,
                                      static_cast<std::int64_t>(n), keep, where.stream());
       }});
}

template <class K, class V>
void fold_runs(session& s, device_place& where, std::size_t n, unsigned length) {
  const run_slots<K, V> in(where, n, length);
  const auto on = device.on(where.stream()).with(in.work);
  const auto keys = [&](std::size_t slot) { return std::span<const K>(in.keys(slot), n); };
  const auto values = [&](std::size_t slot) { return std::span<const V>(in.values(slot), n); };
  const auto count = static_cast<std::int64_t>(n);
  const cudaStream_t stream = where.stream();
  const std::string runs = ", runs of " + std::to_string(length);
  void* const work = in.cub_work.data();
  compare<K, V>(s, in,
                {"reduce_by_key" + runs, true, true, sizeof(K) + sizeof(V), sizeof(K) + sizeof(V),
                 [&](std::size_t slot, outputs<K, V> to) {
                   return reduce_by_key(on, keys(slot), values(slot), std::span<K>(to.keys, n),
                                        std::span<V>(to.values, n), to.number);
                 },
                 [&](std::size_t slot, outputs<K, V> to, std::size_t& bytes) {
                   return cub::DeviceReduce::ReduceByKey(work, bytes, in.keys(slot), to.keys,
                                                         in.values(slot), to.values, to.number,
                                                         cuda::std::plus<>{}, count, stream);
                 }});
  compare<K, V>(s, in,
                {"inclusive_scan_by_key" + runs, false, true, sizeof(K) + 2 * sizeof(V), 0,
                 [&](std::size_t slot, outputs<K, V> to) {
                   return inclusive_scan_by_key(on, keys(slot), values(slot),
                                                std::span<V>(to.values, n));
                 },
                 [&](std::size_t slot, outputs<K, V> to, std::size_t& bytes) {
                   return cub::DeviceScan::InclusiveSumByKey(work, bytes, in.keys(slot),
                                                             in.values(slot), to.values, count,
                                                             cuda::std::equal_to<>{}, stream);
                 }});
  compare<K, V>(s, in,
                {"unique" + runs, true, false, sizeof(K), sizeof(K),
                 [&](std::size_t slot, outputs<K, V> to) {
                   return unique(on, keys(slot), std::span<K>(to.keys, n), to.number);
                 },
                 [&](std::size_t slot, outputs<K, V> to, std::size_t& bytes) {
                   return cub::DeviceSelect::Unique(work, bytes, in.keys(slot), to.keys, to.number,
                                                    count, stream);
                 }});
  compare<K, V>(s, in,
                {"run_length_encode" + runs, true, true, sizeof(K), sizeof(K) + sizeof(V),
                 [&](std::size_t slot, outputs<K, V> to) {
                   return run_length_encode(on, keys(slot), std::span<K>(to.keys, n),
                                            std::span<V>(to.values, n), to.number);
                 },
                 [&](std::size_t slot, outputs<K, V> to, std::size_t& bytes) {
                   return cub::DeviceRunLengthEncode::Encode(work, bytes, in.keys(slot), to.keys,
                                                             to.values, to.number, count, stream);
                 }});
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 16U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    for (const unsigned percent : {1U, 50U, 100U}) select_some<std::uint32_t>(s, where, n, percent);
    select_some<std::uint64_t>(s, where, n, 50);
    select_some<std::uint8_t>(s, where, n, 100);
    for (const unsigned length : {1U, 64U, 4096U}) {
      fold_runs<std::uint32_t, std::uint32_t>(s, where, n, length);
    }
    fold_runs<std::uint64_t, std::uint64_t>(s, where, n, 64);
  }
}

}  // namespace

const bench_program program{"selections", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
