// CUDA's errors: what they are called, which one was last, and the one that sticks.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

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

std::atomic<cudaError_t> stuck{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

namespace simt::detail {

cudaError_t sticky_error() { return stuck; }
void stick(cudaError_t error) { stuck = error; }
void forget_errors() { stuck = last_error = cudaSuccess; }
runtime_errors errors_now() { return {stuck, last_error}; }
void set_errors(runtime_errors to) {
  stuck = to.sticky;
  last_error = to.last;
}

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
  last_error = error;
  explain(std::string(call) + ": " + cudaGetErrorName(error) + ": " + why);
  return error;
}

cudaError_t remember(cudaError_t error, const char* call, const char* why) {
  return remember(error, call, std::string(why));
}

}  // namespace simt::detail

cudaError_t cudaGetLastError() {
  if (stuck != cudaSuccess) return stuck;
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  const cudaError_t sticking = stuck;
  return sticking != cudaSuccess ? sticking : last_error;
}
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
