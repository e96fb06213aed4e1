// A page of the docs, and what its generated parts are made of.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

/// All of the file. Throws data_error.
std::string read(const std::filesystem::path& path);

/// What warpfold, or another program, prints when it is run with these arguments. Throws where it
/// fails.
std::string output_of(const std::string& arguments, const std::string& program = WARPFOLD_PROGRAM);

/// Without the number of this machine's threads.
std::string same_anywhere(std::string text);

std::string in_fence(const std::string& text);
std::string in_fence_of(const std::string& language, const std::string& text);

/// What begins and ends so at the margin, and has `name` in its first lines.
std::string excerpt(const std::filesystem::path& path, const std::string& begin,
                    const std::string& closing, const std::string& name);

/// By name, what stands between <!-- generated: NAME --> and <!-- end -->.
using generated_parts = std::map<std::string, std::function<std::string()>>;

/// The page with each of its parts regenerated. Throws where one has no end or no generator.
std::string filled(const std::filesystem::path& path, const generated_parts& known);
