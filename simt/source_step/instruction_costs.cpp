#include "instruction_costs.hpp"

#include <optional>
#include <unordered_map>
#include <vector>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

cost integers(std::uint64_t n) { return {{.integers = n}, n}; }
cost floats(std::uint64_t n, std::uint64_t special = 0) {
  return {{.floats = n, .special = special}, n + 4 * special};
}
cost doubles(std::uint64_t n, std::uint64_t special = 0) {
  return {{.doubles = n, .special = special}, 2 * n + 4 * special};
}

/// By a constant: shifts where that is a power of two, else the upper half of a product.
cost of_division(const instruction& i) {
  const bool is_signed = i.opcode[0] == 's';
  const std::uint64_t words = i.is_wide() ? 2 : 1;
  if (const auto by = i.constant()) {
    const bool power = *by > 0 && (*by & (*by - 1)) == 0;
    if (power) return integers(is_signed ? 3 * words : words);
    return {{.integers = 3 * words, .multiplies = 2 * words * words}, 6 * words};
  }
  return {{.divides = words == 2 ? 4U : 1U}, words == 2 ? 80U : 20U};
}

cost of_multiplication(const instruction& i) {
  const auto by = i.constant();
  if (by && *by > 0 && (*by & (*by - 1)) == 0) return integers(1);
  const std::uint64_t n = i.is_wide() ? 4 : 1;
  return {{.multiplies = n}, i.is_wide() ? 2U : 1U};
}

struct named_cost {
  view name;
  cost of_float, of_double;
};
/// Functions that devices have no single instruction for, by what nvcc's own take.
const std::vector<named_cost>& functions() {
  static const std::vector<named_cost> all{
      {"sqrt", floats(6, 1), doubles(12, 1)},  {"sin", floats(18, 0), doubles(30, 0)},
      {"cos", floats(18, 0), doubles(30, 0)},  {"exp", floats(5, 1), doubles(22, 0)},
      {"log", floats(12, 0), doubles(28, 1)},  {"pow", floats(40, 3), doubles(90, 2)},
      {"tanh", floats(12, 2), doubles(30, 1)}, {"erf", floats(18, 1), doubles(50, 1)},
      {"cbrt", floats(8, 2), doubles(20, 1)},  {"hypot", floats(12, 1), doubles(20, 1)},
      {"fmod", floats(14, 1), doubles(30, 1)}, {"rsqrt", floats(2, 1), doubles(8, 1)},
      {"tan", floats(24, 1), doubles(45, 1)},  {"fma", floats(1), doubles(1)},
      {"muladd", floats(1), doubles(1)},       {"min", floats(1), doubles(2)},
      {"max", floats(1), doubles(2)},          {"floor", floats(0, 1), doubles(0, 1)},
      {"rint", floats(0, 1), doubles(0, 1)},   {"trunc", floats(0, 1), doubles(0, 1)},
      {"ceil", floats(0, 1), doubles(0, 1)},   {"fabs", {}, {}},
      {"copysign", integers(1), integers(2)},
  };
  return all;
}

/// The longest of those names that stands in this one.
std::optional<cost> of_function(view name, bool is_double) {
  const named_cost* best = nullptr;
  for (const named_cost& f : functions()) {
    if (name.find(f.name) == npos) continue;
    if (best == nullptr || f.name.size() > best->name.size()) best = &f;
  }
  if (best == nullptr) return {};
  return is_double ? best->of_double : best->of_float;
}

cost of_machine_call(view name) {
  const auto has = [&](view word) { return name.find(word) != npos; };
  if (has("warp_shuffle")) return {{.shuffles = 1}, 6};
  if (has("ballot") || has("warp_vote") || has("warp_match") || has("warp_reduce"))
    return {{.shuffles = 1}, 6};
  if (has("_index") || has("_size") || has("lane")) return integers(1);
  return {};  // barriers, atomics and what is shared are counted where they happen
}

