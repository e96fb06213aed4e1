#include "ptx.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace simt::source_step::ptx {

namespace {

constexpr std::string_view here = "::simt::detail::ptx::";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      out += '\n';
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size()) + 1;
      out += ' ';
    } else {
      out += text[i];
    }
  }
  return out;
}

/// A special register as an expression; "" if it is none.
std::string special_register(std::string_view name) {
  static const std::map<std::string_view, std::string_view> all{
      {"laneid", "lane_index()"},
      {"warpid", "warp_index()"},
      {"nwarpid", "64U"},
      {"smid", "processor_index()"},
      {"nsmid", "processors()"},
      {"gridid", "0ULL"},
      {"lanemask_eq", "(1U << lane_index())"},
      {"lanemask_lt", "((1U << lane_index()) - 1U)"},
      {"lanemask_le", "((2U << lane_index()) - 1U)"},
      {"lanemask_gt", "(~0U << lane_index() << 1)"},
      {"lanemask_ge", "(~0U << lane_index())"},
      {"clock", "static_cast<unsigned>(clock_ticks())"},
      {"clock_hi", "static_cast<unsigned>(clock_ticks() >> 32)"},
      {"clock64", "static_cast<unsigned long long>(clock_ticks())"},
      {"globaltimer", "static_cast<unsigned long long>(clock_ticks())"},
      {"globaltimer_lo", "static_cast<unsigned>(clock_ticks())"},
      {"globaltimer_hi", "static_cast<unsigned>(clock_ticks() >> 32)"},
      {"cluster_ctarank", "cluster_rank()"},
      {"cluster_nctarank", "cluster_size()"},
      {"clusterid.x", "(block_index(0) / cluster_extent(0))"},
      {"clusterid.y", "(block_index(1) / cluster_extent(1))"},
      {"clusterid.z", "(block_index(2) / cluster_extent(2))"},
      {"nclusterid.x", "(grid_size(0) / cluster_extent(0))"},
      {"nclusterid.y", "(grid_size(1) / cluster_extent(1))"},
      {"nclusterid.z", "(grid_size(2) / cluster_extent(2))"},
      {"dynamic_smem_size", "static_cast<unsigned>(dynamic_shared_bytes())"},
  };
  static const std::map<std::string_view, std::string_view> by_axis{
      {"tid", "thread_index"},
      {"ntid", "block_size"},
      {"ctaid", "block_index"},
      {"nctaid", "grid_size"},
      {"cluster_ctaid", "block_in_cluster"},
      {"cluster_nctaid", "cluster_extent"}};
  if (const auto known = all.find(name); known != all.end()) {
    std::string text(known->second);
    for (const std::string_view call :
         {"lane_index", "warp_index", "processor_index", "processors", "clock_ticks",
          "cluster_rank", "cluster_size", "cluster_extent", "block_index", "grid_size",
          "dynamic_shared_bytes"}) {
      for (std::size_t at = 0; (at = text.find(call, at)) != std::string::npos;) {
        text.insert(at, "::simt::detail::");
        at += 16 + call.size();
      }
    }
    return text;
  }
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos || dot + 2 != name.size()) return {};
  const auto known = by_axis.find(name.substr(0, dot));
  const std::size_t axis = std::string_view("xyz").find(name[dot + 1]);
  if (known == by_axis.end() || axis == std::string_view::npos) return {};
  return "::simt::detail::" + std::string(known->second) + "(" + std::to_string(axis) + ")";
}

/// A number of PTX as one of C++; "" if it is none.
std::string number_for(std::string text) {
  if (text.empty()) return {};
  const bool negative = text[0] == '-';
  const std::size_t first = negative ? 1 : 0;
  if (first == text.size() || std::isdigit(static_cast<unsigned char>(text[first])) == 0) return {};
  const char second = text.size() > first + 1 ? text[first + 1] : '\0';
  const std::string sign = negative ? "-" : "";
  if (second == 'f' || second == 'F') {
    return sign + std::string(here) + "as<float>(0x" + text.substr(first + 2) + "U)";
  }
  if (second == 'd' || second == 'D') {
    return sign + std::string(here) + "as<double>(0x" + text.substr(first + 2) + "ULL)";
  }
  if (text.back() == 'U') text.pop_back();
  if (text.find('.') != std::string::npos) return text;
  return text + "LL";
}

class translator : public names {
 public:
  translator(std::string_view assembly, const std::vector<operand>& operands)
      : text_(without_comments(assembly)), operands_(operands) {}

