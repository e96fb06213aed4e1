#include "wide_copies.hpp"

#include <algorithm>
#include <vector>

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace simt::observe {

using namespace llvm;

namespace {

/// A scalar member of a struct.
struct field {
  std::uint64_t begin, bytes;
  const Metadata* type;
};
using fields = std::vector<field>;

/// Of !{i64 0, i64 4, !8, i64 4, …}: where, how long and of which type.
fields fields_of(const MDNode* n) {
  fields all;
  for (unsigned i = 0; n != nullptr && i + 2 < n->getNumOperands(); i += 3) {
    all.push_back({mdconst::extract<ConstantInt>(n->getOperand(i))->getZExtValue(),
                   mdconst::extract<ConstantInt>(n->getOperand(i + 1))->getZExtValue(),
                   n->getOperand(i + 2)});
  }
  return all;
}

struct piece {
  std::uint64_t begin = 0, bytes = 0;
  unsigned components = 1;
};

bool is_width(std::uint64_t bytes) {
  return bytes != 0 && bytes <= 8 && (bytes & (bytes - 1)) == 0;
}

/// How many members from `first` on are one piece of so many bytes; 0: none.
unsigned components_in(const fields& all, std::size_t first, std::uint64_t bytes) {
  const field& f = all[first];
  const auto count = static_cast<unsigned>(bytes / f.bytes);
  if (count < 2 || count * f.bytes != bytes || f.begin % bytes != 0) return 0;
  if (first + count > all.size()) return 0;
  for (unsigned i = 1; i < count; ++i) {
    const field& other = all[first + i];
    if (other.begin != f.begin + i * f.bytes || other.bytes != f.bytes || other.type != f.type)
      return 0;
  }
  return count;
}

/// None where no two members are one piece, or one is neither a number nor a pointer.
std::vector<piece> pieces_of(const fields& all, std::uint64_t alignment) {
  std::vector<piece> pieces;
  bool any = false;
  for (std::size_t i = 0; i < all.size();) {
    if (!is_width(all[i].bytes)) return {};
    piece p{all[i].begin, all[i].bytes};
    for (const std::uint64_t bytes : {16, 8, 4, 2}) {
      const unsigned count = bytes <= alignment ? components_in(all, i, bytes) : 0;
      if (count == 0) continue;
      p.bytes = bytes;
      p.components = count;
      any = true;
      break;
    }
    pieces.push_back(p);
    i += p.components;
  }
  return any ? pieces : std::vector<piece>{};
}

/// The type of a register that holds the piece.
Type* register_of(const piece& p, LLVMContext& context) {
  const auto bits = static_cast<unsigned>(8 * p.bytes);
  if (p.bytes <= 8) return Type::getIntNTy(context, bits);
  return FixedVectorType::get(Type::getIntNTy(context, bits / p.components), p.components);
}

/// What CUDA aligns a type like struct.float4 to; 1 for all others.
std::uint64_t alignment_of(const Type* type, std::uint64_t bytes) {
  const auto* const vector = dyn_cast_or_null<StructType>(type);
  if (vector == nullptr || !vector->hasName()) return 1;
  StringRef name = vector->getName();
  if (!name.consume_front("struct.") || (name.back() != '2' && name.back() != '4')) return 1;
  const bool known = StringSwitch<bool>(name.drop_back())
                         .Cases("char", "uchar", "short", "ushort", "int", "uint", true)
                         .Cases("long", "ulong", "longlong", "ulonglong", "float", "double", true)
                         .Default(false);
  return known ? std::min<std::uint64_t>(16, bytes) : 1;
}

/// One side of a copy.
struct side {
  Value* at;
  std::uint64_t alignment;
  bool is_local = false;       // a variable of the function
  const Type* type = nullptr;  // of what is there, as far as it is known

  side(Value* pointer, MaybeAlign align) : at(pointer), alignment(align.valueOrOne().value()) {
    is_local = isa<AllocaInst>(pointer->stripPointerCasts());
    if (const auto* const local = dyn_cast<AllocaInst>(pointer)) type = local->getAllocatedType();
#if LLVM_VERSION_MAJOR < 15
    if (const auto* const cast = dyn_cast<BitCastInst>(pointer))
      type = cast->getSrcTy()->getPointerElementType();
#endif
  }
};

void copy(IRBuilder<>& b, const piece& p, const side& to, const side& from) {
  Type* const type = register_of(p, b.getContext());
  const auto place = [&](const side& s) {
    Value* const moved =
        p.begin == 0 ? s.at : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), s.at, p.begin);
    return b.CreatePointerCast(moved, type->getPointerTo());
  };
  const auto alignment = [&](const side& s) {
    return Align(p.begin == 0 ? s.alignment : std::min(s.alignment, p.begin & -p.begin));
  };
  const auto is_access = [&](const side& s) { return p.components > 1 && !s.is_local; };
  Value* const source = place(from);
  Value* const target = place(to);
  Value* const value = b.CreateAlignedLoad(type, source, alignment(from), is_access(from));
  b.CreateAlignedStore(value, target, alignment(to), is_access(to));
}

void widen(MemCpyInst& call) {
  const fields all = fields_of(call.getMetadata(LLVMContext::MD_tbaa_struct));
  if (all.empty() || call.isVolatile()) return;
  side to(call.getRawDest(), call.getDestAlign()), from(call.getRawSource(), call.getSourceAlign());
  std::uint64_t least = 1;
  for (const side& s : {to, from})
    least = std::max(least, alignment_of(s.type, all.back().begin + all.back().bytes));
  to.alignment = std::max(to.alignment, least);
  from.alignment = std::max(from.alignment, least);
  const std::vector<piece> pieces = pieces_of(all, std::min(to.alignment, from.alignment));
  if (pieces.empty()) return;
  IRBuilder<> b(&call);
  for (const piece& p : pieces) copy(b, p, to, from);
  call.eraseFromParent();
}

}  // namespace

void widen_copies(Module& m) {
  std::vector<MemCpyInst*> copies;
  for (Function& f : m) {
    for (Instruction& i : instructions(f)) {
      if (auto* const call = dyn_cast<MemCpyInst>(&i)) copies.push_back(call);
    }
  }
  for (MemCpyInst* const call : copies) widen(*call);
}

}  // namespace simt::observe
