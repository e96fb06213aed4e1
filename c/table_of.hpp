// From a type that is known at run time to a table of calls on it, of those that only Python calls.
#pragma once

#include <cstdint>

#include "c/warpfold.h"
#include "warpfold/error.hpp"

namespace warpfold::erased {

template <class Calls, class T>
const Calls& table_of();

/// Throws usage_error where there is no such type.
template <class Calls>
const Calls& table_of(wf_type type) {
  switch (type) {
    case WF_I8: return table_of<Calls, std::int8_t>();
    case WF_I16: return table_of<Calls, std::int16_t>();
    case WF_I32: return table_of<Calls, std::int32_t>();
    case WF_I64: return table_of<Calls, std::int64_t>();
    case WF_U8: return table_of<Calls, std::uint8_t>();
    case WF_U16: return table_of<Calls, std::uint16_t>();
    case WF_U32: return table_of<Calls, std::uint32_t>();
    case WF_U64: return table_of<Calls, std::uint64_t>();
    case WF_F32: return table_of<Calls, float>();
    case WF_F64: return table_of<Calls, double>();
  }
  throw usage_error("there is no type ", static_cast<unsigned>(type), "; see wf_type");
}

}  // namespace warpfold::erased
