// The distinct values of a file that need not fit in memory, in sorted order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "data/number_input.hpp"
#include "files/run.hpp"

namespace warpfold::files {

/// Takes the next of the distinct values, of the file's type, and how often each is there.
using distinct_taker =
    std::function<void(std::span<const std::byte> values, std::span<const std::uint64_t> counts)>;

/// Sorts the values, runs in `scratch_folder`, and calls `take` with what is distinct by its bits.
/// Throws what sort_all throws.
void unique_all(data::number_input& in, const std::filesystem::path& scratch_folder,
                const distinct_taker& take, const run_options& o);

}  // namespace warpfold::files
