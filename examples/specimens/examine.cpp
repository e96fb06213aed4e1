#include "examples/specimens/examine.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "simt/memory.hpp"
#include "simt/schedules.hpp"

namespace warpfold::specimens {

namespace {

/// Named device memory, freed at the end of the scope.
template <class T>
class device_array : public std::span<T> {
 public:
  device_array(const char* name, std::size_t n, T value)
      : std::span<T>(static_cast<T*>(simt::allocate(n * sizeof(T))), n) {
    std::fill(this->begin(), this->end(), value);
    simt::name(this->data(), name);
  }
  ~device_array() { simt::free(this->data()); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
};

struct bench {
  device_array<int> in{"in", values, 1}, out{"out", values, 0};
  device_array<unsigned> scratch{"scratch", 1024, 0};
  buffers b{in.data(), out.data(), scratch.data(), values};
  simt::run_options options;

  explicit bench(const specimen& s)
      : options{.check = true, .bank_conflicts = s.no_conflicts, .patience_seconds = 0.3} {
    if (s.reads_all) options.must_read = {{in.data(), in.size()}};
  }
};

}  // namespace

std::vector<simt::finding> examine(const specimen& s, bool mended) {
  bench at(s);
  constexpr unsigned orders = 8;
  const auto run = [&] { s.run(mended, at.b); };
  const auto findings = simt::try_schedules(orders, run, std::span<int>(at.out), 0, at.options);
  if (!findings.empty()) return findings;
  at.options.notes = true;
  const simt::observe scope(at.options);
  run();
  return scope.notes;
}

std::vector<simt::finding> examine(const specimen& s, bool mended, std::uint64_t seed) {
  bench at(s);
  at.options.seed = seed;
  const simt::observe scope(at.options);
  s.run(mended, at.b);
  return scope.findings;
}

}  // namespace warpfold::specimens
