// CUB's own reduce, scan, sorts, histogram and selection as rows of the ladders: what the rungs are
// measured against. The only file that includes CUB, which takes long to compile.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "ladder/counting_operator.cuh"
#include "ladder/launching.cuh"
#include "ladder/machines/cub.hpp"
#include "warpfold/error.hpp"
#include "warpfold/order.hpp"

namespace warpfold::ladder {
namespace {

constexpr std::size_t most_values = std::numeric_limits<int>::max();
/// A launch has the scratch memory that it asked for; asking again would cost it time.
constexpr std::size_t enough = std::numeric_limits<std::size_t>::max();

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  throw device_error(std::string("a CUB reference: ") + cudaGetErrorString(status));
}

/// Calls `f.template operator()<T>()` with the types that all CUB references of numbers take.
template <class F>
void with_number(value_type type, F&& f) {
  switch (type) {
    case value_type::i32: return f.template operator()<std::int32_t>();
    case value_type::i64: return f.template operator()<std::int64_t>();
    case value_type::f32: return f.template operator()<float>();
    case value_type::f64: return f.template operator()<double>();
    default: throw usage_error("the CUB references take i32, i64, f32 and f64");
  }
}

/// The same with the operators that they are built for.
template <class F>
void with_operator(operation op, F&& f) {
  switch (op) {
    case operation::sum:
    case operation::mean: return f.template operator()<plus>();
    case operation::min: return f.template operator()<minimum>();
    case operation::max: return f.template operator()<maximum>();
    default: throw usage_error("the CUB references take sum, min and max");
  }
}

std::string_view only_sum_min_max(value_type, operation op) {
  const bool built = op == operation::sum || op == operation::mean || op == operation::min ||
                     op == operation::max || op == operation::longest_chain;
  return built ? "" : "built for sum, min and max";
}

std::string_view only_integers(value_type type, operation) {
  return is_floating(type) ? "orders NaN and -0 another way" : "";
}

/// Calls `f` for every type of so many bytes.
template <class F>
void for_each_number(std::size_t bytes, F&& f) {
  for (const value_type type : kernel_types) {
    if (size_of(type) == bytes) with_number(type, f);
  }
}

// Each CUB call comes twice: without memory it says how many bytes it needs. Sums go by CUB's own
// name, for which it is tuned; our minimum and maximum know NaN.

template <class T, class Op>
cudaError_t reduce(void* temporary, std::size_t& bytes, const T* in, T* out, std::size_t n,
                   cudaStream_t stream) {
  const auto count = static_cast<int>(n);
  if constexpr (std::is_same_v<Op, plus>) {
    return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, stream);
  } else {
    return cub::DeviceReduce::Reduce(temporary, bytes, in, out, count, Op{},
                                     Op::template identity<T>(), stream);
  }
}

std::size_t reduce_bytes(const shape& s) {
  std::size_t most = 0;
  for_each_number(s.value_bytes, [&]<class T>() {
    for (const operation op : {operation::sum, operation::min, operation::max}) {
      with_operator(op, [&]<class Op>() {
        std::size_t bytes = 0;
        check(reduce<T, Op>(nullptr, bytes, nullptr, nullptr, s.n, nullptr));
        most = std::max(most, bytes);
      });
    }
  });
  return most;
}

unsigned launch_reduce(const launch_request& r) {
  with_number(r.type, [&]<class T>() {
    with_operator(r.op, [&]<class Op>() {
      std::size_t bytes = enough;
      check(reduce<T, Op>(r.scratch, bytes, static_cast<const T*>(r.in), static_cast<T*>(r.out),
                          r.shape.n, static_cast<cudaStream_t>(r.stream)));
    });
  });
  return 1;
}

