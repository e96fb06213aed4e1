#include "simt/src/run/cluster.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "simt/src/run/failures.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/run/schedule.hpp"
#include "simt/src/run/tls.hpp"

namespace simt::detail {

namespace {

constexpr auto huge_page = std::size_t{2} * 1024 * 1024;  // a TLB miss at every switch costs more
/// As long as a line of the cache: a frame that passes it most likely leaves something there.
constexpr auto stack_end_mark = [] {
  std::array<std::uint64_t, 8> words{};
  words.fill(0x5afe'57ac'5afe'57ac);
  return words;
}();

}  // namespace

uint3 unflatten(std::uint64_t i, const dim3& shape) {
  return {static_cast<unsigned>(i % shape.x), static_cast<unsigned>(i / shape.x % shape.y),
          static_cast<unsigned>(i / shape.x / shape.y)};
}

uint3 block_at(std::uint64_t number, const dim3& grid, const dim3& cluster) {
  if (cluster.y == 1 && cluster.z == 1) return unflatten(number, grid);
  const unsigned blocks = cluster.x * cluster.y * cluster.z;
  const uint3 first =
      unflatten(number / blocks, {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z});
  const uint3 inside = unflatten(number % blocks, cluster);
  return {first.x * cluster.x + inside.x, first.y * cluster.y + inside.y,
          first.z * cluster.z + inside.z};
}

unsigned number_of(const block& b) {
  const dim3& shape = grid_of(b).config.grid;
  return b.block_idx.x + shape.x * (b.block_idx.y + shape.y * b.block_idx.z);
}

cluster::cluster(struct worker& w, unsigned size, unsigned threads)
    : worker(&w),
      threads_per_block(threads),
      fibers_per_block(w.whole_blocks ? 1 : threads),
      blocks(size) {
  const std::size_t block_stacks = fibers_per_block * stack_bytes;
  stacks_bytes = (size * block_stacks + huge_page - 1) / huge_page * huge_page;
  memory_bytes = stacks_bytes + size * shared_stride + 2 * huge_page;
  void* const p = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  mapping = static_cast<std::byte*>(p);
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  stacks = mapping + 2 * huge_page - address % huge_page;  // with room for the first to overflow
  memory = stacks + stacks_bytes;
  // Where very many blocks are there at once, memory counts for more.
  const grid& g = *w.launched;
  const bool many = g.config.cooperative || w.resident.size() >= g.most_resident;
  if (!many && stack_bytes == least_stack_bytes) madvise(stacks, stacks_bytes, MADV_HUGEPAGE);
  for (unsigned rank = 0; rank < size; ++rank) {
    blocks[rank].rank = rank;
    lay_out(blocks[rank], stacks + rank * block_stacks);
  }
}

/// Gives every fiber of the block its stack; they follow each other from `stack` on.
void cluster::lay_out(block& b, std::byte* stack) {
  b.cluster = this;
  b.threads = threads_per_block;
  b.shared = memory + b.rank * shared_stride;
  b.warps.resize((b.threads + warp_size - 1) / warp_size);
  unsigned thread = 0;
  for (warp& w : b.warps) {
    w.block = &b;
    w.index = thread / warp_size;
    w.stacks = stack;
    for (lane& l : w.lanes) {
      l.warp = &w;
      l.index = static_cast<std::uint8_t>(thread % warp_size);
      if (thread++ >= fibers_per_block) continue;
      // The tops are spread over the cache sets.
      const std::size_t colour = (thread - 1) * std::size_t{320} % 4096;
      std::memcpy(stack, stack_end_mark.data(), sizeof stack_end_mark);
      stack += stack_bytes;
      reset_fiber(l, stack - colour, stack_bytes - colour);
    }
  }
}

cluster::~cluster() { munmap(mapping, memory_bytes); }

bool overflowed(const lane& l) {
  const std::byte* const end = l.warp->stacks + l.index * block_of(l).cluster->stack_of_each;
  return std::memcmp(end, stack_end_mark.data(), sizeof stack_end_mark) != 0;
}

const lane* cluster::overflowed() const {
  for (const block& b : blocks) {
    for (const warp& w : b.warps) {
      for (const lane& l : w.lanes) {
        if (w.index * warp_size + l.index < fibers_per_block && detail::overflowed(l)) return &l;
      }
    }
  }
  return nullptr;
}

void cluster::begin(const grid& g, std::uint64_t number) {
  live = cluster_arrived = resumed = 0;
  preempted = false;
  if (worker->observer != nullptr) worker->observer->cluster_begins(*this, g, number);
  for (block& b : blocks) {
    b.block_idx = block_at(number * blocks.size() + b.rank, g.config.grid, g.config.cluster);
    begin(b, g);
    live += b.live;
  }
}

void clear_shared(block& b) {
  b.storage.clear();
  b.storage_end = (b.dynamic_bytes + 127) / 128 * 128;
  // Nobody wrote it: let it show. A memset of no bytes took as long as a block of 256 threads.
  if (b.dynamic_bytes != 0) std::memset(b.shared, 0xA5, b.dynamic_bytes);
}

void cluster::begin(block& b, const grid& g) {
  b.ready_warps = 0;
  b.arrived = b.votes = 0;
  b.live = threads_per_block;
  b.first_exit = nullptr;
  b.dynamic_bytes = g.config.shared_bytes;
  clear_shared(b);
  if (worker->whole_blocks) {
    b.warps.front().live = 1;
    make_ready(b.warps.front(), 1);
  } else {
    begin_lanes(b, g);
  }
}

void cluster::begin_lanes(block& b, const grid& g) {
  lanes_ran = true;
  for (named_barrier_state& n : b.named_barriers) n.arrived = 0;
  for (warp& w : b.warps) {
    const unsigned first = w.index * warp_size;
    const unsigned lanes = std::min(warp_size, threads_per_block - first);
    w.live = lanes == warp_size ? ~0U : (1U << lanes) - 1;
    w.whole = w.live;
    w.ready = w.spinning = w.elsewhere = w.converging = w.in_step = w.computing = 0;
    w.stepped = 0;
    w.collectives.clear();
    w.states.reset();
    w.sequential = worker->order == run_order::ascending && worker->observer == nullptr &&
                   !worker->tests_stacks;
    for (unsigned i = 0; i < lanes; ++i) {
      w.lanes[i].thread_idx = unflatten(first + i, g.config.block);
      w.lanes[i].carry = w.lanes[i].before = 0;
    }
    make_ready(w, w.live);
  }
}

void end_lane(lane& self) {
  self.at = {};
  warp& w = *self.warp;
  block& b = *w.block;
  grid& g = grid_of(b);
  w.live &= ~(1U << self.index);
  if (b.first_exit == nullptr) b.first_exit = &self;
  if (--b.live == 0) g.ended.fetch_add(1, std::memory_order_relaxed);
  --b.cluster->live;
  if (tls.observer != nullptr && b.live == 0) tls.observer->block_ends(self);
  if (w.live == 0) {
    ++worker_of(b).total.warps;
    g.progress.fetch_add(1, std::memory_order_relaxed);
  }
  complete_without(self);
  release_without(self);
}

}  // namespace simt::detail
