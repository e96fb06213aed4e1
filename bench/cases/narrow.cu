// Sums and scans of values of one and two bytes, beside CUB's.
#include <cstdint>

#include <cuda_fp16.h>

#include "bench/cases/reduce_slots.cuh"
#include "bench/cases/scan_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "bench/peers/cub.cuh"

namespace warpfold::bench {
namespace {

template <class T>
measure::measurement record(const bench_case& c, const char* type, const char* who) {
  auto row = c.record(who);
  row.type = type;
  row.useful_bytes = (c.what == algorithm::reduce ? 1 : 2) * c.n * sizeof(T);
  return row;
}

template <class T, class Acc>
void sum(session& s, device_place& where, const char* type, std::size_t n) {
  const bench_case c{.what = algorithm::reduce, .n = n, .samples = s.samples(41)};
  const reduce_slots<T, Acc, plus> memory(c, where);
  const std::vector<candidate> candidates{our_reduce(memory, record<T>(c, type, "warpfold")),
                                          cub_reduce_of<plus>(memory, record<T>(c, type, "cub"))};
  s.add(time_on_device(c.samples, where, memory.as_slots(), candidates));
}

template <class T, class Acc>
void scan(session& s, device_place& where, const char* type, std::size_t n) {
  const bench_case c{.what = algorithm::scan, .n = n, .exclusive = true, .samples = s.samples(41)};
  const scan_slots<T, Acc, plus> memory(c, where);
  const std::vector<candidate> candidates{our_scan(memory, record<T>(c, type, "warpfold")),
                                          cub_scan_of<plus, Acc>(memory, record<T>(c, type, "cub")),
                                          plain_copy(memory, record<T>(c, type, "copy"))};
  s.add(time_on_device(c.samples, where, memory.as_slots(), candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  constexpr auto power = [](unsigned e) { return std::size_t{1} << e; };
  for (const unsigned e : {30U, 32U}) sum<std::int8_t, std::int32_t>(s, where, "i8", power(e));
  for (const unsigned e : {29U, 31U}) sum<__half, float>(s, where, "f16", power(e));
  scan<std::int8_t, std::int8_t>(s, where, "i8", power(28));
  scan<std::uint16_t, std::uint16_t>(s, where, "u16", power(28));
  scan<__half, float>(s, where, "f16", power(28));
}

}  // namespace

const bench_program program{"narrow", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
