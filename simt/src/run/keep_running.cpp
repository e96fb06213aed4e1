// Loops of fast kernels that may have no end ask from time to time whether to go on. They stop
// where the launch is over, its limit is past, or they repeat themselves forever.
#include <string>

#include "simt/src/run/failures.hpp"
#include "simt/src/run/log.hpp"
#include "simt/src/run/plain.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

void worker::keep_running(std::uint32_t thread, bool only_reads, const void* registers,
                          std::uintptr_t position) {
  const bool stops = launched->stop.load(std::memory_order_relaxed);
  const bool late = !stops && is_past_limit();
  if (!stops && !late && !(only_reads && livelock.thread_repeats(registers))) return;
  if (whole_blocks) name_thread(thread);
  lane& self = *tls.current;
  if (!stops) {
    if (!whole_blocks) position = last_position(self);
    const hooks_disabled quiet;
    const std::string where = describe(self);
    launched->note_position(position);
    if (late) {
      stop_at_limit(where);
    } else {
      launched->fail(where + ": repeats a loop forever: no thread writes the words that it reads");
    }
  }
  abandon(self);
}

}  // namespace simt::detail

extern "C" void simt_keeps_running(std::uint32_t thread, std::uint32_t only_reads) {
  simt::detail::worker_of(*simt::detail::tls.current)
      .keep_running(thread, only_reads != 0, SIMT_SAVED_REGISTERS(),
                    reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
}
