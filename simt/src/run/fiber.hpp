// Switching between the stacks of threads. A barrier makes every thread of a block switch, so this
// is what the machine does most. On x86-64 the switch is inlined: a call to an outside routine
// would leave the processor's return prediction one off at every switch. Elsewhere Boost.Context
// does it.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace simt::detail {

/// A stopped fiber: where its stack is, all else lies on it.
using fiber = void*;

/// Stops here, keeps the place in `own`, and goes on in `next`; returns when somebody goes on in
/// `own`. What was kept in registers is back then.
[[gnu::always_inline]] inline void switch_fiber(fiber& own, fiber next) {
#if defined(__x86_64__)
  fiber* const keep = &own;
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"  // past the red zone
      "push %%rbp\n\t"
      "lea 1f(%%rip), %%rax\n\t"
      "push %%rax\n\t"
      "mov %%rsp, (%%rdi)\n\t"
      "mov %%rsi, %%rsp\n\t"
      "pop %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "pop %%rbp\n\t"
      "lea 128(%%rsp), %%rsp\n\t"
      :
      : "D"(keep), "S"(next)
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#else
  const auto from = boost::context::detail::jump_fcontext(next, &own);
  *static_cast<fiber*>(from.data) = from.fctx;
#endif
}

/// A fiber that will run `entry`, which never returns, on the stack below `stack_top`. All fibers
/// of the process have the same entry.
#if defined(__x86_64__)
inline fiber make_fiber(std::byte* stack_top, std::size_t, void (*entry)()) {
  const auto past = reinterpret_cast<std::uintptr_t>(stack_top) % 16;
  auto* top = reinterpret_cast<std::uint64_t*>(stack_top - past);
  *--top = 0;  // the entry's return address, which aligns its frame: it has none to go back to
  *--top = reinterpret_cast<std::uint64_t>(entry);
  return top;
}
#else
inline fiber make_fiber(std::byte* stack_top, std::size_t stack_bytes, void (*entry)()) {
  static void (*start)() = nullptr;  // the same for all
  start = entry;
  return boost::context::detail::make_fcontext(stack_top, stack_bytes,
                                               [](boost::context::detail::transfer_t from) {
                                                 *static_cast<fiber*>(from.data) = from.fctx;
                                                 start();
                                               });
}
#endif

}  // namespace simt::detail
