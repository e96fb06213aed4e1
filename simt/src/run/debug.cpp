// What a debugger reads of a stopped program: simt/gdb/warpfold-gdb.py follows these offsets. It
// calls nothing in the program, so that conditions of breakpoints and core files can ask, too.
#include <cstddef>
#include <string>

#include "simt/src/run/cluster.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/tls.hpp"

// Not of standard layout all, and laid out by one compiler.
#pragma clang diagnostic ignored "-Winvalid-offsetof"

namespace simt::detail {

namespace {

std::string layout() {
  std::string text;
  const auto add = [&](const char* name, auto value) {
    text += std::string(name) + "=" + std::to_string(value) + "\n";
  };
  add("tls", reinterpret_cast<std::ptrdiff_t>(&tls) -
                 reinterpret_cast<std::ptrdiff_t>(__builtin_thread_pointer()));
#define SIMT_MEMBER(type, member) add(#type "." #member, offsetof(type, member))
  SIMT_MEMBER(thread_state, current);
  SIMT_MEMBER(lane, warp);
  SIMT_MEMBER(lane, at);
  SIMT_MEMBER(lane, thread_idx);
  SIMT_MEMBER(lane, index);
  SIMT_MEMBER(place, file);
  SIMT_MEMBER(place, line);
  SIMT_MEMBER(place, what);
  SIMT_MEMBER(warp, block);
  SIMT_MEMBER(warp, index);
  SIMT_MEMBER(warp, live);
  SIMT_MEMBER(warp, ready);
  SIMT_MEMBER(warp, spinning);
  SIMT_MEMBER(warp, elsewhere);
  SIMT_MEMBER(warp, fibers);
  SIMT_MEMBER(warp, lanes);
  SIMT_MEMBER(block, cluster);
  SIMT_MEMBER(block, block_idx);
  SIMT_MEMBER(block, barrier);
  SIMT_MEMBER(block, warps);
  SIMT_MEMBER(cluster, worker);
  SIMT_MEMBER(cluster, blocks);
  SIMT_MEMBER(worker, launched);
  SIMT_MEMBER(worker, resident);
  SIMT_MEMBER(worker, whole_blocks);
  SIMT_MEMBER(launch_config, grid);
  SIMT_MEMBER(launch_config, block);
#undef SIMT_MEMBER
  add("sizeof.lane", sizeof(lane));
  add("sizeof.warp", sizeof(warp));
  add("sizeof.block", sizeof(block));
  for (int i = 0; i <= static_cast<int>(intrinsic::matrices); ++i) {
    const char* const name = name_of(static_cast<intrinsic>(i));
    text += "what." + std::to_string(i) + "=" + (name != nullptr ? name : "") + "\n";
  }
  return text;
}

}  // namespace

}  // namespace simt::detail

static const std::string layout_text = simt::detail::layout();
/// A line for each offset and size.
extern "C" [[gnu::used]] const char* const simt_debug_layout = layout_text.c_str();