cost of_call(const instruction& i) {
  const auto at = i.rest.find('@');
  if (at == npos) return integers(4);  // through a pointer
  const view name = i.rest.substr(at + 1, i.rest.find('(', at) - at - 1);
  const bool is_double = i.rest.find(" double ") < at;
  if (name.starts_with("llvm.")) {
    for (const view free : {"lifetime", "dbg", "assume", "memcpy", "memmove", "memset", "stack",
                            "invariant", "expect", "annotation"}) {
      if (name.find(free) != npos) return {};
    }
    if (name.find("ct") != npos || name.find("bitreverse") != npos) return {{.special = 1}, 4};
    if (i.rest.find(" i") < at) return integers(i.rest.find(" i64") < at ? 2 : 1);
  }
  if (name.starts_with("__sanitizer") || name.starts_with("simt_")) return {};
  if (name.find("4simt6detail") != npos) return of_machine_call(name);
  if (i.rest.find(" float ") < at || is_double) {
    if (const auto known = of_function(name, is_double)) return *known;
  }
  return integers(2);  // a call of the source's
}

cost of_arithmetic(const instruction& i) {
  const bool is_double = i.has(" double ");
  if (i.is({"fadd", "fsub", "fmul", "fcmp"})) return is_double ? doubles(1) : floats(1);
  if (i.opcode == "fdiv") return is_double ? doubles(10, 1) : floats(8, 1);
  if (i.opcode == "frem") return is_double ? doubles(30, 1) : floats(14, 1);
  if (i.is({"sitofp", "uitofp", "fptosi", "fptoui", "fpext", "fptrunc"}))
    return {{.special = is_double ? 2U : 1U}, 4};
  return {};
}

cost of(const instruction& i) {
  if (i.is({"add", "sub", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "select"}))
    return integers(i.is_wide() && !i.has("float") ? 2 : 1);
  if (i.opcode == "mul") return of_multiplication(i);
  if (i.is({"udiv", "sdiv", "urem", "srem"})) return of_division(i);
  if (i.opcode == "getelementptr") return of_address(i);
  if (i.opcode == "br") return integers(i.has(" i1 ") ? 1 : 0);
  if (i.opcode == "switch") return integers(3);
  if (i.opcode == "call" || i.opcode == "invoke") return of_call(i);
  return of_arithmetic(i);
}

/// The reciprocal of a divisor that a loop leaves alone is computed before it: what is left.
constexpr cost with_known_reciprocal{{.integers = 5, .multiplies = 2}, 8};

bool inverts(const instruction& i) { return i.opcode == "fdiv" && i.has(" 1.000000e+00, %"); }
std::string_view last_operand(const instruction& i) { return name_from(i.rest, i.rest.rfind('%')); }
bool is_division(const instruction& i) { return i.is({"udiv", "sdiv", "urem", "srem"}); }
constexpr view shuffle = "warp_shuffle";
/// What the machine reckons a shuffle's lane with.
bool is_of_lanes(const instruction& i) {
  return i.is({"add", "sub", "and", "or", "xor", "shl", "lshr", "icmp", "select", "zext",
               "trunc"}) ||
         i.has("lane_index");
}
/// Not where that is a shift.
bool divides(const instruction& i) { return of_division(i).counts.integers == 0; }

}  // namespace

cost of_address(const instruction& i) {
  const view base = pointer_in(i.rest);
  const auto from = base.empty() ? 0 : static_cast<std::size_t>(base.data() - i.rest.data());
  const auto comma = i.rest.find(", ", from);
  return integers(comma != npos && i.rest.find('%', comma) != npos ? 1 : 0);
}

function_costs::function_costs(view body) {
  for_each_line(body, [&](view line) {
    const instruction i(line);
    if (inverts(i)) inverted_.insert(last_operand(i));
    if (i.is({"zext", "sext"}) && i.has(" i32 ")) words_.insert(i.to);
    if (i.has("dynamic_shared") || i.has("shared_object") || points_to_shared(i))
      shared_.insert(i.to);
    const bool is_offset = i.is({"add", "or"}) && i.constant();
    if (is_offset || i.is({"zext", "sext"}))
      for_each_value(i.rest, [&](view name) { from_[i.to] = name; });
  });
  find_free(body);
}

