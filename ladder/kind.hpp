// The kind of a ladder, parsed once from its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpfold::ladder {

enum class ladder_kind : std::uint8_t { reduce, scan, sort, histogram, select };
inline constexpr ladder_kind ladder_kinds[] = {ladder_kind::reduce, ladder_kind::scan,
                                               ladder_kind::sort, ladder_kind::histogram,
                                               ladder_kind::select};

constexpr std::string_view name_of(ladder_kind kind) {
  constexpr std::string_view names[] = {"reduce", "scan", "sort", "histogram", "select"};
  return names[static_cast<std::size_t>(kind)];
}

constexpr std::optional<ladder_kind> ladder_named(std::string_view name) {
  for (const ladder_kind kind : ladder_kinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace warpfold::ladder
