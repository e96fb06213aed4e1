#include "simt/src/memory/program.hpp"

#include <algorithm>

#include <link.h>

namespace simt::detail {

namespace {

/// One of the thread's own; the others lie around it.
thread_local char in_thread [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

program_memory::program_memory() {
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    auto& all = *static_cast<program_memory*>(to);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type == PT_LOAD) {
        all.parts_.push_back({info->dlpi_addr + part.p_vaddr, part.p_memsz});
      } else if (part.p_type == PT_TLS) {
        all.thread_local_bytes_ += part.p_memsz + part.p_align;
      }
    }
    return 0;
  };
  dl_iterate_phdr(add, this);
  std::sort(parts_.begin(), parts_.end(),
            [](const extent& a, const extent& b) { return a.begin < b.begin; });
}

bool program_memory::contains(std::uintptr_t address) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                      [](auto at, const extent& e) { return at < e.begin; });
  if (after != parts_.begin()) {
    const extent& e = *(after - 1);
    if (address - e.begin < e.bytes) return true;
  }
  const auto mine = reinterpret_cast<std::uintptr_t>(&in_thread);
  return address + thread_local_bytes_ >= mine && address < mine + thread_local_bytes_;
}

}  // namespace simt::detail
