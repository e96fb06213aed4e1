// Random merges of sorted ranges, set operations, and searches in them.
#include <algorithm>
#include <numeric>

#include "tests/library/fuzz/calls.hpp"
#include "warpfold/merge.hpp"
#include "warpfold/search.hpp"
#include "warpfold/sets.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

/// Two sorted ranges of keys, numbered, and how a stable sort would put them one behind the other.
template <class K, class Less>
struct two_sorted {
  std::vector<K> a, b, merged;
  std::vector<std::size_t> places;

  explicit two_sorted(fuzz_source& from)
      : a(fuzz_keys<K>(from.size(), from)), b(fuzz_keys<K>(from.size(), from)) {
    std::stable_sort(a.begin(), a.end(), Less{});
    std::stable_sort(b.begin(), b.end(), Less{});
    std::vector<K> all = a;
    all.insert(all.end(), b.begin(), b.end());
    places = places_of(all, Less{});
    merged = at_places(all, places);
  }
};

template <class K, class Less>
fuzz_call fuzz_merge(fuzz_source& from) {
  const two_sorted<K, Less> given(from);
  const auto a = std::make_shared<device_buffer<K>>(given.a, from.offset());
  const auto b = std::make_shared<device_buffer<K>>(given.b, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(given.merged.size(), from.offset());
  return {of_values<K>("merge", given.merged.size()),
          [=](const device_execution& where, memory_of) {
            return merge(where, a->values(), b->values(), out->room(), Less{});
          },
          expect_bits(out, given.merged)};
}

template <class K, class V, class Less>
fuzz_call fuzz_merge_by_key(fuzz_source& from) {
  const two_sorted<K, Less> given(from);
  const auto items = fuzz_keys<V>(given.merged.size(), from);
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(given.a.size());
  const auto a = std::make_shared<device_buffer<K>>(given.a, from.offset());
  const auto b = std::make_shared<device_buffer<K>>(given.b, from.offset());
  const auto a_items = std::make_shared<device_buffer<V>>(std::vector<V>(items.begin(), middle));
  const auto b_items =
      std::make_shared<device_buffer<V>>(std::vector<V>(middle, items.end()), from.offset());
  const auto keys_out = std::make_shared<device_buffer<K>>(given.merged.size());
  const auto items_out = std::make_shared<device_buffer<V>>(given.merged.size(), from.offset());
  return {of_values<K>("merge_by_key", given.merged.size()),
          [=](const device_execution& where, memory_of) {
            return merge_by_key(where, a->values(), a_items->values(), b->values(),
                                b_items->values(), keys_out->room(), items_out->room(), Less{});
          },
          [right_keys = expect_bits(keys_out, given.merged),
           right_items = expect_bits(items_out, at_places(items, given.places))] {
            right_keys();
            right_items();
          }};
}

/// Runs of any lengths, keys before the first and behind the last.
template <class K, class V, class Offset, class Less>
fuzz_call fuzz_merge_runs(fuzz_source& from) {
  auto keys = fuzz_keys<K>(from.size(), from);
  const auto items = fuzz_keys<V>(keys.size(), from);
  std::vector<Offset> offsets;
  const std::size_t runs = from.below(3) == 0 ? from.size() : from.below(20);
  for (std::size_t i = 0; i <= runs; ++i) {
    offsets.push_back(static_cast<Offset>(from.seed() % (keys.size() + 1)));
  }
  std::sort(offsets.begin(), offsets.end());
  const auto at = [&](std::size_t i) {
    return keys.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
  };
  for (std::size_t i = 0; i < runs; ++i) std::stable_sort(at(i), at(i + 1), Less{});
  const std::vector<K> in_runs(at(0), at(runs));
  const auto places = places_of(in_runs, Less{});
  const auto first = items.begin() + static_cast<std::ptrdiff_t>(offsets[0]);
  const std::vector<V> items_in_runs(first, first + static_cast<std::ptrdiff_t>(in_runs.size()));

  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto items_in = std::make_shared<device_buffer<V>>(items, from.offset());
  const auto bounds = std::make_shared<device_buffer<Offset>>(offsets);
  const auto keys_out = std::make_shared<device_buffer<K>>(keys.size(), from.offset());
  const auto items_out = std::make_shared<device_buffer<V>>(keys.size(), from.offset());
  // What is behind the result stays as it is.
  auto expected = keys_out->read();
  auto expected_items = items_out->read();
  const auto merged = at_places(in_runs, places);
  const auto merged_items = at_places(items_in_runs, places);
  std::copy(merged.begin(), merged.end(), expected.begin());
  std::copy(merged_items.begin(), merged_items.end(), expected_items.begin());
  return {of_values<K>("merge_runs_by_key", keys.size()) + " in " + std::to_string(runs) + " runs",
          in_memory<temp_storage>(merge_runs_temp_storage_bytes<K, V>(keys.size(), runs),
                                  [=](const auto& where) {
                                    return merge_runs_by_key(
                                        where, in->values(), items_in->values(), bounds->values(),
                                        keys_out->room(), items_out->room(), Less{});
                                  }),
          [right_keys = expect_bits(keys_out, expected),
           right_items = expect_bits(items_out, expected_items)] {
            right_keys();
            right_items();
          }};
}

/// A set operation, as the standard library makes it and as the device does.
template <class K, class Less, class Operation>
fuzz_call fuzz_set_operation(fuzz_source& from, Operation operation) {
  const two_sorted<K, Less> given(from);
  std::vector<K> expected;
  operation.by_std(given.a.begin(), given.a.end(), given.b.begin(), given.b.end(),
                   std::back_inserter(expected), Less{});
  const std::size_t n = given.merged.size(), kept = expected.size();
  const auto a = std::make_shared<device_buffer<K>>(given.a, from.offset());
  const auto b = std::make_shared<device_buffer<K>>(given.b, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(n, from.offset());
  const auto selected = std::make_shared<device_buffer<std::size_t>>(1);
  auto whole = out->read();  // what is behind the result stays as it is
  std::copy(expected.begin(), expected.end(), whole.begin());
  return {
      of_values<K>("set operation", n),
      in_memory<workspace>(set_workspace_bytes<K>(n),
                           [=](const auto& where) {
                             return operation.by_device(where, a->values(), b->values(),
                                                        out->room(), selected->data(), Less{});
                           }),
      [right = expect_bits(out, whole), right_count = expect_bits(selected, std::vector{kept})] {
        right();
        right_count();
      }};
}
/// The same by key: the standard library works on the places of keys.
template <class K, class V, class Less, class Operation>
fuzz_call fuzz_set_operation_by_key(fuzz_source& from, Operation operation) {
  const two_sorted<K, Less> given(from);
  const std::size_t n = given.merged.size();
  const auto items = fuzz_keys<V>(n, from);
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(given.a.size());
  std::vector<K> keys = given.a;
  keys.insert(keys.end(), given.b.begin(), given.b.end());
  std::vector<std::size_t> places(n), kept;
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto second = places.begin() + static_cast<std::ptrdiff_t>(given.a.size());
  operation.by_std(places.begin(), second, second, places.end(), std::back_inserter(kept),
                   [&](std::size_t x, std::size_t y) { return Less{}(keys[x], keys[y]); });
  const auto a = std::make_shared<device_buffer<K>>(given.a, from.offset());
  const auto b = std::make_shared<device_buffer<K>>(given.b, from.offset());
  const auto a_items = std::make_shared<device_buffer<V>>(std::vector<V>(items.begin(), middle));
  const auto b_items =
      std::make_shared<device_buffer<V>>(std::vector<V>(middle, items.end()), from.offset());
  const auto keys_out = std::make_shared<device_buffer<K>>(n, from.offset());
  const auto items_out = std::make_shared<device_buffer<V>>(n, from.offset());
  const auto selected = std::make_shared<device_buffer<std::size_t>>(1);
  auto due = keys_out->read();
  auto due_items = items_out->read();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    due[i] = keys[kept[i]];
    due_items[i] = items[kept[i]];
  }
  return {of_values<K>("set operation by key", n),
          in_memory<workspace>(set_workspace_bytes<K>(n),
                               [=](const auto& where) {
                                 return operation.rows_by_device(
                                     where, a->values(), a_items->values(), b->values(),
                                     b_items->values(), keys_out->room(), items_out->room(),
                                     selected->data(), Less{});
                               }),
          [right_keys = expect_bits(keys_out, due), right_items = expect_bits(items_out, due_items),
           right_count = expect_bits(selected, std::vector{kept.size()})] {
            right_keys();
            right_items();
            right_count();
          }};
}

struct union_operation {
  static void by_std(auto... args) { std::set_union(args...); }
  static status by_device(const auto&... args) { return set_union(args...); }
  static status rows_by_device(const auto&... args) { return set_union_by_key(args...); }
};
struct intersection_operation {
  static void by_std(auto... args) { std::set_intersection(args...); }
  static status by_device(const auto&... args) { return set_intersection(args...); }
  static status rows_by_device(const auto& where, const auto& a, const auto& items, const auto& b,
                               const auto&, const auto&... rest) {
    return set_intersection_by_key(where, a, items, b, rest...);
  }
};
struct difference_operation {
  static void by_std(auto... args) { std::set_difference(args...); }
  static status by_device(const auto&... args) { return set_difference(args...); }
  static status rows_by_device(const auto& where, const auto& a, const auto& items, const auto& b,
                               const auto&, const auto&... rest) {
    return set_difference_by_key(where, a, items, b, rest...);
  }
};
struct symmetric_operation {
  static void by_std(auto... args) { std::set_symmetric_difference(args...); }
  static status by_device(const auto&... args) { return set_symmetric_difference(args...); }
  static status rows_by_device(const auto&... args) {
    return set_symmetric_difference_by_key(args...);
  }
};
template <class K, class Less>
fuzz_call fuzz_sets(fuzz_source& from) {
  const bool by_key = from.below(2) == 1;
  const auto as = [&](auto operation) {
    return by_key ? fuzz_set_operation_by_key<K, std::uint16_t, Less>(from, operation)
                  : fuzz_set_operation<K, Less>(from, operation);
  };
  switch (from.below(4)) {
    case 0: return as(union_operation());
    case 1: return as(intersection_operation());
    case 2: return as(difference_operation());
    default: return as(symmetric_operation());
  }
}

template <class K, class Index, class Less>
fuzz_call fuzz_lower_bound(fuzz_source& from) {
  const two_sorted<K, Less> given(from);
  std::vector<Index> expected;
  for (const K& needle : given.b) {
    expected.push_back(static_cast<Index>(
        std::lower_bound(given.a.begin(), given.a.end(), needle, Less{}) - given.a.begin()));
  }
  const auto keys = std::make_shared<device_buffer<K>>(given.a, from.offset());
  const auto needles = std::make_shared<device_buffer<K>>(given.b, from.offset());
  const auto out = std::make_shared<device_buffer<Index>>(expected.size());
  return {of_values<K>("lower_bound", given.merged.size()),
          [=](const device_execution& where, memory_of) {
            return lower_bound(where, keys->values(), needles->values(), out->room(), Less{});
          },
          expect_bits(out, expected)};
}

template <class T>
struct equals {
  T wanted;
  __host__ __device__ bool operator()(const T& value) const { return value == wanted; }
};
template <class T>
fuzz_call fuzz_find_if(fuzz_source& from) {
  const auto values = fuzz_keys<T>(from.size(), from);
  const equals<T> holds{values.empty() ? T{} : values[from.seed() % values.size()]};
  const auto found =
      static_cast<std::size_t>(std::find_if(values.begin(), values.end(), holds) - values.begin());
  const auto in = std::make_shared<device_buffer<T>>(values, from.offset());
  const auto out = std::make_shared<device_buffer<std::size_t>>(1);
  return {of_values<T>("find_if", values.size()),
          [=](const device_execution& where, memory_of) {
            return find_if_into(where, in->values(), out->data(), holds);
          },
          expect_bits(out, std::vector{found})};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_sorted_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_merge<std::uint32_t, ascending>,
      fuzz_merge<fuzz_key<40>, by_bytes>,
      fuzz_merge_by_key<std::uint32_t, std::uint32_t, ascending>,
      fuzz_merge_by_key<std::uint64_t, fuzz_key<12>, descending>,
      fuzz_merge_runs<std::uint32_t, std::uint32_t, std::uint32_t, ascending>,
      fuzz_merge_runs<std::uint64_t, std::uint8_t, std::int64_t, descending>,
      fuzz_merge_runs<fuzz_key<40>, fuzz_key<12>, std::uint32_t, by_bytes>,
      fuzz_sets<std::uint32_t, ascending>,
      fuzz_sets<fuzz_key<5>, by_bytes>,
      fuzz_lower_bound<std::uint32_t, std::uint32_t, ascending>,
      fuzz_lower_bound<fuzz_key<20>, std::int64_t, by_bytes>,
      fuzz_find_if<std::uint16_t>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
