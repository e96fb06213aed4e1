#include "c/run_calls.hpp"

#include <span>
#include <vector>

#include "c/run_calls_of.hpp"
#include "warpfold/host/select.hpp"

namespace warpfold::erased {
namespace {

template <class Bytes>
void copy_values(const void* values, std::span<const std::uint8_t> flags, std::size_t count,
                 void* out) {
  warpfold::copy_flagged(host, std::span(static_cast<const Bytes*>(values), flags.size()), flags,
                         std::span(static_cast<Bytes*>(out), count));
}

}  // namespace

void copy_flagged(const void* values, const std::uint8_t* flags, std::size_t n, std::size_t size,
                  std::size_t count, void* out) {
  const std::span which(flags, n);
  switch (size) {
    case 1: return copy_values<std::uint8_t>(values, which, count, out);
    case 2: return copy_values<std::uint16_t>(values, which, count, out);
    case 4: return copy_values<std::uint32_t>(values, which, count, out);
    case 8: return copy_values<std::uint64_t>(values, which, count, out);
    default: throw usage_error("values have 1, 2, 4 or 8 bytes, not ", size);
  }
}

void run_lengths(const std::uint8_t* begins, std::size_t n, std::size_t runs,
                 std::uint64_t* lengths) {
  std::vector<std::uint8_t> keys(runs);
  run_length_encode(host, std::span(begins, n), keys, std::span(lengths, runs), in_one_run{});
}

}  // namespace warpfold::erased
