#include "simt/src/run/device.hpp"

#include <algorithm>
#include <array>

#include "simt/src/settings.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

/// As NVIDIA's tables of compute capabilities and data sheets have them.
constexpr std::array devices{
    device_shape{"v100", 7, 0, 80, 2048, 32, 96 * kib, 96 * kib, 6 * mib, 4096},
    device_shape{"t4", 7, 5, 40, 1024, 16, 64 * kib, 64 * kib, 4 * mib, 256},
    device_shape{"a100", 8, 0, 108, 2048, 32, 164 * kib, 163 * kib, 40 * mib, 5120},
    device_shape{"rtx3090", 8, 6, 82, 1536, 16, 100 * kib, 99 * kib, 6 * mib, 384},
    device_shape{"rtx4090", 8, 9, 128, 1536, 24, 100 * kib, 99 * kib, 72 * mib, 384},
    device_shape{"h100", 9, 0, 132, 2048, 32, 228 * kib, 227 * kib, 50 * mib, 5120},
    device_shape{"h200", 9, 0, 132, 2048, 32, 228 * kib, 227 * kib, 50 * mib, 6144},
};

}  // namespace

const device_shape* find_device(std::string_view name) {
  const auto* const found =
      std::find_if(devices.begin(), devices.end(), [=](const auto& d) { return d.name == name; });
  return found != devices.end() ? found : nullptr;
}

std::string device_names() {
  std::string names;
  for (const device_shape& d : devices) names += (names.empty() ? "" : ", ") + std::string(d.name);
  return names;
}

const device_shape& the_device() {
  static const device_shape& shape = []() -> const device_shape& {
    const std::string& name = the_settings().device;
    return *find_device(name.empty() ? "h100" : name);
  }();
  return shape;
}

namespace {
thread_local int device_of_thread = 0;
}
int current_device() { return device_of_thread; }
void set_current_device(int device) { device_of_thread = device; }

int fitting_blocks(int threads, std::size_t shared_bytes) {
  const device_shape& d = the_device();
  const int by_threads = d.threads_per_processor / ((threads + 31) / 32 * 32);
  const auto by_shared =
      static_cast<int>(d.shared_per_processor / (shared_bytes + device_shape::shared_of_system));
  return std::min({by_threads, by_shared, d.blocks_per_processor});
}

}  // namespace simt::detail
