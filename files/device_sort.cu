// Sorts rows on the device, from and to the host's memory.
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "files/sort.hpp"
#include "files/sort_widths.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::files {
namespace {

/// Device memory for as long as it lives.
class device_room {
 public:
  explicit device_room(std::size_t bytes) {
    if (bytes == 0) return;
    const cudaError_t result = cudaMalloc(&p_, bytes);
    if (result == cudaSuccess) return;
    (void)cudaGetLastError();
    throw device_error("a sort on the device needs " + std::to_string(bytes >> 20) +
                       " MiB more of its memory: " + cudaGetErrorString(result) +
                       "; give less --memory, or --backend host");
  }
  ~device_room() { (void)cudaFree(p_); }
  device_room(const device_room&) = delete;
  device_room& operator=(const device_room&) = delete;

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(p_);
  }

 private:
  void* p_ = nullptr;
};

template <class Key, class Item>
class device_sorter final : public row_sorter {
  static constexpr bool has_items = !std::is_void_v<Item>;
  using item = std::conditional_t<has_items, Item, std::uint8_t>;

 public:
  explicit device_sorter(std::size_t rows)
      : keys_(rows * sizeof(Key)),
        items_(has_items ? rows * sizeof(item) : 0),
        work_bytes_(workspace_bytes(rows)),
        work_(work_bytes_) {}

  void sort(std::span<std::byte> keys, std::span<std::byte> items) override {
    const std::size_t n = keys.size() / sizeof(Key);
    const stream_type stream = device.stream();
    const auto where = device.with(temp_storage_view{work_.as<void>(), work_bytes_});
    const std::span on_device(keys_.as<Key>(), n);
    status state = copy_async(on_device.data(), keys.data(), keys.size(), stream);
    if constexpr (has_items) {
      const std::span moved(items_.as<item>(), n);
      if (state.ok()) state = copy_async(moved.data(), items.data(), items.size(), stream);
      if (state.ok()) state = stable_sort_by_key(where, on_device, moved);
      if (state.ok()) state = copy_async(items.data(), moved.data(), items.size(), stream);
    } else {
      if (state.ok()) state = stable_sort(where, on_device);
    }
    if (state.ok()) state = copy_async(keys.data(), on_device.data(), keys.size(), stream);
    if (state.ok()) state = wait_for(stream);
    state.throw_if_failed("a sort of " + std::to_string(n) + " rows on the device");
  }
  [[nodiscard]] unsigned spare_copies() const override { return 0; }

 private:
  static std::size_t workspace_bytes(std::size_t rows) {
    if constexpr (has_items)
      return sort_temp_storage_bytes<Key, item>(rows);
    else
      return sort_temp_storage_bytes<Key>(rows);
  }

  device_room keys_, items_;
  std::size_t work_bytes_;
  device_room work_;
};

}  // namespace

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

std::unique_ptr<row_sorter> make_device_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                               std::size_t rows) {
  return with_wide_words(key_bytes, item_bytes, [&]<class Key, class Item>(widths<Key, Item>) {
    return std::unique_ptr<row_sorter>(new device_sorter<Key, Item>(rows));
  });
}

}  // namespace warpfold::files
