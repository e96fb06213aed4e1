#include <cstdint>
#include <type_traits>
#include <utility>

#include "files/sort.hpp"
#include "files/sort_widths.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::files {
namespace {

template <class Key, class Item>
class host_sorter final : public row_sorter {
 public:
  host_sorter(unsigned threads, std::stop_token stop)
      : where_(host.threads(threads)), stop_(std::move(stop)) {}

  void sort(std::span<std::byte> keys, std::span<std::byte> items) override {
    const auto check = [this](std::size_t) {
      if (stop_.stop_requested()) throw interrupted("a sort on the host: asked to stop");
    };
    const host_detail::index_call check_call(check);
    const host_detail::check_scope stoppable(check_call);
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
  std::stop_token stop_;
};

}  // namespace

std::unique_ptr<row_sorter> make_host_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                             unsigned threads, std::stop_token stop) {
  return with_widths(key_bytes, item_bytes, [&]<class Key, class Item>(widths<Key, Item>) {
    return std::unique_ptr<row_sorter>(new host_sorter<Key, Item>(threads, std::move(stop)));
  });
}

}  // namespace warpfold::files
