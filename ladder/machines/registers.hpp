// The registers of the ladders' kernels on a device, as its compiler reported them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace warpfold::ladder {

/// Of a thread, by capability (90 for 9.0); none where it is no kernel of a ladder's own.
/// `kernel`: its full name, with its arguments as a template.
std::map<int, unsigned> registers_of(std::string_view kernel);

namespace detail {
/// The text of data/registers/sm_90.json.
std::string_view register_table();
}  // namespace detail

}  // namespace warpfold::ladder
