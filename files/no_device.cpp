// In place of the device's algorithms, in builds without CUDA.
#include "files/algorithms.hpp"
#include "files/sort.hpp"
#include "warpfold/error.hpp"

namespace warpfold::files {

namespace {

[[noreturn]] void refuse_device() {
  throw device_error("this program was built without CUDA; use --backend host");
}

}  // namespace

bool has_device() { return false; }

void require_device() { refuse_device(); }

std::unique_ptr<row_sorter> make_device_sorter(std::size_t, std::size_t, std::size_t) {
  refuse_device();
}

template <class T>
reduced device_algorithms<T>::reduce(data::number_input&, reduction, const run_options&,
                                     const exact_request&) {
  refuse_device();
}
template <class T>
std::uint64_t device_algorithms<T>::scan(data::number_input&, const scan_request&,
                                         const run_options&) {
  refuse_device();
}

template struct device_algorithms<std::int32_t>;
template struct device_algorithms<std::int64_t>;
template struct device_algorithms<std::uint8_t>;
template struct device_algorithms<std::uint32_t>;
template struct device_algorithms<std::uint64_t>;
template struct device_algorithms<float>;
template struct device_algorithms<double>;

}  // namespace warpfold::files