template <class T, class Op>
cudaError_t scan(void* temporary, std::size_t& bytes, const T* in, T* out, std::size_t n,
                 bool exclusive, cudaStream_t stream) {
  const auto count = static_cast<int>(n);
  using device = cub::DeviceScan;
  if constexpr (std::is_same_v<Op, plus>) {
    return exclusive ? device::ExclusiveSum(temporary, bytes, in, out, count, stream)
                     : device::InclusiveSum(temporary, bytes, in, out, count, stream);
  } else {
    return exclusive ? device::ExclusiveScan(temporary, bytes, in, out, Op{},
                                             Op::template identity<T>(), count, stream)
                     : device::InclusiveScan(temporary, bytes, in, out, Op{}, count, stream);
  }
}

/// Also the operator that measures the depth, on integers of this size.
template <class F>
void with_scan(value_type type, operation op, F&& f) {
  if (op != operation::longest_chain) {
    return with_number(type, [&]<class T>() {
      with_operator(op, [&]<class Op>() { f.template operator()<T, Op>(); });
    });
  }
  if (size_of(type) == 4) return f.template operator()<std::int32_t, longest_chain>();
  f.template operator()<std::int64_t, longest_chain>();
}

std::size_t scan_bytes(const shape& s) {
  std::size_t most = 0;
  for (const value_type type : kernel_types) {
    if (size_of(type) != s.value_bytes) continue;
    for (const operation op :
         {operation::sum, operation::min, operation::max, operation::longest_chain}) {
      with_scan(type, op, [&]<class T, class Op>() {
        for (const bool exclusive : {false, true}) {
          std::size_t bytes = 0;
          check(scan<T, Op>(nullptr, bytes, nullptr, nullptr, s.n, exclusive, nullptr));
          most = std::max(most, bytes);
        }
      });
    }
  }
  return most;
}

unsigned launch_scan(const launch_request& r) {
  with_scan(r.type, r.op, [&]<class T, class Op>() {
    std::size_t bytes = enough;
    check(scan<T, Op>(r.scratch, bytes, static_cast<const T*>(r.in), static_cast<T*>(r.out),
                      r.shape.n, r.exclusive, static_cast<cudaStream_t>(r.stream)));
  });
  return 1;
}

/// What a sort is given, as CUB wants it.
template <class K>
struct sort_arguments {
  const K* in;
  K* out;
  const std::uint32_t* values_in;  // nullptr: keys alone
  std::uint32_t* values_out;
  std::size_t n;
  bool descending;
  cudaStream_t stream;
};

struct radix_sort {
  template <class K>
  static cudaError_t call(void* temporary, std::size_t& bytes, const sort_arguments<K>& a) {
    const auto count = static_cast<int>(a.n);
    constexpr int all = 8 * sizeof(K);
    using device = cub::DeviceRadixSort;
    if (a.values_in == nullptr) {
      return a.descending
                 ? device::SortKeysDescending(temporary, bytes, a.in, a.out, count, 0, all,
                                              a.stream)
                 : device::SortKeys(temporary, bytes, a.in, a.out, count, 0, all, a.stream);
    }
    return a.descending ? device::SortPairsDescending(temporary, bytes, a.in, a.out, a.values_in,
                                                      a.values_out, count, 0, all, a.stream)
                        : device::SortPairs(temporary, bytes, a.in, a.out, a.values_in,
                                            a.values_out, count, 0, all, a.stream);
  }
  static constexpr value_type keys[] = {value_type::u32, value_type::i32, value_type::u64};
};

struct merge_sort {
  template <class K, class Less>
  static cudaError_t in_order(void* temporary, std::size_t& bytes, const sort_arguments<K>& a,
                              Less less) {
    using device = cub::DeviceMergeSort;
    if (a.values_in == nullptr) {
      return device::SortKeysCopy(temporary, bytes, a.in, a.out, a.n, less, a.stream);
    }
    return device::SortPairsCopy(temporary, bytes, a.in, a.values_in, a.out, a.values_out, a.n,
                                 less, a.stream);
  }
  template <class K>
  static cudaError_t call(void* temporary, std::size_t& bytes, const sort_arguments<K>& a) {
    return a.descending ? in_order(temporary, bytes, a, descending{})
                        : in_order(temporary, bytes, a, ascending{});
  }
  static constexpr value_type keys[] = {value_type::u32, value_type::i32, value_type::f32,
                                        value_type::u64, value_type::f64};
};

