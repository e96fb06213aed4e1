// Random sorts of keys, and of indices.
#include "tests/library/fuzz/calls.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <class K, class Less>
fuzz_call fuzz_sort(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto keys = fuzz_keys<K>(n, from);
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto out = std::make_shared<device_buffer<K>>(fuzz_keys<K>(n, from), from.offset());
  const bool in_place = from.below(2) == 0;
  return {of_values<K>("sort", n),
          in_memory<temp_storage>(sort_temp_storage_bytes<K>(n),
                                  [=](const auto& where) {
                                    if (!in_place)
                                      return stable_sort(where, in->values(), out->room(), Less{});
                                    const status s = detail::copy_async(
                                        out->data(), in->data(), n * sizeof(K), where.stream());
                                    return s.ok() ? stable_sort(where, out->room(), Less{}) : s;
                                  }),
          expect_bits(out, at_places(keys, places_of(keys, Less{})))};
}

template <class K, class Less>
fuzz_call fuzz_argsort(fuzz_source& from) {
  const std::size_t n = from.size();
  const auto keys = fuzz_keys<K>(n, from);
  const auto in = std::make_shared<device_buffer<K>>(keys, from.offset());
  const auto out =
      std::make_shared<device_buffer<std::uint32_t>>(terms<std::uint32_t>(n, from.seed()));
  const auto places = places_of(keys, Less{});
  return {of_values<K>("argsort", n),
          in_memory<temp_storage>(
              argsort_temp_storage_bytes<K>(n),
              [=](const auto& where) { return argsort(where, in->values(), out->room(), Less{}); }),
          expect_bits(out, std::vector<std::uint32_t>(places.begin(), places.end()))};
}

}  // namespace

std::span<const make_fuzz_call> fuzz_sort_calls() {
  static constexpr make_fuzz_call calls[] = {
      fuzz_sort<std::uint8_t, ascending>,     fuzz_sort<std::uint16_t, descending>,
      fuzz_sort<std::uint32_t, ascending>,    fuzz_sort<std::uint64_t, ascending>,
      fuzz_sort<std::uint64_t, backwards>,    fuzz_sort<fuzz_key<16>, by_bytes>,
      fuzz_sort<fuzz_key<32>, by_bytes>,      fuzz_sort<fuzz_key<40>, by_bytes>,
      fuzz_argsort<std::uint32_t, ascending>, fuzz_argsort<std::uint64_t, backwards>,
  };
  return calls;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
