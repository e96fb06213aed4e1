// Where something ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace warpfold::measure {

enum class backend_kind : std::uint8_t { host, simt, cuda };

constexpr std::string_view name_of(backend_kind backend) {
  constexpr std::string_view names[] = {"host", "simt", "cuda"};
  return names[static_cast<std::size_t>(backend)];
}

constexpr std::optional<backend_kind> backend_named(std::string_view name) {
  for (const auto backend : {backend_kind::host, backend_kind::simt, backend_kind::cuda}) {
    if (name_of(backend) == name) return backend;
  }
  return std::nullopt;
}

}  // namespace warpfold::measure
