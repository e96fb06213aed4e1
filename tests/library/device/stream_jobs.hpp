// What the tests of streams have them do: calls of every kind, each made again and again on what
// the one before left, so that a wrong one shows in all that come after it.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "tests/library/device/device_sort_test.hpp"
#include "tests/library/device/device_test.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

struct own_stream {
  own_stream() {
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) stream = nullptr;
  }
  ~own_stream() { (void)cudaStreamDestroy(stream); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  cudaStream_t stream = nullptr;
};

/// What `calls` put into the stream, to be done as often as it is launched.
class captured {
 public:
  template <class Calls>
  captured(cudaStream_t stream, Calls calls) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    calls();
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    if (graph == nullptr) return;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&runnable_, graph, 0), cudaSuccess);
    (void)cudaGraphDestroy(graph);
  }
  ~captured() {
    if (runnable_ != nullptr) (void)cudaGraphExecDestroy(runnable_);
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;

  cudaError_t launch_in(cudaStream_t stream) const { return cudaGraphLaunch(runnable_, stream); }
  std::size_t nodes = 0;

 private:
  cudaGraphExec_t runnable_ = nullptr;
};

/// Whose memory a call works in: its job's, or memory that the call allocates.
enum class memory_of { job, call };

class stream_job {
 public:
  explicit stream_job(std::size_t size) : n(size) {}
  virtual ~stream_job() = default;
  stream_job(const stream_job&) = delete;
  stream_job& operator=(const stream_job&) = delete;

  [[nodiscard]] virtual status again(const device_execution& where, memory_of whose) const = 0;
  /// What is there after so many times; the stream has been waited for.
  virtual void expect_right_after(unsigned times) const = 0;

  const std::size_t n;
};

/// A job with memory of its own.
template <class Memory>
class job_with : public stream_job {
 protected:
  job_with(std::size_t size, std::size_t bytes) : stream_job(size), memory_(bytes) {}

  template <class Call>
  status with_memory(const device_execution& where, memory_of whose, Call call) const {
    return whose == memory_of::job ? call(where.with(memory_)) : call(where);
  }

 private:
  Memory memory_;
};

/// Values whose sums are exact in T, added up a thousand times over.
template <class T>
std::vector<T> terms(std::size_t n, unsigned seed) {
  if constexpr (std::is_same_v<T, affine>) {
    std::vector<affine> maps;
    for (const auto bits : random_values<std::uint64_t>(n, seed)) {
      maps.push_back(
          {static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32)});
    }
    return maps;
  } else {
    std::vector<T> values = random_values<T>(n, seed);
    if constexpr (std::is_floating_point_v<T>) {
      for (T& v : values) v = v > T{10000} ? T{1} : v < T{-10000} ? T{-1} : T{0};
    }
    return values;
  }
}

/// Folds, and puts the result where the first value is.
template <class T, class Op, bool Exact = false>
class fold_job : public job_with<workspace> {
 public:
  fold_job(std::size_t n, unsigned seed)
      : job_with(n, Exact ? exact_bytes() : reduce_workspace_bytes<T>()),
        start_(terms<T>(n, seed)),
        init_(terms<T>(n, seed + 1).front()),
        values_(start_),
        result_(terms<T>(1, seed + 2)) {}

  [[nodiscard]] status again(const device_execution& where, memory_of whose) const override {
    const status reduced =
        with_memory(where, whose, [&](const auto& there) { return fold_in(there); });
    if (!reduced.ok()) return reduced;
    return detail::copy_async(values_.data(), result_.data(), sizeof(T), where.stream());
  }
  void expect_right_after(unsigned times) const override {
    const Op op{};
    auto expected = start_;
    T others = op.template identity<T>();
    for (std::size_t i = 1; i < n; ++i) others = op(others, start_[i]);
    for (unsigned k = 0; k < times; ++k) expected[0] = op(op(init_, expected[0]), others);
    EXPECT_TRUE(values_.read() == expected) << "reduction of " << n;
    if (times > 0) EXPECT_TRUE(result_.read()[0] == expected[0]) << "reduction of " << n;
  }

 private:
  static constexpr std::size_t exact_bytes() {
    if constexpr (Exact) return exact_workspace_bytes<T>();
    return 0;
  }
  [[nodiscard]] status fold_in(const device_place auto& where) const {
    if constexpr (Exact) {
      return reduce_into(where.with(determinism::gpu_to_gpu), values_.values(), result_.data(),
                         init_);
    } else {
      return reduce_into(where, values_.values(), result_.data(), init_, Op{});
    }
  }

