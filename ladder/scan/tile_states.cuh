// The status of each tile of a one-pass scan with decoupled look-back: empty, the tile's aggregate,
// or its inclusive prefix. A value of 4 bytes and its state are one 8-byte word, so one relaxed
// store publishes both. A value of 8 bytes is stored first; a release of its state publishes it.
#pragma once

#include <cstring>

#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

enum class tile_state : unsigned { empty, aggregate, prefix };

template <class T>
struct tile_status {
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
  __device__ void publish(unsigned tile, tile_state state, T value) const {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_relaxed(words() + tile, std::uint64_t{bits} << 32 | static_cast<unsigned>(state));
  }
  __device__ tile_status<T> read(unsigned tile) const {
    const std::uint64_t word = load_relaxed(words() + tile);
    const auto bits = static_cast<std::uint32_t>(word >> 32);
    tile_status<T> result{static_cast<tile_state>(static_cast<unsigned>(word)), T{}};
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
  __device__ void publish(unsigned tile, tile_state state, T value) const {
    *slot(tile, state) = value;
    store_release(states() + tile, static_cast<unsigned>(state));
  }
  __device__ tile_status<T> read(unsigned tile) const {
    const auto state = static_cast<tile_state>(load_acquire(states() + tile));
    return {state, state == tile_state::empty ? T{} : *slot(tile, state)};
  }

 private:
  /// Aggregates and prefixes have slots of their own: a slow reader may still want the aggregate.
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
