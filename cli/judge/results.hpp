// What must come of a case, and the first value that is not so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/judge/cases.hpp"
#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

/// `in`: the values of the case; `out`: its results, behind which a select has its count.
std::optional<difference> first_difference(ladder::ladder_kind kind, const trial& t,
                                           const std::byte* in, const std::byte* out);

/// The bytes that must be read and written once.
std::size_t useful_bytes_of(ladder::ladder_kind kind, const trial& t, const std::byte* in);

}  // namespace warpfold::cli::judge
