// One workspace for calls of every kind, one after the other, in every order: nothing that one of
// them published may pass for what the next one waits for. Each call leaves words in the memory
// that look like the next call's epoch, and like values.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "tests/library/device/device_test.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

/// A value of so many bytes, in words of 4 where they are that many.
template <unsigned Bytes>
struct payload {
  using word = std::conditional_t<Bytes == 1, std::uint8_t,
                                  std::conditional_t<Bytes == 2, std::uint16_t, std::uint32_t>>;
  static constexpr unsigned words = Bytes / sizeof(word);
  word at[words];
  friend bool operator==(const payload&, const payload&) = default;
};

/// The larger one of each word: a reduction of equal values is that value, whatever the grid.
template <bool Commutative>
struct larger_words {
  static constexpr bool commutative = Commutative;
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    T result;
    for (unsigned i = 0; i < T::words; ++i) result.at[i] = a.at[i] < b.at[i] ? b.at[i] : a.at[i];
    return result;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{};
  }
};

constexpr bool on_cpu_machine =
#if defined(SIMT_KERNELS)
    true;
#else
    false;
#endif

#if defined(SIMT_KERNELS)
template <class T>
void fill_with(const device_buffer<T>& buffer, const T& value) {
  std::fill_n(buffer.data(), buffer.size(), value);
}
template <class T>
std::size_t others_than(const T& expected, const device_buffer<T>& buffer) {
  const T* const first = buffer.data();
  const auto n = static_cast<std::ptrdiff_t>(buffer.size());
  return static_cast<std::size_t>(n - std::count(first, first + n, expected));
}
#else
template <class T>
__global__ void fill_kernel(T* to, std::size_t n, T value) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}
template <class T>
__global__ void count_others_kernel(const T* values, std::size_t n, T expected, unsigned* others) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && !(values[i] == expected)) atomicAdd(others, 1U);
}
inline detail::launch_config one_each(std::size_t n) {
  return {.grid = static_cast<unsigned>((n + 255) / 256), .block = 256};
}
template <class T>
void fill_with(const device_buffer<T>& buffer, const T& value) {
  detail::launch(one_each(buffer.size()), fill_kernel<T>, buffer.data(), buffer.size(), value);
}
template <class T>
std::size_t others_than(const T& expected, const device_buffer<T>& buffer) {
  static const device_buffer<unsigned> others(1);
  fill_with(others, 0U);
  detail::launch(one_each(buffer.size()), count_others_kernel<T>, buffer.data(), buffer.size(),
                 expected, others.data());
  return others.read()[0];
}
#endif

/// A call in the workspace; its values are `pattern`, or made from that.
class shared_call {
 public:
  explicit shared_call(std::string call) : name(std::move(call)) {}
  virtual ~shared_call() = default;
  shared_call(const shared_call&) = delete;
  shared_call& operator=(const shared_call&) = delete;

  using words = std::array<std::uint32_t, 2>;
  /// Values of `pattern`, its words in turns.
  virtual void fill(words pattern) = 0;
  [[nodiscard]] virtual status run(const workspace& memory) = 0;
  /// How many results are not what the values come to.
  [[nodiscard]] virtual std::size_t wrong() = 0;

  const std::string name;
};

enum class kind { reduction, ordered_reduction, rows, few_tiles, many_tiles };
constexpr const char* name_of(kind k) {
  constexpr std::array names{"reduction", "ordered reduction", "rows", "scan of few tiles",
                             "scan of many tiles"};
  return names.at(static_cast<std::size_t>(k));
}

template <unsigned Bytes, kind Kind>
class payload_call : public shared_call {
  using T = payload<Bytes>;
  static constexpr bool scans = Kind == kind::few_tiles || Kind == kind::many_tiles;
  static constexpr std::size_t rows = 3;
  // Several blocks or tiles each: a block alone publishes nothing.
  static constexpr std::size_t bytes = Kind == kind::few_tiles ? 36000 : 108000;
  static constexpr std::size_t least = scans ? 0 : 6000;
  static constexpr std::size_t times = on_cpu_machine ? 1 : scans ? 8 : 64;
  static constexpr std::size_t count = std::max(bytes / Bytes, least) * times / rows * rows;
  static constexpr std::size_t results = scans ? count : Kind == kind::rows ? rows : 1;
  // One value off the input's alignment: the CPU machine scans few values in a ring of tiles, too.
  static constexpr std::size_t shift = Kind == kind::many_tiles && 16 % Bytes == 0 ? 1 : 0;