template <class Sort, class F>
void with_key(value_type type, F&& f) {
  switch (type) {
    case value_type::u32: return f.template operator()<std::uint32_t>();
    case value_type::i32: return f.template operator()<std::int32_t>();
    case value_type::u64: return f.template operator()<std::uint64_t>();
    case value_type::f32:
      if constexpr (std::is_same_v<Sort, merge_sort>) return f.template operator()<float>();
      break;
    case value_type::f64:
      if constexpr (std::is_same_v<Sort, merge_sort>) return f.template operator()<double>();
      break;
    default: break;
  }
  throw usage_error("this CUB reference does not take keys of this type");
}

/// For any keys, alone or with values, that are so many bytes together.
template <class Sort>
std::size_t sort_bytes(const shape& s) {
  std::size_t most = 0;
  for (const value_type type : Sort::keys) {
    with_key<Sort>(type, [&]<class K>() {
      // CUB asks only whether there are values, not where.
      std::uint32_t some = 0;
      for (std::uint32_t* const values : {static_cast<std::uint32_t*>(nullptr), &some}) {
        if (sizeof(K) + (values != nullptr ? sizeof some : 0) != s.value_bytes) continue;
        for (const bool descending : {false, true}) {
          std::size_t bytes = 0;
          check(Sort::template call<K>(
              nullptr, bytes, {nullptr, nullptr, values, values, s.n, descending, nullptr}));
          most = std::max(most, bytes);
        }
      }
    });
  }
  return most;
}

template <class Sort>
unsigned launch_sort(const launch_request& r) {
  with_key<Sort>(r.type, [&]<class K>() {
    std::size_t bytes = enough;
    check(Sort::template call<K>(
        r.scratch, bytes,
        {static_cast<const K*>(r.in), static_cast<K*>(r.out),
         static_cast<const std::uint32_t*>(r.values_in), static_cast<std::uint32_t*>(r.values_out),
         r.shape.n, r.descending, static_cast<cudaStream_t>(r.stream)}));
  });
  return 1;
}

/// Bin k of the levels 0, 1, 2, … holds the integers that are k.
template <class T>
cudaError_t histogram(void* temporary, std::size_t& bytes, const T* in, unsigned* counts,
                      const shape& s, cudaStream_t stream) {
  return cub::DeviceHistogram::HistogramEven(temporary, bytes, in, counts,
                                             static_cast<int>(s.bins + 1), T{0},
                                             static_cast<T>(s.bins), static_cast<int>(s.n), stream);
}

template <class F>
void with_counted(value_type type, F&& f) {
  switch (type) {
    case value_type::u32: return f.template operator()<std::uint32_t>();
    case value_type::i32: return f.template operator()<std::int32_t>();
    case value_type::u64: return f.template operator()<std::uint64_t>();
    case value_type::i64: return f.template operator()<std::int64_t>();
    default: throw usage_error("the CUB reference counts u32, i32, u64 and i64");
  }
}

std::size_t histogram_bytes(const shape& s) {
  std::size_t most = 0;
  for (const value_type type : counted_types) {
    if (size_of(type) != s.value_bytes) continue;
    with_counted(type, [&]<class T>() {
      std::size_t bytes = 0;
      check(histogram<T>(nullptr, bytes, nullptr, nullptr, s, nullptr));
      most = std::max(most, bytes);
    });
  }
  return most;
}

unsigned launch_histogram(const launch_request& r) {
  with_counted(r.type, [&]<class T>() {
    std::size_t bytes = enough;
    check(histogram<T>(r.scratch, bytes, static_cast<const T*>(r.in), static_cast<unsigned*>(r.out),
                       r.shape, static_cast<cudaStream_t>(r.stream)));
  });
  return 1;
}

struct is_not_zero {
  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return value != T{0};
  }
};

