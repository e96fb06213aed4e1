// Loops of plain kernels that may have no end: after so many rounds they ask whether to go on, and
// learn that the launch is over, that its limit is, or that they do the same for ever.
#include <bit>
#include <chrono>
#include <mutex>
#include <string>

#include "simt/src/run/failures.hpp"
#include "simt/src/run/log.hpp"
#include "simt/src/run/plain.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

/// A thread that writes nothing and comes back to the same registers and stack does so again and
/// again, unless others write. It is in vain when no thread of the grid gets on meanwhile.
bool worker::is_in_vain(const void* registers) {
  grid& g = *launched;
  const auto now = std::chrono::steady_clock::now();
  const std::uint64_t progress = g.progress.load(std::memory_order_relaxed);
  const auto set_in_vain = [&](bool is) {
    if (rounds.in_vain == is) return;
    rounds.in_vain = is;
    const std::scoped_lock lock(g.mutex);
    is ? ++g.in_vain : --g.in_vain;
  };
  if (rounds.asked++ == 0 || rounds.progress != progress) {
    set_in_vain(false);
    rounds = {progress, now, 0, 1, false};
    return false;
  }
  const std::chrono::duration<double> waited = now - rounds.since;
  if (waited.count() < g.options.patience_seconds) return false;
  const std::uint64_t state = state_of(*tls.current, registers);
  const bool same = state == rounds.state;
  if (same) set_in_vain(true);
  if (!same && std::has_single_bit(rounds.asked)) {  // a longer and longer time to come back in
    rounds.state = state;
    set_in_vain(false);
  }
  if (!rounds.in_vain) return false;
  const std::scoped_lock lock(g.mutex);
  return g.in_vain == g.agreement.workers;
}

void worker::keep_running(std::uint32_t thread, bool only_reads, const void* registers) {
  const bool stops = launched->stop.load(std::memory_order_relaxed);
  const bool late = !stops && is_past_limit();
  if (!stops && !late && !(only_reads && is_in_vain(registers))) return;
  if (whole_blocks) name_thread(thread);
  lane& self = *tls.current;
  if (!stops) {
    const hooks_disabled quiet;
    const std::string where = describe(self);
    if (launched->engine == engine_kind::watched) launched->note_position(last_position(self));
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
      .keep_running(thread, only_reads != 0, SIMT_SAVED_REGISTERS());
}
