// Properties of the device library for whatever RapidCheck thinks of: sizes, starts at any byte
// that the type allows, operators with state that do not commute, results in place of the values.
#include <functional>

#include <rapidcheck.h>

#include "tests/library/device/device_sort_test.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_properties : public device_test {
 public:
  static constexpr int power = on_cpu ? 12 : 19;  // of two: the most values of a reduction or scan
};

/// f, then `middle`, then g: an operator of its own for each `middle` that has an inverse, which is
/// its identity. Associative, not commutative, with state.
struct by_way_of {
  affine middle, inverse;

  template <class T>
  __host__ __device__ T operator()(const T& f, const T& g) const {
    return then{}(then{}(f, middle), g);
  }
  template <class T>
  __host__ __device__ T identity() const {
    return inverse;
  }
};

by_way_of any_operator() {
  const std::uint32_t a = *rc::gen::arbitrary<std::uint32_t>() | 1;  // odd: it has an inverse
  const std::uint32_t b = *rc::gen::arbitrary<std::uint32_t>();
  std::uint32_t inverse = a;  // right in 3 bits; each step doubles them
  for (int step = 0; step < 4; ++step) inverse *= 2 - a * inverse;
  return {{a, b}, {inverse, 0U - inverse * b}};
}

/// Few and up to 2^power, and around powers of two, where the shapes of launches change.
std::size_t any_size(int power) {
  const auto around = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(4, power), rc::gen::inRange(0, 7)), [](const auto& p) {
        return (std::size_t{1} << p.first) + static_cast<std::size_t>(p.second) - 3;
      });
  return *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 100),
                         rc::gen::inRange<std::size_t>(0, std::size_t{1} << power), around);
}

/// How many values of T from a 16-byte boundary; 1 to 15 bytes, or none.
template <class T>
std::size_t any_offset() {
  return *rc::gen::inRange<std::size_t>(0, std::max<std::size_t>(16 / sizeof(T), 2));
}

template <class T>
std::vector<T> any_values(int power = device_properties::power) {
  const std::size_t n = any_size(power);
  return random_values<T>(n, *rc::gen::arbitrary<unsigned>());
}
std::vector<affine> any_affines() {
  const auto bits = any_values<std::uint64_t>();
  std::vector<affine> values;
  for (const std::uint64_t b : bits) {
    values.push_back({static_cast<std::uint32_t>(b >> 32), static_cast<std::uint32_t>(b)});
  }
  return values;
}

template <class T, class Op>
void reduces(const std::vector<T>& values, Op op) {
  const device_buffer<T> in(values, any_offset<T>());
  T expected = op.template identity<T>();
  for (const T& v : values) expected = op(expected, v);
  RC_ASSERT(reduce(device, in.values(), op.template identity<T>(), op) == expected);
  RC_ASSERT(in.read() == values);
}

template <class T, class Op>
void scans(const std::vector<T>& values, Op op) {
  const bool exclusive = *rc::gen::arbitrary<bool>(), in_place = *rc::gen::arbitrary<bool>();
  std::vector<T> expected;
  T sum = op.template identity<T>();
  for (const T& v : values) {
    const T next = op(sum, v);
    expected.push_back(exclusive ? sum : next);
    sum = next;
  }
  const device_buffer<T> in(values, any_offset<T>()), apart(values.size(), any_offset<T>());
  const device_buffer<T>& out = in_place ? in : apart;
  const status state =
      exclusive ? exclusive_scan(device, in.values(), out.room(), op.template identity<T>(), op)
                : inclusive_scan(device, in.values(), out.room(), op);
  RC_ASSERT(state.ok());
  RC_ASSERT(out.read() == expected);
  if (!in_place) RC_ASSERT(in.read() == values);
}

template <class K, class V, class Less>
void sorts(const std::vector<K>& keys, Less less) {
  const bool pairs = *rc::gen::arbitrary<bool>();
  const auto items = numbered<V>(keys.size());
  const device_buffer<K> sorted(keys, any_offset<K>());
  const device_buffer<V> along(items, any_offset<V>());
  const status state = pairs ? stable_sort_by_key(device, sorted.room(), along.room(), less)
                             : stable_sort(device, sorted.room(), less);
  RC_ASSERT(state.ok());
  const auto places = places_of(keys, less);
  RC_ASSERT(same_bits(sorted.read(), at_places(keys, places)));
  RC_ASSERT(same_bits(along.read(), pairs ? at_places(items, places) : items));
}

void expect_holds(const char* what, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(what, property));
}

TEST_F(device_properties, reductions) {
  expect_holds("bytes", [] { reduces(any_values<std::uint8_t>(), plus{}); });
  expect_holds("2-byte values", [] { reduces(any_values<std::int16_t>(), maximum{}); });
  expect_holds("4-byte values", [] { reduces(any_values<std::int32_t>(), bit_xor{}); });
  expect_holds("any operator", [] { reduces(any_affines(), any_operator()); });
}

TEST_F(device_properties, scans) {
  expect_holds("bytes", [] { scans(any_values<std::uint8_t>(), plus{}); });
  expect_holds("4-byte values", [] { scans(any_values<std::int32_t>(), minimum{}); });
  expect_holds("any operator", [] { scans(any_affines(), any_operator()); });
}

TEST_F(device_properties, sorts) {
  expect_holds("bytes", [] {
    sorts<std::uint8_t, std::uint8_t>(any_values<std::uint8_t>(power - 1), ascending{});
  });
  expect_holds("floats",
               [] { sorts<float, std::uint32_t>(any_values<float>(power - 1), descending{}); });
  expect_holds("an own order", [] {
    sorts<std::int16_t, std::uint64_t>(any_values<std::int16_t>(power - 1), backwards{});
  });
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
