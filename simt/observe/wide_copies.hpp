// Copies of CUDA's vectors as one access each, before the optimiser, which would else make as many
// of them as components are used. A device loads a float4 at once.
//
//   call void @llvm.memcpy…(to, from, i64 16, …), !tbaa.struct !5    load volatile <4 x i32>, …
//                                                                   store volatile <4 x i32> …
//
// Components that lie side by side, of one type, and as many as the alignment allows, are one
// piece; the struct's other members stay accesses of their own, which go where nobody uses them.
// What lies in a variable of the function is no access, so that side is not volatile. A vector has
// its type's alignment: where a member's address was cast, the compiler believes the member's.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

void widen_copies(llvm::Module& m);

}  // namespace simt::observe
