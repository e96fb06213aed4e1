// refused: the operator needs an identity: pass with_identity(op, value)
#include <functional>
#include <span>

#include "warpfold/nccl.hpp"

int sum(ncclComm_t comm, std::span<const int> values) {
  return warpfold::reduce(warpfold::across(comm, warpfold::device), values, 0, std::plus<>{});
}
