// Barriers in shared memory, as functions.
#pragma once

#include <cstdint>

#include "cuda_runtime.h"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
using __mbarrier_t = std::uint64_t;
using __mbarrier_token_t = std::uint64_t;

constexpr std::uint32_t __mbarrier_maximum_count() { return (1U << 20) - 1; }
inline void __mbarrier_init(__mbarrier_t* barrier, std::uint32_t expected) {
  simt::detail::mbarrier_init(barrier, expected);
}
inline void __mbarrier_inval(__mbarrier_t*) {}
[[nodiscard]] inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return simt::detail::mbarrier_arrive(barrier, 1);
}
[[nodiscard]] inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return simt::detail::mbarrier_drop(barrier, 1);
}
inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return simt::detail::mbarrier_is_over(barrier, token);
}
inline bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool odd) {
  return simt::detail::mbarrier_parity_is_over(barrier, odd ? 1 : 0);
}
inline bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, std::uint32_t) {
  return __mbarrier_test_wait(barrier, token);
}
inline bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool odd, std::uint32_t) {
  return __mbarrier_test_wait_parity(barrier, odd);
}
inline std::uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
  return simt::detail::mbarrier_pending(token);
}
/// The copies before it are there already.
inline void __pipeline_arrive_on(__mbarrier_t*) {}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
