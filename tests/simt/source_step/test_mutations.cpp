// Mutated texts: cut off, doubled or scrambled. The source step rewrites or refuses each; it does
// not crash, and clang reports the other mistakes.
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simt/source_step/diagnostics.hpp"
#include "simt/source_step/markers.hpp"
#include "simt/source_step/rewrite.hpp"
#include "simt/source_step/sides.hpp"
#include "simt/source_step/two_sides.hpp"

namespace {

using namespace simt::source_step;

const std::string whole = R"text(# 1 "own.cu"
# 1 "<built-in>" 1
# 1 "/m/simt/cuda/cuda_runtime.h" 1 3
struct dim3 { unsigned x, y, z; };
# 1 "own.cu" 2
# 1 "other.h" 1
template <class T, int N = (1 > 2 ? 3 : 4)> struct box { T of[N]; };
# 2 "own.cu" 2
__device__ int total;
__constant__ float table[4] = {1, 2, 3, 4};
extern "C" __global__ void __launch_bounds__(64, 2) first(int* p, int n) {
  __shared__ int s[64], t;
  extern __shared__ float more[];
  if (threadIdx.x == 0) t = 0;
  __syncthreads();
  asm volatile("{ .reg .pred q; .reg .b32 w<4>, %v; setp.lt.s32 q, %1, 3; @q add.s32 %0, %1, 7; }"
               : "=r"(p[0]) : "r"(n));
  asm("popc.b32 %0, %1;" : "=r"(s[threadIdx.x]) : "r"(n) : "memory");
}
namespace a::b {
template <class T> __global__ void second(box<box<T>> v, T (*f)(T)) { total += f(v.of[0].of[0]); }
}
__host__ __device__ constexpr int both(int x) { return x ? 1'000 : 0x1p3; }
static __global__ void third(const char* text = R"x(<<<")>>>)x") { return; }
int main() {
  auto f = [=] __device__(int i) mutable { return both(i); };
  first<<<dim3{1, 1, 1}, 64, 4 << 2>>>(nullptr, 3);
  a::b::second<int><<<1, (2 > 1), 0, nullptr>>>({}, nullptr); third <<< 1, 2 >>> ();
  char q = '"', r = '\''; // a comment " with <<<
  return f(q) >> r;
}
)text";

class mutations {
 public:
  explicit mutations(unsigned seed) : random_(seed) {}

  std::string next() {
    std::string text = whole;
    for (std::size_t count = 1 + below(4); count > 0 && !text.empty(); --count) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  void mutate(std::string& text) {
    // clang-format off
    static const char* const parts[] = {
        "{", "}", "(", ")", "[", "]", "<", ">", "<<<", ">>>", ";", "\"", "R\"(", "'", "/*", "\\", "\n",
        "\xff", "__shared__ ", "__global__ ", "template <", "asm(", "# \"", "# 3 \"own.cu\" 2\n",
        "# 9999999999999 \"x\"\n"};
    // clang-format on
    const std::size_t at = below(text.size()), length = 1 + below(std::size_t{1} << below(8));
    switch (below(5)) {
      case 0: text.resize(at); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(below(text.size()), text.substr(at, length)); break;
      case 3: text.insert(at, parts[below(std::size(parts))]); break;
      default: text[at] = static_cast<char>(below(256)); break;
    }
  }

  std::mt19937 random_;
};

/// What `f` throws that is no refusal; else nothing.
template <class F>
std::string thrown_by(F f) {
  try {
    f();
  } catch (const refusal&) {
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

TEST(mutations, are_rewritten_or_refused) {
  mutations all(51);
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = all.next(), other = all.next();
    ASSERT_EQ(thrown_by([&] { rewrite(text); }), "") << text;
    ASSERT_EQ(thrown_by([&] {
                std::string warnings;
                for_two_sides(text, other, warnings);
              }),
              "")
        << text << "\n---- and of the host ----\n"
        << other;
  }
}

TEST(mutations, are_parted_anywhere) {
  mutations all(52);
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = all.next();
    ASSERT_EQ(thrown_by([&] {
                for (const std::size_t end : ends_of_heads(text)) with_sides(text, end);
                with_sides(text, text.size() / 2);
                errors_about_sides(text, "/m/simt/");
                with_lines_as_written(text, [](std::string_view, std::size_t) {
                  return std::optional<std::string>("line");
                });
              }),
              "")
        << text;
  }
}

}  // namespace
