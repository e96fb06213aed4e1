#include <cstdint>
#include <type_traits>

#include "files/sort.hpp"
#include "files/sort_widths.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::files {
namespace {

template <class Key, class Item>
class host_sorter final : public row_sorter {
 public:
  explicit host_sorter(unsigned threads) : where_(host.threads(threads)) {}

  void sort(std::span<std::byte> keys, std::span<std::byte> items) override {
    const std::span all(reinterpret_cast<Key*>(keys.data()), keys.size() / sizeof(Key));
    if constexpr (std::is_void_v<Item>) {
      stable_sort(where_, all);
    } else {
      stable_sort_by_key(where_, all, std::span(reinterpret_cast<Item*>(items.data()), all.size()));
    }
  }
  [[nodiscard]] unsigned spare_copies() const override { return 1; }

 private:
  host_execution where_;
};

}  // namespace

std::unique_ptr<row_sorter> make_host_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                             unsigned threads) {
  return with_widths(key_bytes, item_bytes, [&]<class Key, class Item>(widths<Key, Item>) {
    return std::unique_ptr<row_sorter>(new host_sorter<Key, Item>(threads));
  });
}

}  // namespace warpfold::files
