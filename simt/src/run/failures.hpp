// How a launch ends that can't go on: with an error, or with what an observer reports instead.
#pragma once

#include <atomic>
#include <exception>
#include <string>

#include "simt/src/run/model.hpp"

namespace simt::detail {

/// Ends the launch with this message. The kernel does not go on.
[[noreturn]] void fail(const lane& self, const std::string& what, fault kind = fault::other);
/// The same, but an observer may report it instead. `other` is the thread that it has to do with,
/// if there is one.
[[noreturn]] void fail_hazard(const lane& self, finding_kind kind, const std::string& what,
                              const lane* other = nullptr, const std::string& other_does = {});
/// An observer has reported why.
[[noreturn]] void end_launch(lane& self);
[[noreturn]] void fail_stack(const lane& self);
/// The kernel let an exception out.
[[noreturn]] void fail_thrown(const lane& self, const std::exception_ptr& thrown);

/// "kernel 'k', block (0,0,0), thread (3,0,0)", and the place where it waits if it does.
std::string describe(const lane& self);
std::string describe(const place& where);
std::string where_is(const block& b);

/// From now on, a kernel that accesses what is no memory fails; the program goes on.
void catch_faults();
/// Called before host code's own fault ends the program; null: nothing.
extern void (*before_crash)();

/// The signal that asked for the program's end; 0: none. Kernels that run end as at their limit.
extern std::atomic<int> interrupted;

}  // namespace simt::detail
