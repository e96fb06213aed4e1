#include "ladder/machines/registers.hpp"

#include "measure/json.hpp"

namespace warpfold::ladder {

namespace {

std::string_view without_namespaces(std::string_view name) {
  const auto at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

/// scan_chunks_kernel<int>: up to the operator or the order that counts how often it is used.
std::string short_name(std::string_view kernel) {
  const auto open = kernel.find('<');
  std::string name(without_namespaces(kernel.substr(0, open)));
  if (open == kernel.npos) return name;
  name += '<';
  const char* comma = "";
  int depth = 0;
  for (std::size_t from = open + 1, at = from; at < kernel.size(); ++at) {
    const bool ends = depth == 0 && (kernel[at] == ',' || kernel[at] == '>');
    if (ends) {
      const auto argument = kernel.substr(from, at - from);
      if (argument.find("::counting_") != kernel.npos || argument.find("::longest_") != kernel.npos)
        break;
      name += comma + std::string(without_namespaces(argument));
      comma = ", ";
      from = at + 2;
      if (kernel[at] == '>') break;
    }
    depth += kernel[at] == '<' ? 1 : kernel[at] == '>' ? -1 : 0;
  }
  return name + '>';
}

}  // namespace

std::map<int, unsigned> registers_of(std::string_view kernel) {
  static const auto table = measure::json::parse(detail::register_table());
  const auto known = table.at("kernels").find(short_name(kernel));
  if (known == table.at("kernels").end()) return {};
  return {{table.at("capability").get<int>(), known->get<unsigned>()}};
}

}  // namespace warpfold::ladder
