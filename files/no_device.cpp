#include "files/no_device.hpp"

#include "files/sort.hpp"

namespace warpfold::files {

bool has_device() { return false; }

void require_device() { refuse_device(); }

std::unique_ptr<row_sorter> make_device_sorter(std::size_t, std::size_t, std::size_t) {
  refuse_device();
}

}  // namespace warpfold::files
