#include "simt/src/run/failures.hpp"

#include <cstdio>
#include <cstdlib>

#include "simt/src/run/log.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

std::string where_is(const block& b) {
  return "kernel " + kernel_name(grid_of(b).kernel) + ", block " + triple(b.block_idx);
}

std::string describe(const place& where) {
  std::string file = where.file;
  if (const auto slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  file += ":" + std::to_string(where.line);
  if (where.what == intrinsic::none) return file;
  return name_of(where.what) + std::string(" (") + file + ")";
}

std::string describe(const lane& self) {
  std::string text = where_is(block_of(self)) + ", thread " + triple(self.thread_idx) + ", warp " +
                     std::to_string(self.warp->index) + " lane " + std::to_string(self.index);
  if (self.at.line != 0) text += ", " + describe(self.at);
  return text;
}

void grid::note_position(std::uintptr_t position) {
  const std::scoped_lock lock(mutex);
  if (failure.empty()) failure_position = position;
}

void grid::fail(const std::string& what, fault kind) {
  const std::scoped_lock lock(mutex);
  if (failure.empty()) {
    failure = what;
    failure_kind = kind;
  }
  stop = true;
}

void fail(const lane& self, const std::string& what, fault kind) {
  lane& current = *tls.current;
  disable_hooks();
  grid_of(self).fail(describe(self) + ": " + what, kind);
  abandon(current);
}

void fail_hazard(const lane& self, finding_kind kind, const std::string& what, const lane* other,
                 const std::string& other_does) {
  if (tls.observer == nullptr || !tls.observer->reports({kind, self, what, other, other_does})) {
    fail(self, what);
  }
  end_launch(*tls.current);
}

void end_launch(lane& self) {
  disable_hooks();
  grid_of(self).stop = true;
  abandon(self);
}

void fail_stack(const lane& self) {
  if (grid_of(self).engine == engine_kind::watched) {
    grid_of(self).note_position(last_position(self));
  }
  fail(self, stack_advice());
}

void fail_thrown(const lane& self, const std::exception_ptr& thrown) {
  std::string what = "threw something";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    what = std::string("threw: ") + e.what();
  } catch (...) {
  }
  fail(self, what);
}

void fail_outside(const char* what) {
  throw kernel_error(std::string(what) + ": outside a kernel; launch one with simt::launch");
}

void fail_here(const char* file, int line, const char* what) {
  lane& self = running(what);
  self.at = {file, line, intrinsic::none};
  fail(self, what);
}

void assertion_failed(const char* expression, const char* file, int line, const char* function) {
  if (tls.current == nullptr) {
    std::fprintf(stderr, "%s:%d: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  tls.current->at = {file, line, intrinsic::none};
  fail(*tls.current, std::string("assertion `") + expression + "` failed in " + function,
       fault::assertion);
}

}  // namespace simt::detail
