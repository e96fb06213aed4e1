// Device memory for the length of one call: the caller's workspace, or stream-ordered memory.
#pragma once

#include <utility>

#include "warpfold/environment.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// `where` with a workspace of at least `bytes`, zeroed if it is new and so wished.
class scratch {
 public:
  scratch(const device_execution& where, std::size_t bytes, bool zeroed = true) : where_(where) {
    if (where.memory().data != nullptr) {
      if (where.memory().bytes < bytes) state_ = too_small();
      return;
    }
    state_ = allocate_async(&owned_, bytes, where.stream());
    if (zeroed && state_.ok()) state_ = zero_async(owned_, bytes, where.stream());
    where_ = where.with(workspace_view{owned_, bytes});
  }
  ~scratch() { (void)release(); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  [[nodiscard]] status state() const { return state_; }
  [[nodiscard]] const device_execution& where() const { return where_; }

  status release() {
    if (owned_ == nullptr) return {};
    return free_async(std::exchange(owned_, nullptr), where_.stream());
  }

 private:
  static constexpr status too_small() {
    return {1, "the workspace is smaller than the call's *_workspace_bytes"};
  }

  device_execution where_;
  void* owned_ = nullptr;
  status state_;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
