// Writing to many places at the same time: each bucket gathers a cache line's worth of values,
// which then goes to memory past the cache. So no line is read before it is overwritten, and few of
// the pages written to are needed at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "warpfold/host/detail/key_values.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

inline constexpr std::size_t line_bytes = 64;

/// 64 bytes to an address that is a multiple of 64, past the cache where the machine can.
[[gnu::always_inline]] inline void stream_line(void* to, const void* from) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < line_bytes / sizeof(__m128i); ++i) {
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_load_si128(static_cast<const __m128i*>(from) + i));
  }
#else
  std::memcpy(to, from, line_bytes);
#endif
}
/// Other threads see what was streamed before.
inline void end_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Gathers what goes to `out`, by bucket; the caller counts up each bucket's index.
template <class T, std::size_t Buckets>
class line_gatherer {
  static constexpr std::size_t per_line = line_bytes / sizeof(T);
  static constexpr bool whole_lines = line_bytes % sizeof(T) == 0;

 public:
  line_gatherer(T* out, const std::array<std::size_t, Buckets>& begin)
      : out_(out),
        skew_(whole_lines ? reinterpret_cast<std::uintptr_t>(out) % line_bytes / sizeof(T) : 0),
        aligned_(whole_lines && reinterpret_cast<std::uintptr_t>(out) % sizeof(T) == 0),
        begin_(begin) {}

  [[gnu::always_inline]] void put(std::size_t bucket, std::size_t index, const T& value) {
    if constexpr (!whole_lines) {
      out_[index] = value;
    } else {
      const std::size_t slot = (index + skew_) % per_line;
      std::memcpy(&line_[bucket][slot * sizeof(T)], &value, sizeof(T));
      if (slot == per_line - 1) flush(bucket, index + 1);
    }
  }
  /// Writes what is left, up to each bucket's end.
  void finish(const std::array<std::size_t, Buckets>& end) {
    if constexpr (whole_lines) {
      for (std::size_t bucket = 0; bucket < Buckets; ++bucket) {
        if ((end[bucket] + skew_) % per_line != 0) flush(bucket, end[bucket]);
      }
    }
  }

 private:
  void flush(std::size_t bucket, std::size_t end) {
    const std::size_t line = (end - 1 + skew_) / per_line * per_line;  // counted with the skew
    const std::size_t from = std::max(begin_[bucket] + skew_, line);
    if (aligned_ && from == line && end + skew_ == line + per_line) {
      stream_line(out_ + (line - skew_), line_[bucket].data());
    } else if (from < end + skew_) {
      std::memcpy(out_ + (from - skew_), &line_[bucket][(from - line) * sizeof(T)],
                  (end + skew_ - from) * sizeof(T));
    }
  }

  T* out_;
  std::size_t skew_;  // values between the line's start and `out`
  bool aligned_;
  std::array<std::size_t, Buckets> begin_;
  alignas(line_bytes) std::array<std::array<std::byte, line_bytes>, Buckets> line_;
};

/// The same for rows.
template <class Rows, std::size_t Buckets>
class row_gatherer;
template <class K, std::size_t Buckets>
class row_gatherer<key_value_view<K, void>, Buckets> {
 public:
  using indices = std::array<std::size_t, Buckets>;

  row_gatherer(key_value_view<K, void> to, const indices& begin) : keys_(to.key, begin) {}

  [[gnu::always_inline]] void move(key_value_view<K, void> from, std::size_t i, std::size_t bucket,
                                   std::size_t index) {
    keys_.put(bucket, index, from.key[i]);
  }
  void finish(const indices& end) {
    keys_.finish(end);
    end_streaming();
  }

 private:
  line_gatherer<K, Buckets> keys_;
};
template <class K, class V, std::size_t Buckets>
class row_gatherer<key_value_view<K, V>, Buckets> {
 public:
  using indices = std::array<std::size_t, Buckets>;

  row_gatherer(key_value_view<K, V> to, const indices& begin)
      : keys_(to.key, begin), values_(to.value, begin) {}

  [[gnu::always_inline]] void move(key_value_view<K, V> from, std::size_t i, std::size_t bucket,
                                   std::size_t index) {
    keys_.put(bucket, index, from.key[i]);
    values_.put(bucket, index, from.value[i]);
  }
  void finish(const indices& end) {
    keys_.finish(end);
    values_.finish(end);
    end_streaming();
  }

 private:
  line_gatherer<K, Buckets> keys_;
  line_gatherer<V, Buckets> values_;
};

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