  std::vector<T> start_;
  T init_;
  device_buffer<T> values_, result_;
};

/// Sums the rows, and puts the sums where the first values are.
class rows_job : public job_with<workspace> {
 public:
  using value = std::int32_t;
  rows_job(std::size_t rows, std::size_t columns, unsigned seed)
      : job_with(rows * columns, reduce_workspace_bytes<value>()),
        rows_(rows),
        columns_(columns),
        start_(terms<value>(n, seed)),
        values_(start_),
        results_(terms<value>(rows, seed + 1)) {}

  [[nodiscard]] status again(const device_execution& where, memory_of whose) const override {
    const status reduced = with_memory(where, whose, [&](const auto& there) {
      return reduce_rows(there, values_.values(), rows_, columns_, results_.room());
    });
    if (!reduced.ok()) return reduced;
    return detail::copy_async(values_.data(), results_.data(), rows_ * sizeof(value),
                              where.stream());
  }
  void expect_right_after(unsigned times) const override {
    auto expected = start_;
    std::vector<value> sums(rows_);
    for (unsigned k = 0; k < times; ++k) {
      for (std::size_t row = 0; row < rows_; ++row) {
        const auto first = expected.begin() + static_cast<std::ptrdiff_t>(row * columns_);
        sums[row] =
            std::accumulate(first, first + static_cast<std::ptrdiff_t>(columns_), 0, plus{});
      }
      std::copy(sums.begin(), sums.end(), expected.begin());
    }
    EXPECT_TRUE(values_.read() == expected) << rows_ << " rows of " << columns_;
  }

 private:
  std::size_t rows_, columns_;
  std::vector<value> start_;
  device_buffer<value> values_, results_;
};

/// Scans in place.
template <class T, class Op>
class scan_problem : public job_with<workspace> {
 public:
  scan_problem(std::size_t n, unsigned seed)
      : job_with(n, scan_workspace_bytes<T>(n)), start_(terms<T>(n, seed)), values_(start_) {}

  [[nodiscard]] status again(const device_execution& where, memory_of whose) const override {
    return with_memory(where, whose, [&](const auto& there) {
      return inclusive_scan(there, values_.values(), values_.room(), Op{});
    });
  }
  void expect_right_after(unsigned times) const override {
    auto expected = start_;
    for (unsigned k = 0; k < times; ++k) {
      std::inclusive_scan(expected.begin(), expected.end(), expected.begin(), Op{});
    }
    EXPECT_TRUE(values_.read() == expected) << "scan of " << n;
  }

 private:
  std::vector<T> start_;
  device_buffer<T> values_;
};

/// Sorts pairs, which it first brings back into disorder.
template <class Less>
class sort_job : public job_with<temp_storage> {
 public:
  using word = std::uint32_t;
  sort_job(std::size_t n, unsigned seed)
      : job_with(n, sort_temp_storage_bytes<word, word>(n)),
        start_(random_values<word>(n, seed)),
        fresh_(start_),
        fresh_along_(numbered<word>(n)),
        keys_(start_),
        along_(numbered<word>(n)) {}

  [[nodiscard]] status again(const device_execution& where, memory_of whose) const override {
    const auto restore = [&](const auto& to, const auto& from) {
      return detail::copy_async(to.data(), from.data(), n * sizeof(word), where.stream());
    };
    if (const status s = restore(keys_, fresh_); !s.ok()) return s;
    if (const status s = restore(along_, fresh_along_); !s.ok()) return s;
    return with_memory(where, whose, [&](const auto& there) {
      return stable_sort_by_key(there, keys_.room(), along_.room(), Less{});
    });
  }
  void expect_right_after(unsigned times) const override {
    const auto items = numbered<word>(n);
    const auto places = places_of(start_, Less{});
    EXPECT_TRUE(keys_.read() == (times > 0 ? at_places(start_, places) : start_)) << "sort " << n;
    EXPECT_TRUE(along_.read() == (times > 0 ? at_places(items, places) : items)) << "sort " << n;
  }

 private:
  std::vector<word> start_;
  device_buffer<word> fresh_, fresh_along_, keys_, along_;
};

using make_job = std::function<std::unique_ptr<stream_job>(unsigned seed)>;

template <class Job, class... Sizes>
make_job job_of(Sizes... sizes) {
  return [=](unsigned seed) -> std::unique_ptr<stream_job> {
    return std::make_unique<Job>(static_cast<std::size_t>(sizes)..., seed);
  };
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
