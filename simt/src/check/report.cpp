// What a checked launch found, gathered and given its places in the source.
#include <algorithm>

#include "simt/src/check/checker.hpp"

namespace simt::detail {

namespace {

constexpr std::size_t most_findings = 1024;

}  // namespace

void launch_check::add(const raw_finding& f) {
  const std::scoped_lock lock(mutex);
  const std::tuple key(f.kind, std::min(f.here.pc, f.other.pc), std::max(f.here.pc, f.other.pc));
  const auto known = found.find(key);
  if (known != found.end()) {
    known->second.count += f.count;
  } else if (found.size() < most_findings) {
    found.emplace(key, f);
  }
}

void launch_check::add_carried(const raw_finding& f) {
  const std::scoped_lock lock(mutex);
  if (carried.size() < most_findings) carried.try_emplace({f.kind, f.here.pc, f.here.pc}, f);
}

std::shared_ptr<launch_check> open_check(const observe& scope) {
  static std::uint16_t launches = 0;  // one launch at a time
  static unsigned generation = 0;
  if (++launches == 0) {
    forget_shadows();
    launches = 1;
    ++generation;
  }
  auto check = std::make_shared<launch_check>();
  check->id = launches;
  check->generation = generation;
  check->regions = live_regions();
  check->must_read = record_of(scope).must_read;
  for (region& r : check->regions) {
    r.must_read = std::any_of(check->must_read.begin(), check->must_read.end(),
                              [&](const auto& map) { return map->touches(r); });
  }
  return check;
}

void close_check(const launch_check& c, const grid& g, observe& scope) {
  std::vector<std::uintptr_t> positions;
  for (const auto* const map : {&c.found, &c.carried}) {
    for (const auto& [key, f] : *map) positions.insert(positions.end(), {f.here.pc, f.other.pc});
  }
  for (const raw_hazard& h : c.hazards) {
    for (const raw_party& p : h.parties) {
      if (p.at.line == 0 && p.pc != 0) positions.push_back(p.pc);
    }
  }
  std::unordered_map<std::uintptr_t, source_place> places;
  if (!positions.empty()) places = source_places(positions);
  const auto access = [&](const raw_side& s) {
    const source_place& at = places.at(s.pc);
    return finding_side{.block = unflatten(s.mark.block, g.config.grid),
                        .thread = unflatten(s.mark.thread(), g.config.block),
                        .warp = s.mark.thread() / warp_size,
                        .what = s.what,
                        .file = at.file,
                        .line = at.line};
  };
  const auto party = [&](const raw_party& p) {
    finding_side side{.block = p.block,
                      .thread = p.thread,
                      .warp = p.warp,
                      .what = access_type::none,
                      .file = p.at.line != 0 ? p.at.file : "(place not known)",
                      .line = p.at.line,
                      .doing = p.doing,
                      .threads = p.threads};
    if (const auto at = places.find(p.pc); p.at.line == 0 && at != places.end()) {
      side.file = at->second.file;
      side.line = at->second.line;
    }
    return side;
  };
  const std::string kernel = kernel_name(g.kernel);
  const auto of_access = [&](const raw_finding& f) {
    return finding{.kind = f.kind,
                   .space = f.space,
                   .kernel = kernel,
                   .here = access(f.here),
                   .other = access(f.other),
                   .object = name_of(f.at),
                   .bytes = f.bytes,
                   .offset = f.at.offset,
                   .size = f.at.size,
                   .count = f.count,
                   .seed = g.options.seed,
                   .ends_launch = f.ends};
  };
  for (const raw_hazard& h : c.hazards) {
    finding f{.kind = h.kind,
              .kernel = kernel,
              .here = party(h.parties.front()),
              .seed = g.options.seed,
              .ends_launch = true,
              .detail = h.detail};
    for (std::size_t i = 1; i < h.parties.size(); ++i) f.more.push_back(party(h.parties[i]));
    f.other = f.more.empty() ? f.here : f.more.front();
    add_finding(scope.findings, f);
  }
  for (const auto& [key, f] : c.found) add_finding(scope.findings, of_access(f));
  scope_record& record = record_of(scope);
  for (const auto& [key, f] : c.carried) add_finding(record.carried, of_access(f));
  constexpr std::size_t few = 64;
  if (record.launches.size() == few) record.launches.erase(record.launches.begin());
  record.launches.push_back({c.id, g.kernel, g.config.grid, g.config.block});
  if (record.must_read.empty() || c.ended) return;
  std::erase_if(scope.findings,
                [](const finding& f) { return f.kind == finding_kind::never_read; });
  for (const finding& f : unread_values(scope, g)) add_finding(scope.findings, f);
}

}  // namespace simt::detail