 public:
  payload_call()
      : shared_call(std::to_string(Bytes) + " bytes, " + name_of(Kind)),
        in_(count),
        out_(results, shift) {}

  static constexpr std::size_t workspace_bytes() {
    return scans ? scan_workspace_bytes<T, T>(count) : reduce_workspace_bytes<T>();
  }
  void fill(words pattern) override {
    for (unsigned i = 0; i < T::words; ++i) {
      value_.at[i] = static_cast<typename T::word>(pattern.at(i % pattern.size()));
    }
    fill_with(in_, value_);
    T poison;
    for (auto& word : poison.at) word = static_cast<typename T::word>(~value_.at[0]);
    fill_with(out_, poison);
  }
  status run(const workspace& memory) override {
    const auto on = device.with(memory);
    const auto op = larger_words<Kind != kind::ordered_reduction>{};
    if constexpr (Kind == kind::rows) {
      return reduce_rows(on, in_.values(), rows, count / rows, out_.room(), T{}, op);
    } else if constexpr (scans) {
      return inclusive_scan(on, in_.values(), out_.room(), op, T{});
    } else {
      return reduce_into(on, in_.values(), out_.data(), T{}, op);
    }
  }
  std::size_t wrong() override { return others_than(value_, out_); }

 private:
  T value_{};
  device_buffer<T> in_, out_;
};

/// A sum of integers, whose blocks add up in one word.
class integer_sum : public shared_call {
  static constexpr std::size_t count = on_cpu_machine ? 40000 : 300000;

 public:
  integer_sum() : shared_call("integer sum"), in_(count), out_(1) {}
  void fill(words pattern) override {
    value_ = pattern[1];
    fill_with(in_, value_);
    fill_with(out_, ~value_);
  }
  status run(const workspace& memory) override {
    return reduce_into(device.with(memory), in_.values(), out_.data());
  }
  std::size_t wrong() override {
    return others_than(value_ * static_cast<std::uint32_t>(count), out_);
  }

 private:
  std::uint32_t value_ = 0;
  device_buffer<std::uint32_t> in_, out_;
};

/// An exact sum, whose blocks publish digits of 8 bytes.
template <class T>
class exact_call : public shared_call {
  static constexpr std::size_t count = on_cpu_machine ? 9000 : 300000;

 public:
  exact_call() : shared_call(sizeof(T) == 4 ? "exact f32" : "exact f64"), in_(count), out_(1) {}
  void fill(words pattern) override {
    value_ = static_cast<T>(pattern[0] % (1U << 20));
    fill_with(in_, value_);
    fill_with(out_, T{-1});
  }
  status run(const workspace& memory) override {
    return exact_sum_into(device.with(memory), in_.values(), out_.data());
  }
  std::size_t wrong() override {
    // Both factors and the product are whole numbers of fewer than 53 bits.
    const double sum = static_cast<double>(value_) * static_cast<double>(count);
    return others_than(static_cast<T>(sum), out_);
  }

 private:
  T value_ = 0;
  device_buffer<T> in_, out_;
};

struct shared_calls {
  std::vector<std::unique_ptr<shared_call>> all;
  std::size_t bytes = exact_workspace_bytes<double>();

