// What tests of the CPU machine share: arrays on the device, and what a launch counted or said.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "simt/launch.hpp"
#include "simt/memory.hpp"

namespace warpfold::tests {

/// Device memory, freed at the end of the scope.
template <class T>
class device_array : public std::span<T> {
 public:
  explicit device_array(std::size_t n, const T& value = T())
      : std::span<T>(static_cast<T*>(simt::allocate(n * sizeof(T))), n) {
    std::fill(this->begin(), this->end(), value);
  }
  ~device_array() { simt::free(this->data()); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
};

/// What the launches that `f` makes count.
template <class F>
simt::counters counted(F f, simt::run_options options = {}) {
  options.count = true;
  simt::observe scope(std::move(options));
  f();
  return scope.total;
}

inline double value_of(const simt::counters& c, std::string_view name) {
  for (const auto& [known, value] : c.named()) {
    if (known == name) return value;
  }
  throw std::out_of_range("no counter " + std::string(name));
}

/// The message of the kernel_error that a launch in `f` ends in; "" when there is none.
template <class F>
std::string kernel_error_of(F f, simt::run_options options = {}) {
  simt::observe scope(std::move(options));
  try {
    f();
  } catch (const simt::kernel_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace warpfold::tests
