// What a checked launch found, gathered and given its places in the source.
#include <algorithm>
#include <string_view>
#include <utility>

#include "simt/src/check/checker.hpp"
#include "simt/src/check/source.hpp"
#include "simt/src/run/cluster.hpp"
#include "simt/src/run/names.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t most_findings = 1024;
constexpr const char* detail_of_votes =
    "the vote or shuffle between the two does not order memory accesses";

}  // namespace

void checker::add(const raw_finding& f) {
  const std::scoped_lock lock(mutex);
  const std::tuple key(f.kind, std::min(f.here.pc, f.other.pc), std::max(f.here.pc, f.other.pc));
  const auto known = found.find(key);
  if (known != found.end() && known->second.note && !f.note) {
    known->second = f;  // one that matters stands for all
  } else if (known != found.end()) {
    known->second.count += f.note == known->second.note ? f.count : 0;
  } else if (found.size() < most_findings) {
    found.emplace(key, f);
  }
}

void checker::decide(std::uintptr_t read_at, bool by_comparison) {
  const std::scoped_lock lock(mutex);
  const auto [known, fresh] =
      decided.try_emplace(static_cast<std::uint32_t>(read_at), by_comparison);
  if (!fresh) known->second = known->second && by_comparison;
}

/// A race of a plain read with an atomic, where the thread goes on to decide by an atomic of its
/// own: with comparisons it is nothing at all, else a note.
bool checker::is_guess(const raw_finding& f, bool& note) const {
  const bool reads_first = f.other.what == access_type::read;
  const raw_side& read = reads_first ? f.other : f.here;
  const raw_side& written = reads_first ? f.here : f.other;
  if (read.what != access_type::read || written.what != access_type::atomic) return false;
  const auto known = decided.find(static_cast<std::uint32_t>(read.pc));
  if (known == decided.end()) return false;
  note = !known->second;
  return true;
}

void checker::add_stale(const raw_finding& f) {
  const std::scoped_lock lock(mutex);
  if (stale.size() < most_findings) stale.try_emplace({f.kind, f.here.pc, f.here.pc}, f);
}

checker::checker(const observe& scope)
    : pageable_access(scope.options.pageable_access),
      required_reads(record_of(scope).required_reads),
      notes(scope.options.notes) {
  static std::uint16_t launches = 0;  // one launch at a time
  static unsigned generations = 0;
  if (++launches == 0) {
    forget_shadows();
    launches = 1;
    ++generations;
  }
  id = launches;
  generation = generations;
  regions = live_regions();
  for (region& r : regions) {
    r.required = std::any_of(required_reads.begin(), required_reads.end(),
                             [&](const auto& map) { return map->touches(r); });
  }
}

namespace {

/// Turns what was found into findings.
class writer {
 public:
  writer(const checker& c, const grid& g) : grid_(g), kernel_(kernel_name(g.kernel)) {
    std::vector<std::uintptr_t> positions;
    for (const auto* const map : {&c.found, &c.stale}) {
      for (const auto& [key, f] : *map) positions.insert(positions.end(), {f.here.pc, f.other.pc});
    }
    for (const raw_hazard& h : c.hazards) {
      for (const raw_party& p : h.parties) {
        if (p.at.line == 0 && p.pc != 0) positions.push_back(p.pc);
      }
    }
    if (!positions.empty()) places_ = source_places(positions);
  }

  [[nodiscard]] finding of_access(const raw_finding& f) const {
    finding_side here = side_of(f.here);
    if (f.kind == finding_kind::wide_shift) {
      here.doing = "shifts by the width of the value or more";
    }
    return {.kind = f.kind,
            .space = f.space,
            .kernel = kernel_,
            .here = here,
            .other = side_of(f.other),
            .more = f.at.allocation == nullptr
                        ? std::vector<finding_side>{}
                        : sides_of_allocation(site_of(f.at.allocation->begin)),
            .object = name_of(f.at),
            .bytes = f.bytes,
            .offset = f.at.offset,
            .size = f.at.size,
            .count = f.count,
            .seed = grid_.options.seed,
            .ends_launch = f.ends,
            .detail = f.by_vote ? detail_of_votes : "",
            .note = f.note};
  }

