#include "simt/src/record/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace simt::detail {

namespace {

constexpr std::size_t most_accesses = std::size_t{1} << 18;  // warp-wide ones, of a launch

/// The machine's own work leaves no trace while one of these lives.
class silence {
 public:
  silence() : kept_(hot) { hush_hooks(); }
  ~silence() { hot = kept_; }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  hot_state kept_;
};

watch_log::part& part_of(watch_log& log, const warp& w) {
  auto& parts = log.parts[w.home];
  if (parts.empty()) parts.resize(w.home->warps.size());
  return parts[w.index];
}

/// Which object of whose shared memory this is.
watched_cell place_in_shared(const block& mine, std::uintptr_t address) {
  const group& g = *mine.home;
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(g.memory);
  const block& owner = g.blocks[offset / shared_stride];
  watched_cell cell{.address = offset % shared_stride, .block = number_of(owner)};
  for (std::size_t i = 0; i < owner.storage.size(); ++i) {
    const auto& object = owner.storage[i];
    if (cell.address < object.begin || cell.address >= object.end) continue;
    cell.address -= object.begin;
    cell.object = static_cast<unsigned>(i) + 1;
    break;
  }
  return cell;
}

/// Where that is now. Blocks that ended may have given their memory to others.
const std::byte* memory_of(const watched_access& a, const watched_cell& c, const group& g) {
  if (a.space == memory_space::global) return reinterpret_cast<const std::byte*>(c.address);
  for (const block& b : g.blocks) {
    if (number_of(b) != c.block) continue;
    return b.shared + c.address + (c.object > 0 ? b.storage[c.object - 1].begin : 0);
  }
  return nullptr;
}

void note(watch_log& log, lane& self, std::uintptr_t address, access_kind kind, space where,
          unsigned size_log2, std::uintptr_t pc) {
  watch_log::part& part = part_of(log, *self.home);
  const std::uint64_t site = pack_site(pc, kind, where, size_log2);
  const unsigned visit = part.visits[{site, self.index}]++;
  const auto [known, is_new] =
      part.index.try_emplace({site, visit}, static_cast<std::size_t>(part.accesses.size()));
  if (is_new) {
    part.accesses.push_back({.what = access_type(kind),
                             .space = memory_space(where),
                             .warp = self.home->index,
                             .bytes = 1U << size_log2});
    ++log.kept;
  }
  watched_access& a = part.accesses[known->second];
  watched_cell& cell = a.cell[self.index];
  cell = where == space::global ? watched_cell{.address = address}
                                : place_in_shared(*self.home->home, address);
  a.lanes |= 1U << self.index;
  if (kind == access_kind::load) {
    std::memcpy(cell.value.data(), reinterpret_cast<const void*>(address), a.bytes);
  }
}

/// What the kernel's operators were applied since the last call is the running lane's.
void attribute(watch_log& log, const lane& self) {
  const std::uint64_t now = applications;
  if (now == log.applications) return;
  part_of(log, *self.home).applications[self.index] +=
      static_cast<std::uint32_t>(now - log.applications);
  log.applications = now;
}

void count_conflicts(watched_access& a, const group& g) {
  if (a.space != memory_space::shared) return;
  std::array<std::uint64_t, warp_size> addresses{};
  for (std::uint32_t rest = a.lanes; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(rest));
    addresses[l] = reinterpret_cast<std::uintptr_t>(memory_of(a, a.cell[l], g));
  }
  counters counted;
  count_access(counted,
               pack_site(0, access_kind(a.what), space::shared,
                         static_cast<unsigned>(std::countr_zero(a.bytes))),
               a.lanes, addresses.data());
  a.conflicts = counted.shared_load.conflicts + counted.shared_store.conflicts +
                counted.shared_atomic.conflicts;
}

