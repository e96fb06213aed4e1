#include "tests/specimens/examine.hpp"

#include <span>

#include "simt/schedules.hpp"
#include "tests/simt/machine.hpp"

namespace warpfold::specimens {

namespace {

struct bench {
  tests::device_array<int> in{values, 1}, out{values};
  tests::device_array<unsigned> scratch{1024};
  buffers b{in.data(), out.data(), scratch.data(), values};
  simt::run_options options;

  explicit bench(const specimen& s)
      : options{.check = true, .bank_conflicts = s.no_conflicts, .patience_seconds = 0.3} {
    simt::name(in.data(), "in");
    simt::name(out.data(), "out");
    simt::name(scratch.data(), "scratch");
    if (s.reads_all) options.must_read = {{in.data(), in.size()}};
  }
};

}  // namespace

std::vector<simt::finding> examine(const specimen& s, bool mended) {
  const bench at(s);
  constexpr unsigned orders = 8;
  return simt::try_schedules(
      orders, [&] { s.run(mended, at.b); }, std::span<int>(at.out), 0, at.options);
}

std::vector<simt::finding> examine(const specimen& s, bool mended, std::uint64_t seed) {
  bench at(s);
  at.options.seed = seed;
  const simt::observe scope(at.options);
  s.run(mended, at.b);
  return scope.findings;
}

}  // namespace warpfold::specimens
