// What tiles tell those to their right while a one-pass scan runs: nothing yet, their own total, or
// the total of all up to them. Values of 4 bytes travel in one 8-byte word with their state, so one
// relaxed store tells both; those of 8 bytes are stored first and released by their state.
#pragma once

#include <cstring>

#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

enum class tile_state : unsigned { empty, total, prefix };

template <class T>
struct told {
  tile_state state;
  T value;
};

/// Global memory: the ticket, then the states.
template <class T, std::size_t Bytes = sizeof(T)>
struct tile_states;

constexpr std::size_t tile_states_bytes(std::size_t tiles, std::size_t value_bytes) {
  return 16 + tiles * (value_bytes == 4 ? 8 : 3 * 8);
}

template <class T>
struct tile_states<T, 4> {
  void* scratch;
  unsigned count;

  __device__ unsigned* ticket() const { return static_cast<unsigned*>(scratch); }
  __device__ void clear(unsigned tile) const { words()[tile] = 0; }
  __device__ void tell(unsigned tile, tile_state state, T value) const {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_relaxed(words() + tile, std::uint64_t{bits} << 32 | static_cast<unsigned>(state));
  }
  __device__ told<T> ask(unsigned tile) const {
    const std::uint64_t word = load_relaxed(words() + tile);
    const auto bits = static_cast<std::uint32_t>(word >> 32);
    told<T> result{static_cast<tile_state>(static_cast<unsigned>(word)), T{}};
    memcpy(&result.value, &bits, sizeof bits);
    return result;
  }

 private:
  __device__ std::uint64_t* words() const {
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(scratch) + 16);
  }
};

template <class T>
struct tile_states<T, 8> {
  void* scratch;
  unsigned count;

  __device__ unsigned* ticket() const { return static_cast<unsigned*>(scratch); }
  __device__ void clear(unsigned tile) const { states()[tile] = 0; }
  __device__ void tell(unsigned tile, tile_state state, T value) const {
    *slot(tile, state) = value;
    store_release(states() + tile, static_cast<unsigned>(state));
  }
  __device__ told<T> ask(unsigned tile) const {
    const auto state = static_cast<tile_state>(load_acquire(states() + tile));
    return {state, state == tile_state::empty ? T{} : *slot(tile, state)};
  }

 private:
  /// Totals and prefixes have their own places: a slow reader may still want the total.
  __device__ T* slot(unsigned tile, tile_state state) const {
    T* const values = reinterpret_cast<T*>(static_cast<char*>(scratch) + 16);
    return values + (state == tile_state::prefix ? count + tile : tile);
  }
  __device__ unsigned* states() const {
    return reinterpret_cast<unsigned*>(static_cast<char*>(scratch) + 16 +
                                       std::size_t{count} * 2 * sizeof(T));
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
