#include "costs.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "flow.hpp"
#include "instruction.hpp"
#include "instruction_costs.hpp"
#include "text_lines.hpp"
#include "unrolled.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

/// What a warp executes; the rest of the counts says how long that takes.
constexpr std::array executed{&instruction_counts::integers, &instruction_counts::multiplies,
                              &instruction_counts::divides,  &instruction_counts::floats,
                              &instruction_counts::doubles,  &instruction_counts::special,
                              &instruction_counts::shuffles};

/// How long before each value of a block is known: in additions and in loads.
class depths {
 public:
  struct depth {
    std::uint64_t chain = 0, loads = 0;
    std::int64_t since_last = -1;  // additions, from what the last iteration left; -1: from nothing
  };

  /// `arguments`: pointers to them, which a device has at hand.
  explicit depths(value_names arguments = {}, std::vector<flow::carried_value> carried = {})
      : carried_(std::move(carried)), arguments_(std::move(arguments)) {
    // What steps by the same each time is known to all unrolled iterations at once.
    for (const auto& value : carried_) {
      if (!value.by_same) known_[value.now].since_last = 0;
    }
  }

  /// The device compiler unrolls a loop four times: then iterations wait for no more than what
  /// one hands to the next.
  [[nodiscard]] std::uint64_t chain() const {
    if (carried_.empty()) return longest.chain;
    std::uint64_t most = (longest.chain + iterations_unrolled - 1) / iterations_unrolled;
    for (const auto& value : carried_) {
      const auto known = known_.find(value.next);
      if (known != known_.end() && known->second.since_last > 0)
        most = std::max(most, static_cast<std::uint64_t>(known->second.since_last));
    }
    return most;
  }

  /// `is_used`: what the instruction makes is needed by another.
  void add(const instruction& i, const cost& c, bool is_used) {
    depth d = of_operands(i.rest);
    d.chain += c.latency;
    if (d.since_last >= 0) d.since_last += static_cast<std::int64_t>(c.latency);
    if (i.is({"load", "bitcast", "getelementptr"}) && is_of_arguments(i)) {
      if (i.opcode != "load") arguments_.insert(i.to);
    } else if (i.opcode == "load" || (i.opcode == "atomicrmw" && is_used)) {
      ++d.loads;
    }
    if (!i.to.empty()) known_[i.to] = d;
    longest.chain = std::max(longest.chain, d.chain);
    longest.loads = std::max(longest.loads, d.loads);
  }

  [[nodiscard]] bool is_of_arguments(const instruction& i) const {
    return arguments_.count(pointer_in(i.rest)) != 0 &&
           (i.opcode != "getelementptr" || of_address(i).latency == 0);
  }

  depth longest;

 private:
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
  value_names arguments_;
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

bool enters_kernel(view header) { return header.find("enter_kernel") != npos; }

/// What a kernel's own arguments lie in: the first parameter of the function that enters it, and
/// what a function that is not part of that is given by value.
value_names arguments_of(view header) {
  value_names all;
  const auto add_next = [&](std::size_t from) {
    const auto at = header.find(" %", from);  // no type's name, which follows a bracket
    if (at != npos) all.insert(name_from(header, at + 1));
  };
  if (enters_kernel(header)) add_next(header.find('('));
  for (auto at = header.find("byval("); at != npos; at = header.find("byval(", at + 1))
    add_next(at);
  return all;
}

/// Whether anything behind `line` in the body names what it makes.
bool is_used(view body, view line, view name) {
  const auto from = static_cast<std::size_t>(line.data() - body.data()) + line.size();
  for (auto at = body.find(name, from); at != npos; at = body.find(name, at + 1)) {
    if (name_from(body, at) == name) return true;
  }
  return false;
}

/// A short `if` without an `else` becomes instructions with a condition, which all warps execute:
/// the block that decides costs what the body does, and no branch. The CUDA C++ Programming Guide
/// has the length. Before other branches at which lanes part and where they meet a device has one
/// instruction each.
void add_branches(std::vector<instruction_counts>& all, const std::vector<flow>& flows) {
  constexpr std::uint64_t most = 7;
  std::vector<bool> parts;
  for (const flow& f : flows) parts.push_back(f.parts_lanes);
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (flows[b].guard >= all.size() || all[b].polls != 0) continue;
    instruction_counts& body = all[b];
    std::uint64_t sum = flows[b].accesses;
    for (const auto count : executed) sum += body.*count;
    if (sum > most || body.divides != 0 || flows[b].is_through_memory) continue;
    instruction_counts& guard = all[flows[b].guard];
    for (const auto count : executed) guard.*count += std::exchange(body.*count, 0);
    --guard.integers;
    parts[flows[b].guard] = false;
    guard.shared_ahead = body.shared_inside = flows[b].shared_accesses;
  }
  // In additions of 5 cycles. Where lanes may part an H100 takes 23 cycles. It takes 28 to add,
  // compare and go round.
  constexpr std::uint64_t to_part = 5, to_go_round = 4;
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].integers += flows[b].moves + (parts[b] ? 2 : 0);
    all[b].chain += (parts[b] ? to_part : 0) + (flows[b].goes_round ? to_go_round : 0);
  }
}

/// One function's blocks, in the order of their numbers.
std::vector<instruction_counts> costs_of(view header, view body) {
  const value_names arguments = arguments_of(header);
  const std::vector<flow> flows = flows_of(body, arguments);
  std::vector<instruction_counts> all(flows.size());
  std::size_t block = npos;
  depths d(arguments);
  function_costs instructions(body);
  unrolled_loop loop;
  // An instruction brings each of a kernel's arguments, and one ends it.
  const bool enters = enters_kernel(header);
  const auto of_kernel = [&](const instruction& i, const depths& known) -> std::uint64_t {
    return (enters && i.opcode == "ret") || (i.opcode == "load" && known.is_of_arguments(i)) ? 1
                                                                                             : 0;
  };
  const auto close = [&] {
    if (block == npos) return;
    all[block].integers -= loop.saved();
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
      loop = unrolled_loop(flows[block].carried);
      instructions.begin_block();
      return;
    }
    if (block == npos || !line.starts_with("  ")) {
      if (line.starts_with(" ") || line.empty()) return;
      close();
      block = npos;  // the next label; what stands before its callback is no instruction
      return;
    }
    const instruction i(line);
    cost c = instructions.of(i, loop);
    loop.add(i, c.counts.integers);
    c.counts.integers += of_kernel(i, d);
    if (i.opcode == "zext") widened.insert(i.to);
    if (i.has("warp_shuffle") && !is_any_of(widened, i.rest)) c.counts.shuffles = 2;
    add(all[block], c.counts);
    d.add(i, c, i.opcode == "atomicrmw" && is_used(body, line, i.to));
  });
  close();
  constexpr std::uint64_t to_begin = 2;  // where its stack and its memory are
  if (enters && !all.empty()) all[0].integers += to_begin;
  add_branches(all, flows);
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
