// How commands read sizes, names and lists from their options.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/array.hpp"
#include "ladder/rung.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::cli {

/// "4194304", "2^22", "2^22+1", "64Ki", "4Mi", "1Gi". Throws usage_error naming `option`.
std::size_t parse_size(std::string_view option, std::string_view text);

/// "512MiB", "4GiB", "65536"; also without the B. Throws usage_error naming `option`.
std::size_t parse_bytes(std::string_view option, std::string_view text);

/// "2^20", a list "1000,2^20", or all powers of two between two of them, "2^8:2^30"; each size
/// once, as they come. Throws usage_error naming `option`.
std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text);

/// The words between commas, each once. Throws usage_error naming `option` where one is missing.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

value_type parse_type(std::string_view text);
ladder::operation parse_operation(std::string_view text);

/// "10,1,8,-1" as an array of this type. Throws usage_error naming `option`, the value that is
/// none, and its place.
data::array parse_values(std::string_view option, std::string_view text, value_type type);

/// Whether these are the rung's number or its name.
bool is_named(const ladder::description& about, std::string_view wanted);

/// The rungs that a list names by number or name ("01,7,cascade"), in the ladder's order; all of
/// them for an empty list. Those of the host may be named, and run in any case.
std::vector<const ladder::rung*> choose_rungs(std::string_view names,
                                              std::span<const ladder::rung* const> all,
                                              std::span<const ladder::description> on_host);

/// One rung, which must have a kernel.
const ladder::rung& choose_rung(std::string_view name, std::span<const ladder::rung* const> all,
                                std::span<const ladder::description> on_host);

}  // namespace warpfold::cli
