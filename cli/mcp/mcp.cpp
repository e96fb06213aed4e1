// warpfold mcp: the Model Context Protocol over standard input and output, a message a line.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/mcp/tools.hpp"
#include "warpfold/error.hpp"
#include "warpfold/version.hpp"

namespace warpfold::cli {
namespace {

using mcp::json;

// Of JSON-RPC.
enum problem : int {
  no_json = -32700,
  no_request = -32600,
  no_method = -32601,
  bad_params = -32602
};

constexpr std::string_view newest_version = "2025-06-18";

json failure(const json& id, problem code, const std::string& message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}};
}

json greeting(const json& params) {
  std::string version(newest_version);
  for (const char* known : {"2024-11-05", "2025-03-26"}) {
    if (params.value("protocolVersion", "") == known) version = known;
  }
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", json::object()}}},
          {"serverInfo", {{"name", "warpfold"}, {"version", warpfold::version}}}};
}

/// What a tool can't do is its result, for the model to read.
json call(const json& params) {
  mcp::answer is;
  try {
    is = mcp::call_tool(params["name"], params.value("arguments", json::object()));
  } catch (const std::exception& e) {
    is = {e.what(), true};
  }
  return {{"content", json::array({{{"type", "text"}, {"text", is.text}}})},
          {"isError", is.failed}};
}

json answer_to(const json& request) {
  const json id = request.is_object() ? request.value("id", json()) : json();
  if (!request.is_object() || !request.contains("method") || !request["method"].is_string()) {
    return failure(id, no_request, "a message must be an object with a method");
  }
  const std::string method = request["method"];
  const json params = request.value("params", json::object());
  json result;
  if (!params.is_object()) return failure(id, bad_params, "params must be an object");
  if (method == "initialize") {
    result = greeting(params);
  } else if (method == "ping") {
    result = json::object();
  } else if (method == "tools/list") {
    result = {{"tools", mcp::list_of_tools()}};
  } else if (method == "tools/call") {
    const json name = params.value("name", json());
    const json arguments = params.value("arguments", json::object());
    if (!name.is_string() || !mcp::is_tool(name)) {
      return failure(id, bad_params, "there is no tool " + name.dump());
    }
    if (!arguments.is_object()) return failure(id, bad_params, "arguments must be an object");
    result = call(params);
  } else {
    return failure(id, no_method, "there is no method " + method);
  }
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}};
}

int serve() {
  for (std::string line; std::getline(std::cin, line);) {
    const json request = json::parse(line, nullptr, false);
    if (request.is_object() && request.contains("method") && !request.contains("id")) {
      continue;  // a notification has no answer
    }
    if (request.is_object() && !request.contains("method") && request.contains("id")) continue;
    const json answer = request.is_discarded() ? failure(json(), no_json, "the line is not JSON")
                                               : answer_to(request);
    const std::string text = answer.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
      throw data_error("standard output can't be written");
    }
  }
  return 0;
}

}  // namespace

void describe(options& to) { to.then(serve); }

}  // namespace warpfold::cli
