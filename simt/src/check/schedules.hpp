// What two orders of one launch have left behind, compared.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/schedules.hpp"

namespace simt::detail {

/// The first value that differs from `first`, or none; who wrote it is known of the launches in
/// `scope`. `again`: the order was the same.
std::vector<finding> compare(const result_view& now, const std::vector<std::byte>& first,
                             const observe& scope, bool again);

}  // namespace simt::detail
