// How calls on the host are timed: candidates take turns, so that a busy spell of the machine hits
// all alike; no cache holds the memory that a call works in; every result is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bench/harness/candidate.hpp"

namespace warpfold::bench {

/// The processor's time is what this program's threads spent: a busy machine changes it little.
enum class host_clock : std::uint8_t { wall, processor };

/// Bytes of this machine's largest cache, or what WARPFOLD_CACHE_BYTES says of it.
std::size_t cache_bytes();

/// Microseconds.
double time_us(const std::function<void()>& call, host_clock clock = host_clock::wall);

/// A call to warm up and `samples` timed ones of each candidate.
measurements time_on_host(unsigned samples, const slots& memory,
                          std::span<const candidate> candidates,
                          host_clock clock = host_clock::wall);

/// The processor's name and its threads; the compiler.
measure::run_info host_run_info();

}  // namespace warpfold::bench
