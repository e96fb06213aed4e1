// The main function of the program that warpfold.cuda.compile builds around a user's kernels: it
// finds out their parameters, and launches one on the bytes of its arguments. run_kernel.cpp, which
// is the same for all kernels, has the rest.
#pragma once

#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <cxxabi.h>

namespace warpfold_kernels {

using bytes = std::vector<unsigned char>;

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
  }
}

struct shape {
  dim3 grid, block;
  std::size_t shared_bytes;
};

/// A kernel: its parameters as JSON, and its launch on the bytes of its arguments.
struct kernel_entry {
  std::string name, parameters;
  std::function<void(const shape&, const std::vector<bytes>&)> launch;
};

/// As NumPy names it, or V and its size.
template <class T>
std::string numpy_type() {
  const std::string size = std::to_string(sizeof(T));
  if (std::is_same_v<T, bool>) return "b1";
  if (std::is_floating_point_v<T>) return "f" + size;
  if (std::is_integral_v<T>) return (std::is_signed_v<T> ? "i" : "u") + size;
  return "V" + size;
}

template <class T>
std::string cxx_name() {
  int status = 0;
  char* const text = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : typeid(T).name();
  std::free(text);
  return name;
}

template <class P>
std::string parameter() {
  using target = std::remove_pointer_t<P>;
  using value = std::remove_cv_t<target>;
  std::string type = "V1";
  if constexpr (std::is_enum_v<value>) {
    type = numpy_type<std::underlying_type_t<value>>();
  } else if constexpr (!std::is_void_v<value>) {
    type = numpy_type<value>();
  }
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  return std::string("{\"pointer\": ") + flag(std::is_pointer_v<P>) +
         ", \"const\": " + flag(std::is_const_v<target>) + ", \"type\": \"" + type +
         "\", \"name\": \"" + cxx_name<P>() + "\"}";
}

template <class P>
P value_of(const bytes& from) {
  static_assert(std::is_trivially_copyable_v<P>, "a kernel's parameters are copied as bytes");
  if (from.size() != sizeof(P)) throw std::runtime_error("an argument has the wrong size");
  std::remove_cv_t<P> value;
  std::memcpy(static_cast<void*>(&value), from.data(), sizeof value);
  return value;
}

#ifdef __CUDACC__
template <class... P, std::size_t... I>
void launch_on(void (*kernel)(P...), const shape& s, const std::vector<bytes>& arguments,
               std::index_sequence<I...>) {
  if (s.shared_bytes > 48 * 1024) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(s.shared_bytes)),
          "dynamic shared memory");
  }
  kernel<<<s.grid, s.block, s.shared_bytes>>>(value_of<P>(arguments[I])...);
}

template <class... P>
kernel_entry entry(const char* name, void (*kernel)(P...)) {
  std::string all;
  ((all += (all.empty() ? "" : ", ") + parameter<P>()), ...);
  return {name, all, [kernel](const shape& s, const std::vector<bytes>& arguments) {
            if (arguments.size() != sizeof...(P)) throw std::runtime_error("too few arguments");
            launch_on(kernel, s, arguments, std::index_sequence_for<P...>());
          }};
}
#endif

int main_of(int argc, char** argv, const std::vector<kernel_entry>& kernels);

}  // namespace warpfold_kernels
