// CUDA's errors: what they are called, and how calls note them.
#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>

#include "simt/cudart/state.hpp"
#include "simt/src/launch.hpp"
#include "simt/src/program.hpp"

namespace {

struct error_text {
  cudaError_t error;
  const char* name;
  const char* text;
};
#define SIMT_ERROR(name, value, text) error_text{name, #name, text},
constexpr std::array texts{SIMT_CUDA_ERRORS(SIMT_ERROR)};
#undef SIMT_ERROR

const error_text& text_of(cudaError_t error) {
  static constexpr error_text strange{cudaErrorUnknown, "unrecognized error code",
                                      "unrecognized error code"};
  const auto* const found = std::find_if(texts.begin(), texts.end(),
                                         [=](const error_text& t) { return t.error == error; });
  return found != texts.end() ? *found : strange;
}

}  // namespace

namespace simt::detail {

void explain(const std::string& what) {
  static std::mutex mutex;  // host threads may share a scope
  const std::scoped_lock lock(mutex);
  if (observe* const watching = current_scope(); watching != nullptr) {
    watching->errors.push_back(what);
    if (is_of_program(watching)) std::fprintf(stderr, "simt: %s\n", what.c_str());
  } else {
    std::fprintf(stderr, "simt: %s\n", what.c_str());
  }
}

cudaError_t remember(cudaError_t error, const char* call, const std::string& why) {
  if (error == cudaSuccess) return error;
  set_last_error(error);
  explain(std::string(call) + ": " + cudaGetErrorName(error) + ": " + why);
  return error;
}

cudaError_t remember(cudaError_t error, const char* call, const char* why) {
  return remember(error, call, std::string(why));
}

}  // namespace simt::detail

cudaError_t cudaGetLastError() {
  const auto [sticky, last] = simt::detail::errors_now();
  if (sticky != cudaSuccess) return sticky;
  simt::detail::set_last_error(cudaSuccess);
  return last;
}
cudaError_t cudaPeekAtLastError() {
  const auto [sticky, last] = simt::detail::errors_now();
  return sticky != cudaSuccess ? sticky : last;
}
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
