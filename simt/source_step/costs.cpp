#include "costs.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flow.hpp"
#include "instruction.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;
constexpr auto npos = view::npos;

/// What one instruction costs, and by how many additions the next one waits for it.
struct cost {
  instruction_counts counts;
  std::uint64_t latency = 0;
};

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

/// Where an index is no constant: one instruction adds it to the base.
cost of_address(const instruction& i) {
  const auto base = i.rest.find('%');
  const auto comma = i.rest.find(", ", base == npos ? 0 : base);
  return integers(comma != npos && i.rest.find('%', comma) != npos ? 1 : 0);
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

/// How long before each value of a block is known: in additions and in loads.
class depths {
 public:
  struct depth {
    std::uint64_t chain = 0, loads = 0;
    std::int64_t since_last = -1;  // additions, from what the last iteration left; -1: from nothing
  };

  /// `arguments`: what the kernel's own lie in, which a device has at hand.
  explicit depths(view arguments = {}, std::vector<flow::carried_value> carried = {})
      : carried_(std::move(carried)) {
    if (!arguments.empty()) arguments_.insert(arguments);
    for (const auto& value : carried_) known_[value.now].since_last = 0;
  }

  /// The device compiler unrolls a loop four times: then iterations wait for no more than what
  /// one hands to the next.
  [[nodiscard]] std::uint64_t chain() const {
    if (carried_.empty()) return longest.chain;
    constexpr std::uint64_t unrolled = 4;
    std::uint64_t most = (longest.chain + unrolled - 1) / unrolled;
    for (const auto& value : carried_) {
      const auto known = known_.find(value.next);
      if (known != known_.end() && known->second.since_last > 0)
        most = std::max(most, static_cast<std::uint64_t>(known->second.since_last));
    }
    return most;
  }

  void add(const instruction& i, const cost& c) {
    depth d = of_operands(i.rest);
    d.chain += c.latency;
    if (d.since_last >= 0) d.since_last += static_cast<std::int64_t>(c.latency);
    if (i.is({"load", "bitcast", "getelementptr"}) && is_of_arguments(i)) {
      if (i.opcode != "load") arguments_.insert(i.to);
    } else if (i.opcode == "load") {
      ++d.loads;
    }
    if (!i.to.empty()) known_[i.to] = d;
    longest.chain = std::max(longest.chain, d.chain);
    longest.loads = std::max(longest.loads, d.loads);
  }

  depth longest;

 private:
  [[nodiscard]] bool is_of_arguments(const instruction& i) const {
    const auto at = i.rest.find("* %") != npos ? i.rest.find("* %") + 2 : i.rest.find("ptr %") + 4;
    return at < i.rest.size() && arguments_.count(name_from(i.rest, at)) != 0 &&
           (i.opcode != "getelementptr" || of_address(i).latency == 0);
  }

  depth of_operands(view text) {
    depth most;
    for (auto at = text.find('%'); at != npos; at = text.find('%', at + 1)) {
      const auto known = known_.find(name_from(text, at));
      if (known == known_.end()) continue;
      most.chain = std::max(most.chain, known->second.chain);
      most.loads = std::max(most.loads, known->second.loads);
      most.since_last = std::max(most.since_last, known->second.since_last);
    }
    return most;
  }

  std::vector<flow::carried_value> carried_;
  std::unordered_map<view, depth> known_;
  std::unordered_set<view> arguments_;
};

void add(instruction_counts& to, const instruction_counts& more) {
  for (const auto& f : instruction_fields) to.*f.count += more.*f.count;
}

/// Whether an argument of 64 bits is one of these.
bool is_any_of(const std::unordered_set<view>& values, view call) {
  for (auto at = call.find("i64 "); at != npos; at = call.find("i64 ", at + 1)) {
    const auto begin = call.find('%', at);
    if (begin == npos || begin > call.find(',', at)) continue;
    if (values.count(call.substr(begin, call.find_first_of(",)", begin) - begin)) != 0) return true;
  }
  return false;
}

/// What a kernel's own arguments lie in: the first parameter of the function that enters it.
view arguments_of(view header) {
  if (header.find("enter_kernel") == npos) return {};
  const auto at = header.find('%', header.find('('));
  return at == npos ? view() : name_from(header, at);
}

bool inverts(const instruction& i) { return i.opcode == "fdiv" && i.has(" 1.000000e+00, %"); }
view last_operand(const instruction& i) { return name_from(i.rest, i.rest.rfind('%')); }

/// What devices compute together: a root's reciprocal is one instruction of theirs, and a remainder
/// is left by the division of the same values in its block.
class pairs {
 public:
  explicit pairs(view body) {
    for_each_line(body, [&](view line) {
      if (const instruction i(line); inverts(i)) inverted_.insert(last_operand(i));
    });
  }

  void begin_block() { divided_.clear(); }

  cost of(const instruction& i) {
    if (i.opcode == "call" && inverted_.count(i.to) != 0 && i.has("sqrt")) {
      roots_.insert(i.to);
      if (const auto known = of_function("rsqrt", i.has("double "))) return *known;
    }
    if (inverts(i) && roots_.count(last_operand(i)) != 0) return {};
    if (!i.is({"udiv", "sdiv", "urem", "srem"})) return source_step::of(i);
    const std::string what = i.opcode[0] + std::string(i.rest);
    const bool is_known = !divided_.insert(what).second;
    if (!is_known || !divides(i)) return source_step::of(i);
    const std::uint64_t words = i.is_wide() ? 2 : 1;
    return {{.integers = words, .multiplies = words}, 2 * words};
  }

 private:
  /// Not where that is a shift.
  static bool divides(const instruction& i) { return of_division(i).counts.integers == 0; }

  std::unordered_set<view> inverted_, roots_;  // values
  std::unordered_set<std::string> divided_;
};

/// One function's blocks, in the order of their numbers.
std::vector<instruction_counts> costs_of(view header, view body) {
  const view arguments = arguments_of(header);
  const std::vector<flow> flows = flows_of(body, arguments);
  std::vector<instruction_counts> all(flows.size());
  std::size_t block = npos;
  depths d(arguments);
  pairs together(body);
  const auto close = [&] {
    if (block == npos) return;
    all[block].chain = d.chain();
    all[block].loads = d.longest.loads;
    all[block].waits = flows[block].waits ? 1 : 0;
    all[block].polls = flows[block].polls ? 1 : 0;
  };
  std::unordered_set<view> widened;  // values of 32 bits in 64
  for_each_line(body, [&](view line) {
    if (line.find(guard_call) != npos) {
      block = number_of(line);
      d = depths(arguments, flows[block].carried);
      together.begin_block();
      return;
    }
    if (block == npos || !line.starts_with("  ")) {
      if (line.starts_with(" ") || line.empty()) return;
      close();
      block = npos;  // the next label; what stands before its callback is no instruction
      return;
    }
    const instruction i(line);
    cost c = together.of(i);
    if (i.opcode == "zext") widened.insert(i.to);
    if (i.has("warp_shuffle") && !is_any_of(widened, i.rest)) c.counts.shuffles = 2;
    add(all[block], c.counts);
    d.add(i, c);
  });
  close();
  return all;
}

using costs_by_function = std::unordered_map<view, std::vector<instruction_counts>>;

/// An entry of clang's table: `i64* inttoptr (i64 1 to i64*)` or `ptr null`.
std::string with_cost(view flags, const instruction_counts& cost) {
  const view type = flags.substr(0, flags.find(' '));
  const std::uint64_t entry = flags.find("i64 1 ") != npos ? 1 : 0;
  return std::string(type) + " inttoptr (i64 " +
         std::to_string(static_cast<std::int64_t>(packed(cost) | entry)) + " to " +
         std::string(type) + ")";
}

std::string table_with_costs(view line, const costs_by_function& costs) {
  const auto open = line.find("] [") + 2;
  std::size_t end = 0;
  const auto entries = arguments_at(line, open, end);
  const auto known = costs.find(name_at(line, line.find('@', open)));
  if (known == costs.end()) return std::string(line);
  std::string out(line.substr(0, open + 1));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i != 0) out += ", ";
    const std::size_t block = i / 2;
    const bool is_flags = i % 2 == 1 && block < known->second.size();
    out += is_flags ? with_cost(entries[i], known->second[block]) : std::string(entries[i]);
  }
  return out.append("]").append(line.substr(end));
}

}  // namespace

std::string with_costs(view text) {
  costs_by_function costs;
  view header;
  std::size_t body = 0;
  for_each_line(text, [&](view line) {
    const auto at = static_cast<std::size_t>(line.data() - text.data());
    if (line.starts_with("define ")) {
      header = line;
      body = at + line.size();
    } else if (line == "}" && !header.empty()) {
      const view name = name_at(header, header.find('@'));
      costs[name] = costs_of(header, text.substr(body, at - body));
      header = {};
    }
  });
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for_each_line(text, [&](view line) {
    const bool is_table = line.starts_with("@") && line.find("\"__sancov_pcs\"") != npos;
    out.append(is_table ? table_with_costs(line, costs) : std::string(line)).append("\n");
  });
  return out;
}

}  // namespace simt::source_step
