#include "simt/src/run/device.hpp"

#include <algorithm>

#include "simt/prediction.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/settings.hpp"

namespace simt {

namespace detail {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

const device_model& the_model() {
  static const device_model model =
      find_device_model(the_settings().device.empty() ? "h100" : the_settings().device);
  return model;
}

/// As the table of compute capabilities has it: from 8.0 on CUDA keeps 1 KiB of each block's.
device_shape shape_of(const device_model& m) {
  const auto whole = [](double number) { return static_cast<unsigned>(number); };
  device_shape d{.name = m.name,
                 .product = m.product,
                 .capability = whole(m.capability),
                 .processors = whole(m.processors),
                 .threads_per_processor = whole(m.threads_per_processor),
                 .blocks_per_processor = whole(m.blocks_per_processor),
                 .registers_per_processor = whole(m.registers_per_processor),
                 .shared_per_block = 0,
                 .shared_per_processor = whole(m.shared_kib_per_processor) * kib,
                 .shared_of_system = m.capability >= 80 ? kib : 0,
                 .cache_bytes = static_cast<std::size_t>(m.l2_mib * mib),
                 .bus_bits = whole(m.bus_bits)};
  d.shared_per_block = std::min(d.shared_per_processor - d.shared_of_system, max_shared_bytes);
  return d;
}

/// "98,304"
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

std::string says_device() {
  const device_shape& d = the_device();
  return "the device is " + d.product + ", " + std::to_string(d.capability / 10) + "." +
         std::to_string(d.capability % 10) + " (SIMT_DEVICE=" + d.name + ")";
}

std::string too_much_shared(std::size_t bytes) {
  const device_shape& d = the_device();
  if (bytes <= d.shared_per_block) return {};
  std::string why = grouped(bytes) + " bytes of shared memory in a block; the limit is " +
                    grouped(d.shared_per_block) + ": the " +
                    std::to_string(d.shared_per_processor / kib) + " KiB of a multiprocessor";
  if (d.shared_of_system != 0) why += " less 1 KiB for each block, which CUDA reserves";
  return why + "; " + says_device();
}

namespace {
thread_local int device_of_thread = 0;
}
int current_device() { return device_of_thread; }
void set_current_device(int device) { device_of_thread = device; }

}  // namespace detail

const device_shape& the_device() {
  static const device_shape shape = detail::shape_of(detail::the_model());
  return shape;
}
device_shape find_device_shape(std::string_view name) {
  return detail::shape_of(find_device_model(name));
}
std::vector<std::string> device_names() {
  std::vector<std::string> names = device_model_names();
  std::erase_if(names, [](const std::string& name) {
    return find_device_model(name).capability < detail::oldest_capability;
  });
  return names;
}

unsigned fitting_blocks(unsigned threads, std::size_t shared_bytes, unsigned registers) {
  const device_shape& d = the_device();
  constexpr unsigned parts = 4, registers_at_once = 256;  // of a multiprocessor; of a warp
  const std::size_t shared_at_once = d.capability >= 80 ? 128 : 256;
  const unsigned warps = (threads + 31) / 32;
  if (threads == 0 || shared_bytes > d.shared_per_block) return 0;
  unsigned fits = std::min(d.blocks_per_processor, d.threads_per_processor / (32 * warps));
  const std::size_t shared =
      (shared_bytes + d.shared_of_system + shared_at_once - 1) / shared_at_once * shared_at_once;
  if (shared != 0) {
    fits = std::min(fits, static_cast<unsigned>(d.shared_per_processor / shared));
  }
  if (registers != 0) {
    const unsigned of_warp = (32 * registers + registers_at_once - 1) / registers_at_once;
    const unsigned in_part = d.registers_per_processor / parts / (of_warp * registers_at_once);
    fits = std::min(fits, parts * in_part / warps);
  }
  return fits;
}

unsigned fitting_clusters(unsigned blocks, unsigned threads, std::size_t shared_bytes,
                          unsigned registers) {
  const device_shape& d = the_device();
  if (blocks == 0 || blocks > detail::max_cluster || (blocks > 1 && !d.is_9_0())) return 0;
  const auto processors =
      static_cast<unsigned>(detail::the_model().processors_for_clusters(blocks));
  return fitting_blocks(threads, shared_bytes, registers) * processors / blocks;
}

}  // namespace simt