/// Moves what a warp did into the step.
void move_into(watched_step& step, watch_log::part& part, unsigned warp, const group& g) {
  for (watched_access& a : part.accesses) {
    for (std::uint32_t rest = a.lanes; rest != 0 && a.what != access_type::read; rest &= rest - 1) {
      watched_cell& c = a.cell[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::byte* const at = memory_of(a, c, g);
      if (at != nullptr) std::memcpy(c.value.data(), at, a.bytes);
    }
    count_conflicts(a, g);
    step.accesses.push_back(a);
  }
  const std::size_t first = std::size_t{warp} * warp_size;
  for (std::size_t l = 0; l < warp_size && first + l < step.applications.size(); ++l) {
    step.applications[first + l] = part.applications[l];
  }
  part = {};
}

watched_step begin_step(const watch_log& log, const block& b, step_end why) {
  return {.launch = log.launch,
          .kernel = log.kernel,
          .block = number_of(b),
          .threads = b.threads,
          .shared_bytes = b.home->home->job->config.shared_bytes,
          .ended_by = why,
          .applications = std::vector<std::uint32_t>(b.threads)};
}

void close_block(watch_log& log, const block& b, step_end why, const char* word) {
  watched_step step = begin_step(log, b, why);
  step.word = word;
  auto& parts = log.parts[&b];
  for (std::size_t w = 0; w < parts.size(); ++w) {
    move_into(step, parts[w], static_cast<unsigned>(w), *b.home);
  }
  log.steps->push_back(std::move(step));
}

}  // namespace

void watch_access(std::uintptr_t address, access_kind kind, space where, unsigned size_log2,
                  std::uintptr_t pc) {
  watch_log& log = *hot.watch;
  lane& self = *hot.current;
  {
    const silence quiet;
    note(log, self, address, kind, where, size_log2, pc);
  }
  if (log.kept > most_accesses) {
    fail(self, "is watched, and so many accesses can't be kept; watch a launch of fewer values");
  }
}

void watch_copy(std::byte* shared, const void* global, std::size_t bytes, std::uintptr_t pc) {
  for (std::size_t i = 0; i < bytes; i += 16) {
    watch_access(reinterpret_cast<std::uintptr_t>(global) + i, access_kind::load, space::global, 4,
                 pc);
    watch_access(reinterpret_cast<std::uintptr_t>(shared) + i, access_kind::store, space::shared, 4,
                 pc);
  }
}

void watch_leaving(const lane& self) {
  watch_log& log = *hot.watch;
  const silence quiet;
  attribute(log, self);
}

void watch_block_barrier(const block& b) {
  watch_log& log = *hot.watch;
  const lane& last = *hot.current;
  const silence quiet;
  attribute(log, last);
  close_block(log, b, step_end::block_barrier, name_of(b.barrier.what));
}

void watch_cluster_barrier(const group& g) {
  watch_log& log = *hot.watch;
  const lane& last = *hot.current;
  const silence quiet;
  attribute(log, last);
  for (const block& b : g.blocks) {
    close_block(log, b, step_end::cluster_barrier, name_of(last.at.what));
  }
}

void watch_meeting(const warp& w, const collective& c, const lane& last, bool exchanges) {
  watch_log& log = *hot.watch;
  const silence quiet;
  attribute(log, last);
  watched_step step = begin_step(log, *w.home, step_end::warp_operation);
  move_into(step, part_of(log, w), w.index, *w.home->home);
  step.word = name_of(last.at.what);
  step.warp = w.index;
  step.lanes = c.mask;
  step.exchanges = exchanges;
  step.handed = c.values;
  step.source = c.sources;
  log.steps->push_back(std::move(step));
}

void watch_end(const lane& last) {
  watch_log& log = *hot.watch;
  const block& b = *last.home->home;
  const silence quiet;
  attribute(log, last);
  close_block(log, b, step_end::block_end, "");
  log.parts.erase(&b);
}

std::shared_ptr<watch_log> open_watch(observe& scope, const void* kernel) {
  auto log = std::make_shared<watch_log>();
  log->steps = &scope.steps;
  log->launch = static_cast<unsigned>(scope.total.launches);
  log->kernel = kernel_name(kernel);
  return log;
}

}  // namespace simt::detail