  [[nodiscard]] finding of_hazard(const raw_hazard& h) const {
    finding f{.kind = h.kind,
              .kernel = kernel_,
              .here = side_of(h.parties.front()),
              .count = h.count,
              .seed = grid_.options.seed,
              .ends_launch = h.ends,
              .detail = h.detail,
              .note = h.note};
    for (std::size_t i = 1; i < h.parties.size(); ++i) f.more.push_back(side_of(h.parties[i]));
    f.other = f.more.empty() ? f.here : f.more.front();
    return f;
  }

 private:
  [[nodiscard]] finding_side side_of(const raw_side& s) const {
    const source_place& at = places_.at(s.pc);
    return {.block = block_at(s.mark.block, grid_.config.grid, grid_.config.cluster),
            .thread = unflatten(s.mark.thread(), grid_.config.block),
            .warp = s.mark.thread() / warp_size,
            .what = s.what,
            .file = at.file,
            .line = at.line,
            .column = at.column};
  }

  [[nodiscard]] finding_side side_of(const raw_party& p) const {
    finding_side side{.block = p.block,
                      .thread = p.thread,
                      .warp = p.warp,
                      .what = access_type::none,
                      .file = p.at.line != 0 ? p.at.file : "(unknown line)",
                      .line = p.at.line,
                      .doing = p.doing,
                      .threads = p.threads};
    if (const auto at = places_.find(p.pc); p.at.line == 0 && at != places_.end()) {
      side.file = at->second.file;
      side.line = at->second.line;
      side.column = at->second.column;
    }
    return side;
  }

  const grid& grid_;
  std::string kernel_;
  std::unordered_map<std::uintptr_t, source_place> places_;
};

/// The machine reads the arguments of a launch, which lie in the host's memory, and makes its
/// messages there, for which the linker may have given it a kernel file's standard functions.
bool is_for_the_machine(std::string_view file) {
  return is_machine(file) || file.starts_with("/usr/") ||
         file.find("/include/c++/") != std::string_view::npos;
}

/// The values that no launch of the scope has read so far replace those that none had read before.
void replace_unread(observe& scope, const grid& last) {
  std::erase_if(scope.findings,
                [](const finding& f) { return f.kind == finding_kind::never_read; });
  for (const finding& f : unread_values(scope, last)) add_finding(scope.findings, f);
}

/// Of a finding in the library's code: the user's call.
void add_call(finding& f) {
  if (!is_library(f.here.file)) return;
  for (finding_side& side : sides_of(callers(), "calls the library")) {
    if (side.line != 0) f.more.push_back(std::move(side));
  }
}

}  // namespace

void checker::close(const grid& g, observe& scope) const {
  const writer write(*this, g);
  const auto list = [&](bool note) -> auto& { return note ? scope.notes : scope.findings; };
  for (const raw_hazard& h : hazards) {
    finding written = write.of_hazard(h);
    add_call(written);
    add_finding(list(h.note), written);
  }
  std::vector<finding> harmless;
  for (const auto& [key, f] : found) {
    finding written = write.of_access(f);
    add_call(written);
    if (f.kind == finding_kind::host_memory && is_for_the_machine(written.here.file)) continue;
    for (finding_side* const side : {&written.here, &written.other}) {
      if (!is_machine(side->file)) continue;
      side->file = "(unknown line)";
      side->line = 0;
    }
    if (bool note = false; is_guess(f, note)) {
      if (!note) continue;
      written.note = true;
    }
    if (written.note) harmless.push_back(written);
    if (!written.note || notes) add_finding(list(written.note), written);
  }
  for (const finding& f : harmless) join_stores(scope.findings, f);
  scope_record& record = record_of(scope);
  for (const auto& [key, f] : stale) {
    add_finding(record.stale_across_launches, write.of_access(f));
  }
  constexpr std::size_t few = 64;
  if (record.launches.size() == few) record.launches.erase(record.launches.begin());
  record.launches.push_back({id, g.kernel, g.config.grid, g.config.block, g.config.cluster});
  if (!record.required_reads.empty() && !ended) replace_unread(scope, g);
}

}  // namespace simt::detail
