// assert, in kernels too. Like the system's, it may be included again, with and without NDEBUG.
#pragma GCC system_header  // #include_next is an extension
#include_next <assert.h>

#if !defined(NDEBUG) && defined(__cplusplus)
#ifndef SIMT_ASSERT_FAILED
#define SIMT_ASSERT_FAILED
namespace simt::detail {
/// In a kernel: ends it. On the host: what the system's does.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line,
                                   const char* function);
}  // namespace simt::detail
#endif
#undef assert
#define assert(...)                                                                       \
  (static_cast<bool>(__VA_ARGS__)                                                         \
       ? void(0)                                                                          \
       : ::simt::detail::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#endif
