// Races on purpose, one in each place where the library's threads meet the user's functions: the
// test passes where ThreadSanitizer reports them, so that its silence elsewhere says something.
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "warpfold/host/reduce.hpp"
#include "warpfold/pipeline.hpp"

namespace {

std::size_t calls = 0;  // what all threads write

void in_a_pipeline() {
  warpfold::pipeline line({.chunk_bytes = 64, .slots = 4});
  line.run({.read =
                [](const warpfold::pipeline::chunk& room) {
                  return room.offset < (1U << 16U) ? room.bytes.size() : 0;
                },
            .work = [](const warpfold::pipeline::chunk& c) { calls += c.bytes.size(); }});
}

struct counting_plus {
  int operator()(int a, int b) const {
    ++calls;
    return a + b;
  }
  template <class T>
  static constexpr T identity() {
    return 0;
  }
};

void in_an_operator() {
  const std::vector<int> values(1 << 20, 1);
  (void)warpfold::reduce(warpfold::host, values, 0, counting_plus{});
}

}  // namespace

int main(int /*argc*/, char** argv) {
  if (std::strcmp(argv[1], "pipeline") == 0) in_a_pipeline();
  if (std::strcmp(argv[1], "operator") == 0) in_an_operator();
  return calls == 0 ? 1 : 0;
}
