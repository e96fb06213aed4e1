#include "instruction_costs.hpp"

#include <array>
#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

namespace simt::observe {

using namespace llvm;

namespace {

using op = Instruction;

cost integers(std::uint64_t n) { return {{.integers = n}, n}; }
cost floats(std::uint64_t n, std::uint64_t special = 0) {
  return {{.floats = n, .special = special}, n + 4 * special};
}
cost doubles(std::uint64_t n, std::uint64_t special = 0) {
  return {{.doubles = n, .special = special}, 2 * n + 4 * special};
}

/// Of 64 bits; pointers are of as many.
bool is_wide(const Type* t) { return t->isIntegerTy(64) || t->isPointerTy(); }

/// The last operand, if it is a number.
std::optional<std::int64_t> constant_in(const Instruction& i) {
  const auto* const c = dyn_cast<ConstantInt>(i.getOperand(i.getNumOperands() - 1));
  if (c == nullptr || c->getBitWidth() == 1 || c->getBitWidth() > 64) return {};
  return c->getSExtValue();
}

bool is_division(const Instruction& i) { return is(i, op::UDiv, op::SDiv, op::URem, op::SRem); }

/// By a constant: shifts where that is a power of two, else the upper half of a product.
cost of_division(const Instruction& i) {
  const bool is_signed = is(i, op::SDiv, op::SRem);
  const std::uint64_t words = is_wide(i.getType()) ? 2 : 1;
  if (const auto by = constant_in(i)) {
    const bool power = *by > 0 && (*by & (*by - 1)) == 0;
    if (power) return integers(is_signed ? 3 * words : words);
    return {{.integers = 3 * words, .multiplies = 2 * words * words}, 6 * words};
  }
  return {{.divides = words == 2 ? 4U : 1U}, words == 2 ? 80U : 20U};
}

cost of_multiplication(const Instruction& i) {
  const auto by = constant_in(i);
  if (by && *by > 0 && (*by & (*by - 1)) == 0) return integers(1);
  const bool wide = is_wide(i.getType());
  return {{.multiplies = wide ? 4U : 1U}, wide ? 2U : 1U};
}

struct named_cost {
  const char* name;
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
std::optional<cost> of_function(StringRef name, bool is_double) {
  const named_cost* best = nullptr;
  for (const named_cost& f : functions()) {
    if (!name.contains(f.name)) continue;
    if (best == nullptr || StringRef(f.name).size() > StringRef(best->name).size()) best = &f;
  }
  if (best == nullptr) return {};
  return is_double ? best->of_double : best->of_float;
}

cost of_machine_call(StringRef name) {
  const auto has = [&](StringRef word) { return name.contains(word); };
  if (has("warp_shuffle")) return {{.shuffles = 1}, 6};
  if (has("ballot") || has("warp_vote") || has("warp_match") || has("warp_reduce"))
    return {{.shuffles = 1}, 6};
  if (has("_index") || has("_size") || has("lane")) return integers(1);
  return {};  // barriers, atomics and what is shared are counted where they happen
}

/// Whether there are integers in it.
bool has_integers(const Type& t, unsigned bits = 0) {
  if (t.isIntegerTy()) return bits == 0 || t.isIntegerTy(bits);
  return any_of(t.subtypes(), [=](const Type* part) { return has_integers(*part, bits); });
}

cost of_call(const Instruction& i) {
  constexpr std::array free{"lifetime", "dbg",   "assume",    "memcpy", "memmove",
                            "memset",   "stack", "invariant", "expect", "annotation"};
  const StringRef name = callee_name(i);
  const Type& type = *i.getType();
  if (name.empty()) return integers(4);  // through a pointer
  if (begins(name, "llvm.")) {
    if (any_of(free, [&](const char* word) { return name.contains(word); })) return {};
    if (name.contains("ct") || name.contains("bitreverse")) return {{.special = 1}, 4};
    if (has_integers(type)) return integers(has_integers(type, 64) ? 2 : 1);
  }
  if (begins(name, "__sanitizer") || begins(name, "simt_")) return {};
  if (name.contains("4simt6detail")) return of_machine_call(name);
  if (type.isFloatTy() || type.isDoubleTy()) {
    if (const auto known = of_function(name, type.isDoubleTy())) return *known;
  }
  return integers(2);  // a call of the source's
}

cost of_arithmetic(const Instruction& i) {
  const bool is_double = i.getNumOperands() > 0 && i.getOperand(0)->getType()->isDoubleTy();
  if (is(i, op::FAdd, op::FSub, op::FMul, op::FCmp)) return is_double ? doubles(1) : floats(1);
  if (is(i, op::FDiv)) return is_double ? doubles(10, 1) : floats(8, 1);
  if (is(i, op::FRem)) return is_double ? doubles(30, 1) : floats(14, 1);
  if (is(i, op::SIToFP, op::UIToFP, op::FPToSI, op::FPToUI, op::FPExt, op::FPTrunc))
    return {{.special = is_double ? 2U : 1U}, 4};
  return {};
}

cost of_any(const Instruction& i) {
  if (is(i, op::Add, op::Sub, op::And, op::Or, op::Xor, op::Shl, op::LShr, op::AShr, op::ICmp,
         op::Select))
    return integers(is_wide(i.getOperand(isa<SelectInst>(i) ? 1 : 0)->getType()) ? 2 : 1);
  if (is(i, op::Mul)) return of_multiplication(i);
  if (is_division(i)) return of_division(i);
  if (const auto* const branch = dyn_cast<BranchInst>(&i))
    return integers(branch->isConditional() ? 1 : 0);
  if (isa<SwitchInst>(i)) return integers(3);
  return is_call(i) ? of_call(i) : of_arithmetic(i);
}

/// The reciprocal of a divisor that a loop leaves alone is computed before it: what is left.
constexpr cost with_known_reciprocal{{.integers = 5, .multiplies = 2}, 8};

/// What the reciprocal is taken of; nullptr: it is none.
const Value* inverted_by(const Instruction& i) {
  const auto* const one = is(i, op::FDiv) ? dyn_cast<ConstantFP>(i.getOperand(0)) : nullptr;
  return one != nullptr && one->isExactlyValue(1.0) ? i.getOperand(1) : nullptr;
}
bool shuffles(const Instruction& i) { return callee_name(i).contains("warp_shuffle"); }
/// What the machine reckons a shuffle's lane with.
bool is_of_lanes(const Instruction& i) {
  return is(i, op::Add, op::Sub, op::And, op::Or, op::Xor, op::Shl, op::LShr, op::ICmp, op::Select,
            op::ZExt, op::Trunc) ||
         callee_name(i).contains("lane_index");
}

/// A value of 32 bits, in 64.
bool is_word(const Value* v) {
  const auto* const i = dyn_cast<Instruction>(v);
  return i != nullptr && is(*i, op::ZExt, op::SExt) && i->getOperand(0)->getType()->isIntegerTy(32);
}
bool is_of_words(const Instruction& i) {
  bool all = true;
  for_each_value(i, [&](const Value* v) { all &= is_word(v); });
  return all;
}

/// What the value is a constant away from, or is as another type; nullptr: none.
const Value* base_of(const Value* v) {
  const auto* const i = dyn_cast<Instruction>(v);
  if (i == nullptr) return nullptr;
  const bool is_offset = is(*i, op::Add, op::Or) && constant_in(*i);
  return is_offset || is(*i, op::ZExt, op::SExt) ? i->getOperand(0) : nullptr;
}

}  // namespace

cost of_address(const GetElementPtrInst& i) { return integers(i.hasAllConstantIndices() ? 0 : 1); }

function_costs::function_costs(const Function& f) {
  for (const Instruction& i : instructions(f)) {
    if (const Value* const of = inverted_by(i)) inverted_.insert(of);
    const StringRef name = callee_name(i);
    if (name.contains("dynamic_shared") || name.contains("shared_object") || points_to_shared(i))
      shared_.insert(&i);
  }
  find_free(f);
}

bool function_costs::points_to_shared(const Instruction& i) const {
  return is(i, op::BitCast, op::GetElementPtr, op::PHI, op::Select) && has_any_of(i, shared_);
}

/// Backwards from the last arguments of shuffles, and from the indices of addresses: what nothing
/// else uses.
void function_costs::find_free(const Function& f) {
  std::vector<const Instruction*> code;
  DenseMap<const Value*, std::size_t> uses;
  for (const Instruction& i : instructions(f)) {
    code.push_back(&i);
    for_each_value(i, [&](const Value* v) { ++uses[v]; });
  }
  value_set lanes, offsets, elsewhere;  // elsewhere: not only of shared memory
  const auto use = [&](const Value* v, value_set& by) {
    if (--uses[v] == 0) by.insert(v);
  };
  for (const Instruction* const i : reverse(code)) {
    if (shuffles(*i)) {
      const Value* lane = nullptr;
      for (const Value* const a : cast<CallBase>(i)->args()) {
        if (!isa<Constant>(a) && a->getType()->isIntegerTy(32)) lane = a;
      }
      if (lane != nullptr) use(lane, lanes);
    } else if (isa<GetElementPtrInst>(i)) {
      const Value* const index = i->getOperand(i->getNumOperands() - 1);
      if (isa<Constant>(index)) continue;
      use(index, offsets);
      if (!points_to_shared(*i)) elsewhere.insert(index);
    } else if (lanes.contains(i) && is_of_lanes(*i)) {
      for_each_value(*i, [&](const Value* v) { use(v, lanes); });
      free_.insert(i);
    } else if (offsets.contains(i) &&
               (base_of(i) != nullptr || (is(*i, op::Add) && !elsewhere.contains(i)))) {
      for_each_value(*i, [&](const Value* v) {
        use(v, offsets);
        if (elsewhere.contains(i)) elsewhere.insert(v);
      });
      free_.insert(i);
    }
  }
}

/// The first of those that a constant is between.
cost function_costs::of_next_address(const GetElementPtrInst& i) {
  const Value* const index = i.getOperand(i.getNumOperands() - 1);
  if (isa<Constant>(index)) return of_address(i);
  key address{i.getSourceElementType(), i.isInBounds() ? &i.getContext() : nullptr};
  for (unsigned k = 0; k + 1 < i.getNumOperands(); ++k) address.push_back(i.getOperand(k));
  const Value* root = index;
  while (const Value* const base = base_of(root)) root = base;
  address.push_back(root);
  if (!addressed_.insert(std::move(address)).second) return {};
  return integers(is_word(index) || points_to_shared(i) ? 1 : 2);
}

cost function_costs::of(const Instruction& i, const unrolled_loop& loop) {
  if (isa<CallInst>(i) && inverted_.contains(&i) && callee_name(i).contains("sqrt")) {
    roots_.insert(&i);
    if (const auto known = of_function("rsqrt", i.getType()->isDoubleTy())) return *known;
  }
  if (const Value* const of = inverted_by(i); of != nullptr && roots_.contains(of)) return {};
  if (free_.contains(&i)) return {};
  if (is(i, op::Mul) && is_wide(i.getType()) && is_of_words(i)) return {{.multiplies = 1}, 1};
  if (const auto* const address = dyn_cast<GetElementPtrInst>(&i)) return of_next_address(*address);
  if (!is_division(i)) return of_any(i);
  const cost whole = of_division(i);
  const void* const is_signed = is(i, op::SDiv, op::SRem) ? &i.getContext() : nullptr;
  const bool is_known = !divided_.insert({is_signed, i.getOperand(0), i.getOperand(1)}).second;
  const bool divides = whole.counts.integers == 0;  // it is no shift
  if (is_known && divides) {
    const std::uint64_t words = is_wide(i.getType()) ? 2 : 1;
    return {{.integers = words, .multiplies = words}, 2 * words};
  }
  const bool is_long = whole.counts.divides == 1;
  return is_long && loop.is_invariant(i.getOperand(1)) ? with_known_reciprocal : whole;
}

}  // namespace simt::observe
