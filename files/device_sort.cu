// Sorts rows on the device, from and to the host's memory.
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "files/sort.hpp"
#include "files/sort_widths.hpp"
#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/sort.hpp"

namespace warpfold::files {
namespace {

/// Throws device_error, with advice, where the device has not so much memory.
template <class T>
detail::device_buffer<T> device_memory(std::size_t size) {
  detail::device_buffer<T> memory;
  if (size == 0) return memory;
  memory.allocate(size, device.stream())
      .throw_if_failed("a sort on the device, which needs ", size * sizeof(T) >> 20,
                       " MiB more (use less --memory, or --backend host)");
  return memory;
}

template <class Key, class Item>
class device_sorter final : public row_sorter {
  static constexpr bool has_items = !std::is_void_v<Item>;
  using item = std::conditional_t<has_items, Item, std::uint8_t>;

 public:
  explicit device_sorter(std::size_t rows)
      : keys_(device_memory<Key>(rows)),
        items_(device_memory<item>(has_items ? rows : 0)),
        work_(device_memory<std::byte>(workspace_bytes(rows))) {}

  void sort(std::span<std::byte> keys, std::span<std::byte> items) override {
    const std::size_t n = keys.size() / sizeof(Key);
    const detail::stream_type stream = device.stream();
    const auto where = device.with(temp_storage_view{work_.data(), work_.bytes()});
    const std::span on_device(keys_.data(), n);
    status state = detail::copy_async(on_device.data(), keys.data(), keys.size(), stream);
    if constexpr (has_items) {
      const std::span moved(items_.data(), n);
      if (state.ok()) state = detail::copy_async(moved.data(), items.data(), items.size(), stream);
      if (state.ok()) state = stable_sort_by_key(where, on_device, moved);
      if (state.ok()) state = detail::copy_async(items.data(), moved.data(), items.size(), stream);
    } else {
      if (state.ok()) state = stable_sort(where, on_device);
    }
    if (state.ok()) state = detail::copy_async(keys.data(), on_device.data(), keys.size(), stream);
    if (state.ok()) state = detail::wait_for(stream);
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

  detail::device_buffer<Key> keys_;
  detail::device_buffer<item> items_;
  detail::device_buffer<std::byte> work_;
};

}  // namespace

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

void require_device() {
  int count = 0, driver = 0;
  const cudaError_t answer = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (answer == cudaSuccess && count > 0) return;
  cudaDriverGetVersion(&driver);
  if (driver == 0) throw device_error("--backend cuda: no NVIDIA driver here; use --backend host");
  if (answer == cudaErrorInsufficientDriver) {
    throw device_error("--backend cuda: the NVIDIA driver supports CUDA ", driver / 1000, ".",
                       driver % 1000 / 10, ", and this program needs ", CUDART_VERSION / 1000,
                       ".0; update the driver, or use --backend host");
  }
  throw device_error("--backend cuda: no usable NVIDIA GPU (", cudaGetErrorString(answer),
                     "); run `warpfold doctor`, or use --backend host");
}

std::unique_ptr<row_sorter> make_device_sorter(std::size_t key_bytes, std::size_t item_bytes,
                                               std::size_t rows) {
  return with_wide_words(key_bytes, item_bytes, [&]<class Key, class Item>(widths<Key, Item>) {
    return std::unique_ptr<row_sorter>(new device_sorter<Key, Item>(rows));
  });
}

}  // namespace warpfold::files
