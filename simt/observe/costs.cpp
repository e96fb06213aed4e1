#include "costs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <llvm/IR/Constants.h>

#include "instruction_costs.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

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
  depths(value_set arguments, const std::vector<flow::carried_value>& carried)
      : carried_(carried), arguments_(std::move(arguments)) {
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

  void add(const Instruction& i, const cost& c) {
    depth d;
    for_each_value(i, [&](const Value* v) {
      const auto known = known_.find(v);
      if (known == known_.end()) return;
      d.chain = std::max(d.chain, known->second.chain);
      d.loads = std::max(d.loads, known->second.loads);
      d.since_last = std::max(d.since_last, known->second.since_last);
    });
    d.chain += c.latency;
    if (d.since_last >= 0) d.since_last += static_cast<std::int64_t>(c.latency);
    if (is_of_arguments(i)) {
      if (!isa<LoadInst>(i)) arguments_.insert(&i);
    } else if (isa<LoadInst>(i) || (isa<AtomicRMWInst>(i) && !i.use_empty())) {
      ++d.loads;
    }
    known_[&i] = d;
    longest.chain = std::max(longest.chain, d.chain);
    longest.loads = std::max(longest.loads, d.loads);
  }

  [[nodiscard]] bool is_of_arguments(const Instruction& i) const {
    const auto* const address = dyn_cast<GetElementPtrInst>(&i);
    if (address != nullptr && !address->hasAllConstantIndices()) return false;
    return is(i, Instruction::Load, Instruction::BitCast, Instruction::GetElementPtr) &&
           arguments_.contains(i.getOperand(0));
  }

  depth longest;

 private:
  const std::vector<flow::carried_value>& carried_;
  DenseMap<const Value*, depth> known_;
  value_set arguments_;
};

void add(instruction_counts& to, const instruction_counts& more) {
  for (const auto& f : instruction_fields) to.*f.count += more.*f.count;
}

bool enters_kernel(const Function& f) { return f.getName().contains("enter_kernel"); }

/// What a kernel's own arguments lie in: the first parameter of the function that enters it, and
/// what a function that is not part of that is given by value.
value_set arguments_of(const Function& f) {
  value_set all;
  for (const Argument& a : f.args()) {
    if (a.hasByValAttr() || (a.getArgNo() == 0 && enters_kernel(f))) all.insert(&a);
  }
  return all;
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
    if (flows[b].guard == npos || all[b].polls != 0) continue;
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

/// Whether an argument of 64 bits is a narrower value.
bool has_widened(const CallBase& call) {
  return std::any_of(call.arg_begin(), call.arg_end(), [](const Use& u) {
    return isa<ZExtInst>(u.get()) && u->getType()->isIntegerTy(64);
  });
}

Constant* with_cost(Constant& flags, const instruction_counts& cost) {
  auto* const word = Type::getInt64Ty(flags.getContext());
  const std::uint64_t entry = flags.isNullValue() ? 0 : 1;
  return ConstantExpr::getIntToPtr(ConstantInt::get(word, packed(cost) | entry), flags.getType());
}

}  // namespace

std::vector<instruction_counts> costs_of(Function& f) {
  const control_flow graph(f);
  const value_set arguments = arguments_of(f);
  const std::vector<flow> flows = flows_of(graph, arguments);
  std::vector<instruction_counts> all(flows.size());
  function_costs instructions(f);
  const bool enters = enters_kernel(f);
  for (std::size_t block = 0; block < flows.size(); ++block) {
    if (!graph.blocks[block].watched) continue;
    depths d(arguments, flows[block].carried);
    unrolled_loop loop(flows[block].carried);
    instructions.begin_block();
    bool begun = false;  // what stands before its callback is no instruction
    for (const Instruction& i : *graph.blocks[block].at) {
      if (!std::exchange(begun, begun || is_guard(i))) continue;
      cost c = instructions.of(i, loop);
      loop.add(i, c.counts.integers);
      // An instruction brings each of a kernel's arguments, and one ends it.
      if ((enters && isa<ReturnInst>(i)) || (isa<LoadInst>(i) && d.is_of_arguments(i)))
        ++c.counts.integers;
      if (callee_name(i).contains("warp_shuffle") && !has_widened(cast<CallBase>(i)))
        c.counts.shuffles = 2;
      add(all[block], c.counts);
      d.add(i, c);
    }
    all[block].integers -= loop.saved();
    all[block].chain = d.chain();
    all[block].loads = d.longest.loads;
    all[block].waits = flows[block].waits ? 1 : 0;
    all[block].polls = flows[block].polls ? 1 : 0;
  }
  constexpr std::uint64_t to_begin = 2;  // where its stack and its memory are
  if (enters && !all.empty()) all[0].integers += to_begin;
  add_branches(all, flows);
  std::vector<instruction_counts> watched;
  for (std::size_t block = 0; block < flows.size(); ++block) {
    if (graph.blocks[block].watched) watched.push_back(all[block]);
  }
  return watched;
}

void put_costs(Module& m) {
  for (GlobalVariable& table : m.globals()) {
    if (table.getSection() != "__sancov_pcs" || !table.hasInitializer()) continue;
    auto* const list = cast<ConstantArray>(table.getInitializer());
    auto* const f = dyn_cast<Function>(list->getOperand(0)->stripPointerCasts());
    if (f == nullptr || f->isDeclaration()) continue;
    const std::vector<instruction_counts> costs = costs_of(*f);
    SmallVector<Constant*, 32> entries;
    for (const Use& u : list->operands()) {
      const unsigned i = u.getOperandNo();
      auto* const old = cast<Constant>(u.get());
      entries.push_back(i % 2 == 1 && i / 2 < costs.size() ? with_cost(*old, costs[i / 2]) : old);
    }
    table.setInitializer(ConstantArray::get(list->getType(), entries));
  }
}

}  // namespace simt::observe
