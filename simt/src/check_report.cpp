// What a checked launch found, in words.
#include <algorithm>

#include "check.hpp"

namespace simt {

namespace detail {

namespace {

constexpr std::size_t most_findings = 1024;

}  // namespace

void launch_check::add(const raw_finding& f) {
  const std::scoped_lock lock(mutex);
  const std::tuple key(f.kind, std::min(f.here.pc, f.other.pc), std::max(f.here.pc, f.other.pc));
  const auto known = found.find(key);
  if (known != found.end()) {
    ++known->second.count;
  } else if (found.size() < most_findings) {
    found.emplace(key, f).first->second.count = 1;
  }
}

std::shared_ptr<launch_check> open_check() {
  static std::uint16_t launches = 0;  // one launch at a time
  if (++launches == 0) {
    forget_shadows();
    launches = 1;
  }
  auto check = std::make_shared<launch_check>();
  check->id = launches;
  check->regions = live_regions();
  return check;
}

std::vector<finding> close_check(const launch_check& c, const grid& g) {
  std::vector<std::uintptr_t> positions;
  for (const auto& [key, f] : c.found) {
    positions.push_back(f.here.pc);
    positions.push_back(f.other.pc);
  }
  if (positions.empty()) return {};
  const auto places = source_places(positions);
  const auto side = [&](const raw_side& s) {
    const source_place& at = places.at(s.pc);
    return finding_side{.block = unflatten(s.mark.block, g.config.grid),
                        .thread = unflatten(s.mark.thread(), g.config.block),
                        .warp = s.mark.thread() / warp_size,
                        .what = s.what,
                        .file = at.file,
                        .line = at.line};
  };
  std::vector<finding> list;
  for (const auto& [key, f] : c.found) {
    add_finding(list, {.kind = f.kind,
                       .space = f.space,
                       .kernel = kernel_name(g.kernel),
                       .here = side(f.here),
                       .other = side(f.other),
                       .bytes = f.bytes,
                       .offset = f.offset,
                       .size = f.size,
                       .count = f.count});
  }
  return list;
}

namespace {

bool same_place(const finding_side& a, const finding_side& b) {
  return a.line == b.line && a.file == b.file;
}

bool same_places(const finding& a, const finding& b) {
  return a.kind == b.kind && a.space == b.space && a.kernel == b.kernel &&
         ((same_place(a.here, b.here) && same_place(a.other, b.other)) ||
          (same_place(a.here, b.other) && same_place(a.other, b.here)));
}

const char* name_of(access_type what) {
  constexpr std::array names{"reads", "writes", "has an atomic on"};
  return names[static_cast<std::size_t>(what)];
}

const char* name_of(memory_space space) {
  constexpr std::array names{"global memory", "shared memory", "another block's shared memory"};
  return names[static_cast<std::size_t>(space)];
}

bool is_race(finding_kind kind) { return kind <= finding_kind::race_in_warp; }

std::string line_of(const finding_side& s, bool earlier) {
  std::string file = s.file;
  if (const auto slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
  std::string text = "  " + file;
  if (s.line != 0) text += ":" + std::to_string(s.line);
  text += ": block " + triple(s.block) + ", thread " + triple(s.thread) + ", warp " +
          std::to_string(s.warp) + " " + name_of(s.what) + " it";
  return text + (earlier ? " first\n" : "\n");
}

}  // namespace

}  // namespace detail

const char* name_of(finding_kind kind) {
  constexpr std::array names{"race between blocks", "race between warps",
                             "race in a warp",      "access out of bounds",
                             "misaligned access",   "read of what nobody wrote"};
  return names[static_cast<std::size_t>(kind)];
}

void add_finding(std::vector<finding>& list, const finding& f) {
  constexpr std::size_t most = 1024;
  const auto known = std::find_if(list.begin(), list.end(),
                                  [&](const finding& k) { return detail::same_places(k, f); });
  if (known != list.end()) {
    known->count += f.count;
  } else if (list.size() < most) {
    list.push_back(f);
  }
}

std::string finding::mend() const {
  switch (kind) {
    case finding_kind::race_between_blocks:
      return "release it with __threadfence() and then an atomic, and read it after an atomic of "
             "your own; or end the kernel in between; or make both atomic";
    case finding_kind::race_between_warps:
      return "put a __syncthreads() that the whole block reaches between the two";
    case finding_kind::race_in_warp:
      return "right only if warps ran in lockstep, as before Volta: put a __syncwarp() between the "
             "two";
    case finding_kind::out_of_bounds: return "guard the access with the number of elements";
    case finding_kind::misaligned:
      return "the address must be a multiple of the access's size: read the head of the array one "
             "by one";
    case finding_kind::unwritten: return "write it before, on the host or in the kernel";
  }
  return "";
}

std::string finding::text() const {
  std::string text =
      std::string(name_of(kind)) + ": kernel " + kernel + ", " + std::to_string(bytes) + " bytes";
  if (kind != finding_kind::misaligned) {
    text += " at offset " + std::to_string(offset);
    text += space == memory_space::global ? " of an allocation of " : " of ";
    text += std::to_string(size) + (size == 1 ? " byte" : " bytes");
  }
  text += std::string(" of ") + detail::name_of(space) + ", " + std::to_string(count) +
          (count == 1 ? " time\n" : " times\n");
  if (detail::is_race(kind)) text += detail::line_of(other, true);
  text += detail::line_of(here, false);
  return text + "  mend: " + mend() + "\n";
}

}  // namespace simt