  std::string run() {
    statements();
    std::string out = "__extension__({ ";
    for (const std::string& l : labels_) out += "__label__ simt_" + l + "; ";
    for (std::size_t i = 0; i < operands_.size(); ++i) out += binding(i);
    for (const auto& [name, type] : declared_) {
      out += "[[maybe_unused]] " + type + " simt_" + name + "{}; ";
    }
    if (carry_written_ || carry_read_first_) {
      out += "bool simt_0_carry = ";
      out += carry_read_first_ ? "::simt::detail::carry_flag(); " : "false; ";
    }
    out += body_;
    if (carry_open_) out += "::simt::detail::carry_flag() = simt_0_carry; ";
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const std::string n = std::to_string(i);
      if (operands_[i].is_written)
        out += std::string(here) + "out(simt_" + n + "_out, simt_" + n + "); ";
    }
    return out + "(void)0; })";
  }

  std::string read(const std::string& operand, const std::string& type) override {
    if (operand.empty()) throw unknown("an operand is missing");
    if (operand[0] == '!') return "!" + read(operand.substr(1), "bool");
    if (const std::string n = number_for(operand); !n.empty()) {
      return std::string(here) + "constant<" + type + ">(" + n + ")";
    }
    return std::string(here) + "as<" + type + ">(" + variable(operand) + ")";
  }

  std::string write(const std::string& operand, const std::string& value) override {
    if (operand == "_") return value + "; ";
    return std::string(here) + "put(" + variable(operand) + ", " + value + "); ";
  }

  std::string label(const std::string& name) override { return "simt_" + plain(name); }

  std::string carry(bool writes) override {
    if (!writes && !carry_written_) carry_read_first_ = true;
    if (writes) carry_written_ = true;
    carry_open_ = writes;
    return "simt_0_carry";
  }

 private:
  /// Without what C++ has in no name.
  static std::string plain(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '$' || c == '%' || c == '='; }, '_');
    return name;
  }

  [[nodiscard]] std::string binding(std::size_t i) const {
    static const std::map<char, std::string_view> registers{
        {'h', "unsigned short"},    {'r', "unsigned"}, {'l', "unsigned long long"},
        {'q', "unsigned __int128"}, {'f', "float"},    {'d', "double"}};
    const operand& o = operands_[i];
    const std::string n = std::to_string(i);
    if (o.constraint == 'n') return "";
    const auto known = registers.find(o.constraint);
    if (known == registers.end()) {
      throw unknown(std::string("the constraint \"") + o.constraint + "\"");
    }
    const std::string type(known->second);
    std::string out;
    if (o.is_written) out += "auto&& simt_" + n + "_out = (" + o.expression + "); ";
    out += "[[maybe_unused]] " + type + " simt_" + n;
    if (!o.is_read) return out + "{}; ";
    return out + " = " + std::string(here) + "in<" + type + ">(" +
           (o.is_written ? "simt_" + n + "_out" : "(" + o.expression + ")") + "); ";
  }

  std::string variable(const std::string& operand) {
    std::size_t begin = 0;
    while (begin < operand.size() && operand[begin] == '%') ++begin;
    const std::string name = operand.substr(begin);
    if (begin == 1 && !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      const std::size_t i = std::stoul(name);
      if (i >= operands_.size()) throw unknown("%" + name + ", which names no operand,");
      return operands_[i].constraint == 'n' ? "(" + operands_[i].expression + ")" : "simt_" + name;
    }
    if (declared_.count(plain(name)) != 0) return "simt_" + plain(name);
    if (name == "WARP_SZ") return "32U";
    std::string special = begin != 0 ? special_register(name) : "";
    if (!special.empty()) return special;
    throw unknown("the register " + operand);
  }

  void statements() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      if (is_space(c) || c == ';' || c == '{' || c == '}') {
        ++at;
        continue;
      }
      const std::size_t end = end_of_statement(at);
      statement(std::string(trimmed(std::string_view(text_).substr(at, end - at))));
      at = end + 1;
    }
  }

  /// At its `;`, or at the `:` of a label, which stands alone.
  [[nodiscard]] std::size_t end_of_statement(std::size_t from) const {
    std::size_t word = from;
    while (word < text_.size() &&
           (is_word(text_[word]) || text_[word] == '%' || text_[word] == '='))
      ++word;
    std::size_t colon = word;
    while (colon < text_.size() && is_space(text_[colon])) ++colon;
    if (colon < text_.size() && text_[colon] == ':' && text_.compare(colon, 2, "::") != 0) {
      return colon;
    }
    return std::min(text_.find(';', from), text_.size());
  }

  void statement(const std::string& text) {
    if (text.empty()) throw unknown("a \":\" without a label");
    const std::size_t end = text.find_first_of(" \t\r\n");
    if (text.rfind(".reg", 0) == 0) return registers(text);
    if (text_.find(text + ":") != std::string::npos && end == std::string::npos &&
        text.find('.') == std::string::npos && is_label(text)) {
      labels_.insert(plain(text));
      body_ += "simt_" + plain(text) + ":; ";
      return;
    }
    std::string rest = text, condition;
    if (rest[0] == '@') {
      const std::size_t space = rest.find_first_of(" \t\r\n");
      if (space == std::string::npos) throw unknown("\"" + text + "\"");
      condition = read(rest.substr(1, space - 1), "bool");
      rest = trimmed(std::string_view(rest).substr(space));
    }
    const std::string cxx = statement_for(parsed(rest), *this);
    body_ += condition.empty() ? cxx : "if (" + condition + ") { " + cxx + "} ";
  }

  [[nodiscard]] bool is_label(const std::string& text) const {
    for (std::size_t at = 0; (at = text_.find(text, at)) != std::string::npos; at += text.size()) {
      std::size_t colon = at + text.size();
      while (colon < text_.size() && is_space(text_[colon])) ++colon;
      if (colon < text_.size() && text_[colon] == ':') return true;
    }
    return false;
  }

  /// `.reg .b32 a, b<4>`
  void registers(const std::string& text) {
    std::size_t at = text.find('.', 1);
    if (at == std::string::npos) throw unknown("\"" + text + "\"");
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string type = register_type(text.substr(at + 1, end - at - 1));
    if (type.empty()) throw unknown("\"" + text + "\"");
    for (const std::string& each : split(std::string_view(text).substr(end))) {
      std::string name = plain(each.substr(each.find_first_not_of('%')));
      const std::size_t angle = name.find('<');
      if (angle == std::string::npos) {
        declared_[name] = type;
        continue;
      }
      const std::size_t count = std::stoul(name.substr(angle + 1));
      if (count > 65536) throw unknown("\"" + text + "\"");
      for (std::size_t i = 0; i < count; ++i) {
        declared_[name.substr(0, angle) + std::to_string(i)] = type;
      }
    }
  }

  static std::string register_type(std::string_view name) {
    if (name == "pred") return "bool";
    if (name == "f32") return "float";
    if (name == "f64") return "double";
    if (name == "f16" || name == "bf16") return "unsigned short";
    if (name == "f16x2" || name == "bf16x2") return "unsigned";
    if (name.size() < 2) return {};
    const std::string_view bits = name.substr(1);
    return bits == "8"     ? "unsigned char"
           : bits == "16"  ? "unsigned short"
           : bits == "32"  ? "unsigned"
           : bits == "64"  ? "unsigned long long"
           : bits == "128" ? "unsigned __int128"
                           : "";
  }

  static instruction parsed(const std::string& text) {
    instruction i{text, {}, {}, {}};
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    const std::vector<std::string> words = split(std::string_view(text).substr(0, end), '.');
    i.name = words.front();
    i.modifiers.assign(words.begin() + 1, words.end());
    if (end < text.size()) i.operands = split(std::string_view(text).substr(end));
    return i;
  }

  std::string text_;
  const std::vector<operand>& operands_;
  std::map<std::string, std::string> declared_;  // registers and their types
  std::set<std::string> labels_;
  std::string body_;
  bool carry_written_ = false, carry_read_first_ = false, carry_open_ = false;
};

}  // namespace

