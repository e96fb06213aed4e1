// A kernel is called by the compiler's own text where that is known, else by its symbol.
#include "simt/src/run/names.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "simt/src/memory/symbols.hpp"

namespace simt::detail {

namespace {

std::mutex mutex;
std::map<const void*, const char*> signatures;

constexpr std::array<const char*, 20> intrinsics{"",
                                                 "__syncthreads",
                                                 "__syncthreads_count",
                                                 "__syncthreads_or",
                                                 "__syncthreads_and",
                                                 "cluster sync",
                                                 "__syncwarp",
                                                 "__shfl_sync",
                                                 "__shfl_up_sync",
                                                 "__shfl_down_sync",
                                                 "__shfl_xor_sync",
                                                 "__ballot_sync",
                                                 "__any_sync",
                                                 "__all_sync",
                                                 "__match_any_sync",
                                                 "__reduce_sync",
                                                 "__activemask",
                                                 "grid sync",
                                                 "bar.sync",
                                                 "mma"};

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
  std::string name = without_unnamed(std::string(signature.substr(0, parameters)));
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
    const auto known = signatures.find(kernel);
    if (known != signatures.end()) return name_in(known->second);
  }
  std::string text = symbol_at(reinterpret_cast<std::uintptr_t>(kernel)).name;
  if (text.empty()) return "(no name: the program was stripped)";
  return name_of_symbol(std::move(text));
}

const char* name_of(intrinsic what) { return intrinsics[static_cast<std::size_t>(what)]; }

std::string hex(std::uint32_t mask) {
  static constexpr const char* digits = "0123456789abcdef";
  std::string s = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) s += digits[mask >> shift & 15];
  return s;
}

std::string triple(const uint3& v) {
  return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

}  // namespace simt::detail