  template <unsigned Bytes, kind Kind>
  void add() {
    all.push_back(std::make_unique<payload_call<Bytes, Kind>>());
    bytes = std::max(bytes, payload_call<Bytes, Kind>::workspace_bytes());
  }
  template <unsigned Bytes>
  void add_all() {
    add<Bytes, kind::reduction>(), add<Bytes, kind::rows>();
    add<Bytes, kind::few_tiles>(), add<Bytes, kind::many_tiles>();
    if constexpr (Bytes == 4 || Bytes == 24) add<Bytes, kind::ordered_reduction>();
  }
  shared_calls() {
    add_all<1>(), add_all<2>(), add_all<4>(), add_all<8>();
    add_all<12>(), add_all<16>(), add_all<24>(), add_all<32>();
    all.push_back(std::make_unique<integer_sum>());
    all.push_back(std::make_unique<exact_call<float>>());
    all.push_back(std::make_unique<exact_call<double>>());
  }
};

/// The launches that have had an epoch of their own.
std::uint32_t epochs_of(const workspace& memory) {
  const workspace_view view = memory;
  std::uint64_t word = 0;
  detail::copy_async(&word, view.data, sizeof word, device.stream())
      .throw_if_failed("read the epoch");
  detail::wait_for(device.stream()).throw_if_failed("read the epoch");
  return static_cast<std::uint32_t>(word >> 32);
}

/// What the first call of a pair may leave: the next epochs in the lower or the upper word of every
/// 8 bytes, or in both, beside values larger than the second call's.
std::array<shared_call::words, 3> imitations(std::uint32_t epochs) {
  constexpr std::uint32_t junk = 0x49742400;
  return {{{epochs + 2, junk}, {junk, epochs + 2}, {epochs + 2, epochs + 2}}};
}

#if defined(SIMT_KERNELS)
/// The first call of a pair, and its memory as it leaves it, for one second call after the other:
/// the machine runs a call where it is made, so that each finds what it would right behind the
/// first.
class first_calls {
 public:
  first_calls(shared_call& first, const workspace& memory) : first_(first), memory_(memory) {}
  /// The wrong results of this call, once, and of `second` behind it.
  std::size_t run_before(shared_call& second, std::uint64_t seed) {
    const simt::observe order({.workers = 1, .seed = seed % 8, .patience_seconds = 10});
    std::size_t wrong = 0;
    auto& left = left_.at(seed % left_.size());
    const workspace_view view = memory_;
    if (left.empty()) {
      first_.fill(imitations(epochs_of(memory_)).at(seed % 3));
      first_.run(memory_).throw_if_failed("the first call");
      wrong += first_.wrong();
      left.resize(view.bytes);
      std::memcpy(left.data(), view.data, view.bytes);
    } else {
      std::memcpy(view.data, left.data(), view.bytes);
    }
    second.fill({3, 1});
    second.run(memory_).throw_if_failed("the second call");
    return wrong + second.wrong();
  }

 private:
  shared_call& first_;
  const workspace& memory_;
  std::array<std::vector<std::byte>, 6> left_;  // of several values and orders
};
#else
class first_calls {
 public:
  first_calls(shared_call& first, const workspace& memory) : first_(first), memory_(memory) {}
  std::size_t run_before(shared_call& second, std::uint64_t seed) {
    first_.fill(imitations(epochs_of(memory_)).at(seed % 3));
    second.fill({3, 1});
    first_.run(memory_).throw_if_failed("the first call");
    second.run(memory_).throw_if_failed("the second call");
    return first_.wrong() + second.wrong();
  }

 private:
  shared_call& first_;
  const workspace& memory_;
};
#endif

class device_workspace : public device_test {};

TEST_F(device_workspace, serves_every_ordered_pair_of_calls) {
  const shared_calls calls;
  const workspace memory(calls.bytes);
  const unsigned rounds = on_cpu ? 1 : 30;
  std::uint64_t seed = 0;
  std::size_t pairs = 0;
  std::vector<std::string> wrong;
  for (unsigned round = 0; round < rounds; ++round) {
    for (const auto& first : calls.all) {
      first_calls before(*first, memory);
      for (const auto& second : calls.all) {
        ++pairs;
        if (before.run_before(*second, seed++) != 0) {
          wrong.push_back(first->name + ", then " + second->name);
        }
      }
    }
  }
  EXPECT_EQ(wrong.size(), 0U) << "of " << pairs << " pairs, the first of them " << wrong.front();
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