bool function_costs::points_to_shared(const instruction& i) const {
  bool found = false;
  if (i.is({"bitcast", "getelementptr", "phi", "select"}))
    for_each_value(i.rest, [&](view name) { found |= shared_.contains(name); });
  return found;
}

/// Whether all values in the text are words of 32 bits, widened.
bool function_costs::is_of_words(view text) const {
  bool all = true;
  for_each_value(text, [&](view name) { all &= words_.contains(name); });
  return all;
}

/// Backwards from the last arguments of shuffles, and from the indices of addresses: what nothing
/// else uses.
void function_costs::find_free(view body) {
  std::vector<instruction> code;
  std::unordered_map<view, std::size_t> uses;
  for_each_line(body, [&](view line) {
    if (!line.starts_with("  ")) return;
    code.emplace_back(line);
    for_each_value(code.back().rest, [&](view name) { ++uses[name]; });
  });
  std::unordered_set<view> lanes, offsets, elsewhere;  // elsewhere: not only of shared memory
  const auto use = [&](view name, std::unordered_set<view>& by) {
    if (--uses[name] == 0) by.insert(name);
  };
  for (auto i = code.rbegin(); i != code.rend(); ++i) {
    if (i->has(shuffle)) {
      if (const auto at = i->rest.rfind("i32 %"); at != npos)
        use(name_from(i->rest, at + 4), lanes);
    } else if (i->opcode == "getelementptr") {
      for_each_value(i->rest.substr(i->rest.rfind(',')), [&](view name) {
        use(name, offsets);
        if (!points_to_shared(*i)) elsewhere.insert(name);
      });
    } else if (lanes.contains(i->to) && is_of_lanes(*i)) {
      for_each_value(i->rest, [&](view name) { use(name, lanes); });
      free_.insert(i->to);
    } else if (offsets.contains(i->to) &&
               (from_.contains(i->to) || (i->opcode == "add" && !elsewhere.contains(i->to)))) {
      for_each_value(i->rest, [&](view name) {
        use(name, offsets);
        if (elsewhere.contains(i->to)) elsewhere.insert(name);
      });
      free_.insert(i->to);
    }
  }
}

view function_costs::without_offsets(view index) const {
  for (auto at = from_.find(index); at != from_.end(); at = from_.find(index)) index = at->second;
  return index;
}

/// The first of those that a constant is between.
cost function_costs::of_next_address(const instruction& i) {
  const auto last = i.rest.rfind(',');
  const auto at = i.rest.find('%', last);
  if (at == npos) return of_address(i);
  const view index = name_from(i.rest, at);
  std::string address(i.rest.substr(0, last));
  address += without_offsets(index);
  if (!addressed_.insert(std::move(address)).second) return {};
  return integers(words_.contains(index) || points_to_shared(i) ? 1 : 2);
}

cost function_costs::of(const instruction& i, const unrolled_loop& loop) {
  if (i.opcode == "call" && inverted_.count(i.to) != 0 && i.has("sqrt")) {
    roots_.insert(i.to);
    if (const auto known = of_function("rsqrt", i.has("double "))) return *known;
  }
  if (inverts(i) && roots_.count(last_operand(i)) != 0) return {};
  if (free_.contains(i.to)) return {};
  if (i.opcode == "mul" && i.is_wide() && is_of_words(i.rest)) return {{.multiplies = 1}, 1};
  if (i.opcode == "getelementptr") return of_next_address(i);
  if (!is_division(i)) return source_step::of(i);
  const std::string what = i.opcode[0] + std::string(i.rest);
  const bool is_known = !divided_.insert(what).second;
  if (is_known && divides(i)) {
    const std::uint64_t words = i.is_wide() ? 2 : 1;
    return {{.integers = words, .multiplies = words}, 2 * words};
  }
  const bool is_long = of_division(i).counts.divides == 1;
  return is_long && loop.is_invariant(last_operand(i)) ? with_known_reciprocal : source_step::of(i);
}

}  // namespace simt::source_step
