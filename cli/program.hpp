// Programs beside this one: a command is one each, "ladder reduce" is warpfold-ladder-reduce.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpfold::cli {

/// Becomes the program of this name in this one's folder, with these arguments; returns only by
/// throwing.
[[noreturn]] void become(const std::string& program, std::span<const std::string> arguments);

/// "ladder reduce" as a program's name.
std::string program_of(std::string_view words);

}  // namespace warpfold::cli
