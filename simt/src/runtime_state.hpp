// What calls of CUDA's runtime share.
#pragma once

#include <string>

#include "simt/runtime.hpp"

namespace simt::detail {

/// The error that no call gets past any more, if a kernel has ended in one.
cudaError_t sticky_error();
void stick(cudaError_t error);
void forget_errors();

/// Tells whoever watches, else the user, what is behind a status.
void explain(const std::string& what);

/// Notes the error, if it is one, as this thread's last; says why.
cudaError_t remember(cudaError_t error, const char* call, const std::string& why);

/// Runs `body`, which returns a status, unless there is a sticky error.
template <class Body>
cudaError_t guarded(Body body) {
  if (const cudaError_t stuck = sticky_error(); stuck != cudaSuccess) return stuck;
  return body();
}

/// A stream that exists; the default one does.
bool is_stream(cudaStream_t stream);
cudaError_t bad_stream(const char* call);

void free_all_memory();

}  // namespace simt::detail
