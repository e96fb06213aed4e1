// What kernels are called: by the compiler's own text where the kernel told it, else by symbol.
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include <cxxabi.h>
#include <dlfcn.h>

#include "simt/src/run/model.hpp"

namespace simt::detail {

namespace {

std::mutex mutex;
std::map<const void*, const char*> signatures;

/// Where the first of `characters` stands outside of brackets; the text's length if nowhere.
std::size_t find_outside(std::string_view text, std::string_view characters, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (depth == 0 && characters.find(text[i]) != std::string_view::npos) return i;
    if (text.substr(i).starts_with("->")) {
      ++i;
    } else if (text[i] == '<' || text[i] == '(' || text[i] == '[' || text[i] == '{') {
      ++depth;
    } else if (text[i] == '>' || text[i] == ')' || text[i] == ']' || text[i] == '}') {
      --depth;
    }
  }
  return text.size();
}

/// "[T = int, N = 4, R = <long, char>]": "<int, 4, long, char>".
std::string template_arguments(std::string_view list) {
  std::string arguments;
  list = list.substr(1, list.size() - 2);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = find_outside(list, ",", at);
    std::string_view value = list.substr(at, end - at);
    if (const auto equals = value.find(" = "); equals != std::string_view::npos) {
      value = value.substr(equals + 3);
    }
    if (value.starts_with('<')) value = value.substr(1, value.size() - 2);  // a pack
    if (!value.empty()) arguments += (arguments.empty() ? "" : ", ") + std::string(value);
    at = end + 2;
  }
  return "<" + arguments + ">";
}

/// "void (anonymous namespace)::k(T *) [T = int]": "k<int>".
std::string name_in(std::string_view signature) {
  if (signature.starts_with("void ")) signature.remove_prefix(5);
  std::size_t parameters = find_outside(signature, "(");
  while (signature.substr(parameters).starts_with("(anonymous")) {  // no parameters yet
    parameters = find_outside(signature, "(", signature.find(')', parameters) + 1);
  }
  std::string name(signature.substr(0, parameters));
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (auto at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed)) {
    name.erase(at, unnamed.size());
  }
  const auto arguments = signature.rfind(" [");
  if (arguments != std::string_view::npos && signature.ends_with(']')) {
    name += template_arguments(signature.substr(arguments + 1));
  }
  return name;
}

/// "void f<int>(int*, unsigned)": the template arguments tell instances apart, the rest is noise.
std::string name_of_symbol(std::string text) {
  if (text.starts_with("void ")) text.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth == 0) {
      text.resize(i);
      break;
    }
  }
  return text;
}

}  // namespace

void name_kernel(const void* kernel, const char* signature) {
  const std::scoped_lock lock(mutex);
  signatures.emplace(kernel, signature);
}

std::string kernel_name(const void* kernel) {
  {
    const std::scoped_lock lock(mutex);
    const auto told = signatures.find(kernel);
    if (told != signatures.end()) return name_in(told->second);
  }
  Dl_info info{};
  if (dladdr(kernel, &info) == 0 || info.dli_sname == nullptr) return "(name not exported)";
  int status = 0;
  char* const name = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string text = name != nullptr ? name : info.dli_sname;
  std::free(name);
  return name_of_symbol(std::move(text));
}

}  // namespace simt::detail
