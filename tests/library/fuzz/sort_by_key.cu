// Random sorts of keys and items.
#include "tests/library/fuzz/calls.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class K, class V, class Less>
fuzz_call fuzz_sort_by_key(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto keys = fuzz_keys<K>(n, from);
  const auto items = numbered<V>(n);
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto along = std::make_shared<device_buffer<V>>(items, from.offset());
  const auto keys_out = std::make_shared<device_buffer<K>>(fuzz_keys<K>(n, from), from.offset());
  const auto items_out = std::make_shared<device_buffer<V>>(items, from.offset());
  const bool in_place = from.below(2) == 0;
  const auto places = places_of(keys, Less{});
  return {of_values<K>("sort_by_key", n) + " with items of " + std::to_string(sizeof(V)),
          in_memory<temp_storage>(
              sort_temp_storage_bytes<K, V>(n),
              [=](const auto& where) {
                if (!in_place) {
                  return stable_sort_by_key(where, in->values(), along->values(), keys_out->room(),
                                            items_out->room(), Less{});
                }
                status s =
                    detail::copy_async(keys_out->data(), in->data(), n * sizeof(K), where.stream());
                if (s.ok()) {
                  s = detail::copy_async(items_out->data(), along->data(), n * sizeof(V),
                                         where.stream());
                }
                return s.ok()
                           ? stable_sort_by_key(where, keys_out->room(), items_out->room(), Less{})
                           : s;
              }),
          [right_keys = expect_bits(keys_out, at_places(keys, places)),
           right_items = expect_bits(items_out, at_places(items, places))] {
            right_keys();
            right_items();
          }};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_sort_by_key_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_sort_by_key<std::uint16_t, std::uint32_t, ascending>,
      fuzz_sort_by_key<std::uint32_t, std::uint32_t, ascending>,
      fuzz_sort_by_key<std::uint32_t, std::uint64_t, ascending>,
      fuzz_sort_by_key<std::uint64_t, std::uint64_t, descending>,
      fuzz_sort_by_key<std::uint32_t, fuzz_key<20>, backwards>,
      fuzz_sort_by_key<fuzz_key<32>, std::uint64_t, by_bytes>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
