// Findings in words.
#include "simt/findings.hpp"

#include <algorithm>
#include <array>

#include "simt/src/check/checker.hpp"
#include "simt/src/check/targets.hpp"
#include "simt/src/memory/short_name.hpp"
#include "simt/src/run/names.hpp"

namespace simt {

namespace {

bool same_place(const finding_side& a, const finding_side& b) {
  return a.line == b.line && a.file == b.file;
}

bool is_race(finding_kind kind) { return kind <= finding_kind::race_in_warp; }

/// Races of the same places are one mistake, whoever takes part.
bool same_places(const finding& a, const finding& b) {
  const bool same_kind = a.kind == b.kind || (is_race(a.kind) && is_race(b.kind));
  return same_kind && a.note == b.note && a.space == b.space && a.kernel == b.kernel &&
         ((same_place(a.here, b.here) && same_place(a.other, b.other)) ||
          (same_place(a.here, b.other) && same_place(a.other, b.here)));
}

/// Of threads that each read and write the same word in one line, as `*sum += x` does.
constexpr const char* updates = "reads and writes it";

bool both_store(const finding& race) {
  return race.here.what == access_type::write && race.other.what == access_type::write;
}

/// A thread reads too early what another one writes: one mistake, not a race and an unwritten word.
bool explains(const finding& race, const finding& f) {
  return is_race(race.kind) && f.kind == finding_kind::unwritten && race.kernel == f.kernel &&
         race.object == f.object &&
         (same_place(race.here, f.here) || same_place(race.other, f.here) ||
          std::any_of(race.more.begin(), race.more.end(),
                      [&](const finding_side& s) { return same_place(s, f.here); }));
}

/// Without one barrier, several loads race with one store of a shared object, or several stores
/// with one load.
bool same_barrier(const finding& a, const finding& b) {
  const auto within_block = [](const finding& f) {
    return is_race(f.kind) && f.kind != finding_kind::race_between_blocks && !f.note &&
           f.space == memory_space::shared && f.here.doing != updates;
  };
  const auto same_access = [](const finding_side& x, const finding_side& y) {
    return same_place(x, y) && x.what == y.what;
  };
  return within_block(a) && within_block(b) && a.kernel == b.kernel && a.object == b.object &&
         (same_access(a.here, b.here) || same_access(a.here, b.other) ||
          same_access(a.other, b.here) || same_access(a.other, b.other));
}

/// The places of `f` that `known` does not have yet.
void add_places(finding& known, const finding& f) {
  for (const finding_side* const side : {&f.other, &f.here}) {
    const auto same = [side](const finding_side& s) { return same_place(s, *side); };
    if (!same(known.here) && !same(known.other) &&
        std::none_of(known.more.begin(), known.more.end(), same)) {
      known.more.push_back(*side);
    }
  }
}

const char* name_of(access_type what) {
  constexpr std::array names{"reads it", "writes it", "has an atomic on it", ""};
  return names[static_cast<std::size_t>(what)];
}

const char* name_of(memory_space space) {
  constexpr std::array names{"global memory", "shared memory", "another block's shared memory"};
  return names[static_cast<std::size_t>(space)];
}

std::string file_name(const finding_side& s) { return s.file.substr(s.file.rfind('/') + 1); }

std::string line_of(const finding_side& s, const char* end) {
  std::string text = "  " + file_name(s);
  if (s.line != 0) text += ":" + std::to_string(s.line);
  return text + ": " + s.text() + end;
}

std::string times(const finding& f) {
  const char* what = f.kind == finding_kind::bank_conflict ? " needless pass"
                     : f.kind == finding_kind::never_read  ? " value"
                                                           : " time";
  const char* plural = f.kind == finding_kind::bank_conflict ? "es" : "s";
  return std::to_string(f.count) + what + (f.count == 1 ? "" : plural);
}

/// "4 bytes at offset 8 of partials, 64 bytes of global memory".
std::string memory_of(const finding& f) {
  std::string text = std::to_string(f.bytes) + (f.bytes == 1 ? " byte" : " bytes");
  if (f.kind == finding_kind::not_freed) return text;
  if (f.kind == finding_kind::host_memory)
    return f.object.empty() ? text : text + " behind " + f.object;
  if (f.kind == finding_kind::out_of_bounds && f.size == 0) {
    return text + " of " + name_of(f.space) + " that is not allocated, or was freed";
  }
  if (f.kind != finding_kind::misaligned) {
    text += " at offset " + std::to_string(f.offset) + " of ";
    if (!f.object.empty()) {
      text += f.object + ", ";
    } else if (f.space == memory_space::global) {
      text += "an allocation of ";
    }
    text += std::to_string(f.size) + (f.size == 1 ? " byte" : " bytes");
  }
  return text + " of " + name_of(f.space);
}

std::string mend_of_wait(const finding& f) {
  if (!f.detail.empty()) {  // blocks that have not started
    return "wait only for a block that has started: one with a lower ticket (an atomicAdd at the "
           "start of each block), not one with a lower blockIdx; and make sure that it writes "
           "the word";
  }
  if (std::any_of(f.more.begin(), f.more.end(),
                  [](const finding_side& s) { return s.doing == detail::wrote_last; })) {
    return "another thread wrote the word last, with another value than the loop waits for: "
           "release a lock on every path (atomicExch(lock, 0) after a __threadfence()), and let a "
           "counter wait for as many additions as are made";
  }
  return "no other thread writes the word: let one that does not wait itself set the flag, or "
         "clear the lock before the launch";
}

std::string mend_of_pointer(const finding& f) {
  return f.object == detail::null_pointer
             ? "allocate its memory before the launch, and check the status that cudaMalloc returns"
             : "copy it to device memory (cudaMalloc, cudaMemcpy) and pass that to the kernel, or "
               "use cudaMallocManaged or cudaMallocHost";
}

}  // namespace

const char* name_of(finding_kind kind) {
  constexpr std::array names{"race between blocks",
                             "race between warps",
                             "race in a warp",
                             "access out of bounds",
                             "misaligned access",
                             "read of unwritten memory",
                             "barrier not reached by the whole block",
                             "two barriers at once",
                             "warp operation with a wrong mask",
                             "deadlock",
                             "livelock",
                             "result that depends on the order",
                             "result that differs when run again",
                             "value that is never read",
                             "bank conflict",
                             "shift by the width or more",
                             "access to the host's memory",
                             "host's access to the device's memory",
                             "memory of the device that is not freed"};
  return names[static_cast<std::size_t>(kind)];
}

void add_finding(std::vector<finding>& list, const finding& f) {
  constexpr std::size_t most = 1024;
  if (std::any_of(list.begin(), list.end(), [&](const finding& k) { return explains(k, f); })) {
    return;
  }
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const finding& k) { return same_places(k, f); });
  if (known != list.end()) {
    const bool same_again = f.kind == finding_kind::never_read;  // of another run
    const std::uint64_t count =
        same_again ? std::max(known->count, f.count) : known->count + f.count;
    const bool both = is_race(f.kind) && same_place(f.here, f.other) &&
                      (known->here.doing == updates || both_store(*known) != both_store(f));
    if (f.kind < known->kind) *known = f;  // threads that are further apart
    known->count = count;
    if (both) known->here.doing = known->other.doing = updates;
  } else if (const auto one = std::find_if(list.begin(), list.end(),
                                           [&](const finding& k) { return same_barrier(k, f); });
             one != list.end()) {
    finding both = f.kind < one->kind ? f : *one;  // threads that are further apart
    add_places(both, f.kind < one->kind ? *one : f);
    both.count = one->count + f.count;
    *one = both;
  } else if (list.size() < most) {
    list.push_back(f);
  }
}

