#include <bit>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "simt/src/run/model.hpp"

namespace simt::detail {

namespace {

constexpr auto huge_page = std::size_t{2} * 1024 * 1024;  // a TLB miss at every switch costs more
constexpr std::uint64_t stack_end_mark = 0x5afe'57ac'5afe'57ac;

}  // namespace

uint3 unflatten(std::uint64_t i, const dim3& shape) {
  return {static_cast<unsigned>(i % shape.x), static_cast<unsigned>(i / shape.x % shape.y),
          static_cast<unsigned>(i / shape.x / shape.y)};
}

unsigned number_of(const block& b) {
  const dim3& shape = b.home->home->job->config.grid;
  return b.block_idx.x + shape.x * (b.block_idx.y + shape.y * b.block_idx.z);
}

group::group(worker& w, unsigned cluster, unsigned threads)
    : home(&w), threads_per_block(threads), blocks(cluster) {
  stacks_bytes =
      (cluster * std::size_t{threads} * stack_bytes + huge_page - 1) / huge_page * huge_page;
  memory_bytes = stacks_bytes + cluster * shared_stride + 2 * huge_page;
  void* const p = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  mapping = static_cast<std::byte*>(p);
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  stacks = mapping + 2 * huge_page - address % huge_page;  // with room for the first to overflow
  memory = stacks + stacks_bytes;
  // All blocks of a cooperative launch are there at once: then memory counts for more.
  if (!w.job->config.cooperative) madvise(stacks, stacks_bytes, MADV_HUGEPAGE);
  std::byte* stack = stacks;
  unsigned rank = 0;
  for (block& b : blocks) {
    b.home = this;
    b.rank = rank++;
    b.threads = threads;
    b.shared = memory + b.rank * shared_stride;
    b.warps.resize((threads + warp_size - 1) / warp_size);
    unsigned index = 0;
    for (warp& at : b.warps) {
      at.home = &b;
      at.index = index++;
      for (unsigned i = 0; i < warp_size; ++i) {
        lane& l = at.lanes[i];
        l.home = &at;
        l.index = static_cast<std::uint8_t>(i);
        if (at.index * warp_size + i >= threads) continue;
        // The tops are spread over the cache sets.
        const std::size_t colour = (at.index * warp_size + i) * 320 % 4096;
        std::memcpy(stack, &stack_end_mark, sizeof stack_end_mark);
        if (i == 0) at.stacks = stack;
        stack += stack_bytes;
        reset_fiber(l, stack - colour, stack_bytes - colour);
      }
    }
  }
}

group::~group() { munmap(mapping, memory_bytes); }

bool overflowed(const lane& l) {
  return std::memcmp(l.home->stacks + l.index * stack_bytes, &stack_end_mark,
                     sizeof stack_end_mark) != 0;
}

const lane* group::overflowed() const {
  for (const block& b : blocks) {
    for (const warp& w : b.warps) {
      for (const lane& l : w.lanes) {
        if (w.index * warp_size + l.index < threads_per_block && detail::overflowed(l)) return &l;
      }
    }
  }
  return nullptr;
}

void group::begin(const grid& g, std::uint64_t index) {
  const dim3& grid_shape = g.config.grid;
  live = cluster_arrived = resumed = 0;
  preempted = false;
  if (g.check) {
    begin_check(*this, g, index);
  } else {
    check.reset();
    for (block& b : blocks) b.check = nullptr;
  }
  for (block& b : blocks) {
    b.block_idx = unflatten(index * blocks.size() + b.rank, grid_shape);
    b.ready_warps = 0;
    b.arrived = b.votes = 0;
    b.live = threads_per_block;
    b.first_exit = nullptr;
    b.storage.clear();
    b.dynamic_bytes = g.config.shared_bytes;
    b.storage_end = (g.config.shared_bytes + 127) / 128 * 128;
    std::memset(b.shared, 0xA5, g.config.shared_bytes);  // nobody wrote it: let it show
    live += b.live;
    for (warp& w : b.warps) {
      const unsigned first = w.index * warp_size;
      const unsigned lanes = std::min(warp_size, threads_per_block - first);
      w.live = lanes == warp_size ? ~0U : (1U << lanes) - 1;
      w.whole = w.live;
      w.spinning = w.elsewhere = w.converging = 0;
      w.collectives.clear();
      w.sequential = home->order == run_order::ascending && !home->counts && !home->watches &&
                     !g.check && !g.watch;
      for (unsigned i = 0; i < lanes; ++i) {
        w.lanes[i].thread_idx = unflatten(first + i, g.config.block);
        w.lanes[i].carry = w.lanes[i].before = 0;
      }
      make_ready(w, w.live);
    }
  }
}

void end_lane(lane& self) {
  self.at = {};
  warp& w = *self.home;
  block& b = *w.home;
  w.live &= ~(1U << self.index);
  if (b.first_exit == nullptr) b.first_exit = &self;
  if (--b.live == 0) b.home->home->job->ended.fetch_add(1, std::memory_order_relaxed);
  --b.home->live;
  if (hot.watch != nullptr && b.live == 0) watch_end(self);
  if (w.live == 0) {
    ++b.home->home->trace.total.warps;
    b.home->home->job->progress.fetch_add(1, std::memory_order_relaxed);
  }
  for (const collective& c : w.collectives) {
    if (c.arrived != 0 && c.arrived != c.mask && (c.mask >> self.index & 1) != 0) {
      const lane& waits = w.lanes[static_cast<unsigned>(std::countr_zero(c.arrived))];
      fail_hazard(self, finding_kind::wrong_mask,
                  "ended, but a warp operation that other lanes wait in names it in its mask",
                  &waits,
                  std::string("waits at ") + name_of(waits.at.what) + " with mask " + hex(c.mask));
    }
  }
}

}  // namespace simt::detail