template <class T>
cudaError_t select(void* temporary, std::size_t& bytes, const T* in, T* out, std::uint64_t* kept,
                   std::size_t n, cudaStream_t stream) {
  return cub::DeviceSelect::If(temporary, bytes, in, out, kept, static_cast<int>(n), is_not_zero{},
                               stream);
}

std::size_t select_bytes(const shape& s) {
  std::size_t most = 0;
  for_each_number(s.value_bytes, [&]<class T>() {
    std::size_t bytes = 0;
    check(select<T>(nullptr, bytes, nullptr, nullptr, nullptr, s.n, nullptr));
    most = std::max(most, bytes);
  });
  return most;
}

unsigned launch_select(const launch_request& r) {
  with_number(r.type, [&]<class T>() {
    std::size_t bytes = enough;
    check(select<T>(r.scratch, bytes, static_cast<const T*>(r.in), static_cast<T*>(r.out),
                    static_cast<std::uint64_t*>(r.kept), r.shape.n,
                    static_cast<cudaStream_t>(r.stream)));
  });
  return 1;
}

constexpr description about(std::string_view name, std::string_view idea) {
  return {.number = 0,
          .name = name,
          .idea = idea,
          .source = "CUB, of the CUDA toolkit",
          .most_values = most_values,
          .reference = true};
}

/// One block a processor: more roundings than CUB makes.
unsigned few_blocks(const shape& s) { return std::max(1U, s.processors); }
std::size_t one(const shape&) { return 1; }
std::size_t all(const shape& s) { return s.n; }
std::size_t all_bins(const shape& s) { return s.bins; }
/// A prefix may go from tile to tile.
double look_back_depth(const shape& s) { return static_cast<double>(s.n) / 128 + 200; }

constexpr rung cub_reduce{.about = about("cub", "cub::DeviceReduce"),
                          .grid = few_blocks,
                          .partials = one,
                          .scratch_bytes = reduce_bytes,
                          .launch = launch_reduce,
                          .obstacle = only_sum_min_max};
constexpr rung cub_scan{.about = about("cub", "cub::DeviceScan"),
                        .grid = few_blocks,
                        .partials = all,
                        .scratch_bytes = scan_bytes,
                        .launch = launch_scan,
                        .depth_limit = look_back_depth,
                        .obstacle = only_sum_min_max};
constexpr rung cub_radix{.about = about("cub-radix", "cub::DeviceRadixSort, which never compares"),
                         .grid = few_blocks,
                         .partials = all,
                         .scratch_bytes = sort_bytes<radix_sort>,
                         .launch = launch_sort<radix_sort>,
                         .obstacle = only_integers};
constexpr rung cub_merge{.about = about("cub-merge", "cub::DeviceMergeSort, for any order"),
                         .grid = few_blocks,
                         .partials = all,
                         .scratch_bytes = sort_bytes<merge_sort>,
                         .launch = launch_sort<merge_sort>};

constexpr rung cub_histogram{.about = about("cub", "cub::DeviceHistogram, even bins"),
                             .grid = few_blocks,
                             .partials = all_bins,
                             .scratch_bytes = histogram_bytes,
                             .launch = launch_histogram};
constexpr rung cub_select{.about = about("cub", "cub::DeviceSelect::If"),
                          .grid = few_blocks,
                          .partials = all,
                          .scratch_bytes = select_bytes,
                          .launch = launch_select};

}  // namespace

std::span<const rung* const> cub_references(ladder_kind ladder) {
  static constexpr const rung* reductions[] = {&cub_reduce};
  static constexpr const rung* scans[] = {&cub_scan};
  static constexpr const rung* sorts[] = {&cub_radix, &cub_merge};
  static constexpr const rung* histograms[] = {&cub_histogram};
  static constexpr const rung* selections[] = {&cub_select};
  switch (ladder) {
    case ladder_kind::reduce: return reductions;
    case ladder_kind::scan: return scans;
    case ladder_kind::sort: return sorts;
    case ladder_kind::histogram: return histograms;
    case ladder_kind::select: return selections;
  }
  return {};
}

}  // namespace warpfold::ladder