void detail::join_stores(std::vector<finding>& list, const finding& stores) {
  for (finding& f : list) {
    const bool one_line = same_place(f.here, f.other) && same_place(f.here, stores.here) &&
                          same_place(f.here, stores.other);
    if (one_line && both_store(stores) && is_race(f.kind) && f.kernel == stores.kernel &&
        f.space == stores.space) {
      f.here.doing = f.other.doing = updates;
    }
  }
}

std::string finding_side::text() const {
  std::string text;
  if (threads != 0) {
    text += "block " + detail::triple(block) + ", thread " + detail::triple(thread) + ", warp " +
            std::to_string(warp) + " ";
  }
  text += doing.empty() ? name_of(what) : doing;
  if (threads > 1) text += " (" + std::to_string(threads) + " threads)";
  return text;
}

std::string finding::mend() const {
  if (note && is_race(kind) && !detail.empty()) {
    return "put a __syncwarp() between the two";
  }
  if (note && is_race(kind)) {
    return here.what == access_type::write && other.what == access_type::write
               ? "none needed: all of them store the same value"
               : "none needed if only the atomic's result decides and the read is a guess";
  }
  if (is_race(kind) && here.doing == updates) {
    return "make it one atomic, such as atomicAdd, or reduce first and let one thread store";
  }
  switch (kind) {
    case finding_kind::race_between_blocks:
      if (here.what == access_type::atomic && other.what == access_type::atomic) {
        return "block scope is atomic within one block only: use device scope (no _block suffix, "
               "or thread_scope_device)";
      }
      return "release it with __threadfence() and an atomic, and acquire it with an atomic before "
             "the read; or end the kernel in between; or make both accesses atomic";
    case finding_kind::race_between_warps:
      return "put a __syncthreads() that the whole block reaches between the two";
    case finding_kind::race_in_warp:
      return "correct only if warps run in lockstep, as before Volta: put a __syncwarp() between "
             "the two";
    case finding_kind::out_of_bounds:
      if (size == 0) return "keep its memory allocated until the kernel has ended";
      if (object == detail::dynamic_part) {
        return "the launch gives " + std::to_string(size) +
               " bytes of dynamic shared memory: its third argument counts bytes, not elements";
      }
      return "guard the access with the number of elements";
    case finding_kind::misaligned:
      return "the address must be a multiple of the access's size: access the first elements one "
             "by one";
    case finding_kind::unwritten:
      return space == memory_space::global
                 ? "write it first, on the host or in the kernel"
                 : "write it in this block first, with a __syncthreads() in between";
    case finding_kind::barrier_not_reached:
      if (note) {
        return "correct since compute capability 7.0; for 6.x and older every thread of the block "
               "must reach the barrier";
      }
      return "every thread of the block must reach the barrier: let idle threads skip the work, "
             "not the barrier";
    case finding_kind::two_barriers:
      return "move the barrier out of the branch: all threads of the block must reach the same "
             "barrier";
    case finding_kind::wrong_mask:
      return "name exactly the lanes that reach this line (a __ballot_sync before the branch, or "
             "0xffffffff if no lane has exited), and read values from these lanes only";
    case finding_kind::deadlock:
      return "let all threads that one of these waits for reach the same line";
    case finding_kind::spinning: return mend_of_wait(*this);
    case finding_kind::order_dependent:
      return "no result may depend on the order of threads: order the accesses, or use an "
             "operation with the same result in any order";
    case finding_kind::not_repeatable:
      return "reset the kernel's counters and flags at its end or before each launch";
    case finding_kind::never_read:
      return "read the tail: round the number of blocks up and guard each access";
    case finding_kind::wide_shift:
      return "a GPU returns 0, or the sign; in C++ it is undefined, and CPUs return other values: "
             "test the shift amount";
    case finding_kind::bank_conflict:
      return "let the lanes of a warp access different banks: pad the rows by one word, or let "
             "neighbouring lanes access neighbouring words";
    case finding_kind::host_memory: return mend_of_pointer(*this);
    case finding_kind::device_memory:
      return "copy it with cudaMemcpy, or use cudaMallocManaged: on a GPU this access crashes the "
             "program";
    case finding_kind::not_freed:
      return "call cudaFree, best in a destructor, so that error paths also free it";
  }
  return "";
}

std::string finding::text() const {
  std::string text = (note ? "note: " : "") + std::string(name_of(kind));
  if (!kernel.empty()) text += ": kernel " + detail::short_name(kernel);
  if (bytes != 0) text += ", " + memory_of(*this);
  if (bytes != 0 || (count > 1 && kind != finding_kind::device_memory)) {
    text += ", " + times(*this);
  }
  if (seed != 0) text += ", in the order of seed " + std::to_string(seed);
  if (ends_launch) text += "; the launch ends here";
  text += "\n";
  if (!detail.empty()) text += "  " + detail + "\n";
  if (is_race(kind)) text += line_of(other, " first\n");
  if (!here.file.empty()) text += line_of(here, "\n");
  for (const finding_side& s : more) text += line_of(s, "\n");
  return text + "  fix: " + mend() + "\n";
}

}  // namespace simt