bool looks_like(std::string_view assembly) {
  static constexpr std::string_view types[] = {
      ".u16",  ".u32", ".u64", ".s16", ".s32",  ".s64",  ".b8",   ".b16",    ".b32",    ".b64",
      ".b128", ".f16", ".f32", ".f64", ".bf16", ".pred", ".sync", ".global", ".shared", ".async"};
  return std::any_of(std::begin(types), std::end(types), [&](std::string_view type) {
    return assembly.find(type) != std::string_view::npos;
  });
}

std::string translate(std::string_view assembly, const std::vector<operand>& operands) {
  return translator(assembly, operands).run();
}

bool instruction::take(std::string_view modifier) {
  const auto at = std::find(modifiers.begin(), modifiers.end(), modifier);
  if (at == modifiers.end()) return false;
  modifiers.erase(at);
  return true;
}

std::string instruction::take_any(std::initializer_list<std::string_view> all) {
  for (const std::string_view m : all) {
    if (take(m)) return std::string(m);
  }
  return {};
}

void instruction::refuse(const std::string& why) const {
  throw unknown("\"" + text + "\"" + (why.empty() ? "" : " (" + why + ")"));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : separator;
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (i < list.size() && (c != separator || depth != 0)) continue;
    if (i < list.size() && separator == '.' && list.substr(i, 2) == "..") continue;
    pieces.emplace_back(trimmed(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return pieces;
}

std::string type_for(std::string_view name) {
  static const std::map<std::string_view, std::string_view> types{
      {"u8", "unsigned char"},
      {"s8", "signed char"},
      {"b8", "unsigned char"},
      {"u16", "unsigned short"},
      {"s16", "short"},
      {"b16", "unsigned short"},
      {"u32", "unsigned"},
      {"s32", "int"},
      {"b32", "unsigned"},
      {"u64", "unsigned long long"},
      {"s64", "long long"},
      {"b64", "unsigned long long"},
      {"b128", "unsigned __int128"},
      {"f32", "float"},
      {"f64", "double"},
      {"pred", "bool"},
      {"f16", "::simt::detail::ptx::f16"},
      {"bf16", "::simt::detail::ptx::bf16"},
      {"f16x2", "::simt::detail::ptx::f16x2"},
      {"bf16x2", "::simt::detail::ptx::bf16x2"}};
  const auto known = types.find(name);
  return known == types.end() ? std::string() : std::string(known->second);
}

}  // namespace simt::source_step::ptx
