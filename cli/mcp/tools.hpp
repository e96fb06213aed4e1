// What `warpfold mcp` offers to a coding agent: each tool takes JSON and returns text.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace warpfold::cli::mcp {

using json = nlohmann::ordered_json;

/// The list that the protocol's tools/list returns: name, description, and schema of the input.
json list_of_tools();

struct answer {
  std::string text;
  bool failed = false;
};
bool is_tool(const std::string& name);
/// Throws usage_error where an argument is missing or is not of its type.
answer call_tool(const std::string& name, const json& arguments);

}  // namespace warpfold::cli::mcp
