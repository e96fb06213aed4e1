// What the runtime tells the timeline of this host thread, if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "simt/cudart/engines.hpp"
#include "simt/timeline.hpp"

namespace simt::detail {

/// What follows in a stream comes after these.
using tail = std::vector<std::size_t>;

struct timeline_state {
  explicit timeline_state(const engine_speeds& s)
      : speeds(s), device(s.copy_engines, s.one_queue), serial(++made) {}

  engine_speeds speeds;
  engines device;
  std::uint64_t serial;  // events of another timeline hold no time of this one
  double now = 0;        // the host's clock
  double origin = 0;     // of the spans

  int label = -1;
  std::size_t kernel_bytes = 0;

  struct note {
    std::size_t id;
    unsigned stream;
    int label;
    const char* what;
  };
  std::vector<note> notes;
  std::vector<timeline_span> of_host;
  std::map<void*, unsigned> numbers;  // of the streams in the spans

  /// Puts an operation behind what stands in the stream; its id.
  std::size_t put(void* stream, const operation& what);
  std::size_t put(tail after, const operation& what, double latency, unsigned stream, int named);
  /// A mark behind all that stands in the stream.
  std::size_t mark(void* stream);
  std::size_t mark(tail after);
  /// What an operation in this stream has to wait for.
  [[nodiscard]] tail before(void* stream);
  void follow(void* stream, tail last);

  void call() { now += speeds.call_us; }
  /// The host sleeps until these have ended.
  void wait(const tail& ids);
  void wait_for_all();
  /// By the host's clock.
  bool has_ended(const tail& ids);
  /// The stream is no more; what is in it goes on.
  void forget(void* stream);
  unsigned number_of(void* stream);

 private:
  /// Moved by the host itself, which waits meanwhile.
  std::size_t put_staged(void* stream, const operation& what);
  void works(double us, const char* what, unsigned stream);
  void sleep_until(double end);

  static std::uint64_t made;
  std::map<void*, tail> tails_;
  tail orphans_;  // of streams that are no more, for the default stream
  tail legacy_;   // the last operation of the default stream
};

timeline_state* current_timeline();

/// Of the runtime's streams.
bool is_legacy(const void* stream);
bool waits_for_legacy(void* stream);

}  // namespace simt::detail
