#!/usr/bin/env python3
"""Random CUDA kernels without a race: generate.py --seed N [--kernels K] [--barriers] writes a program
that launches them one after the other, each twice, on what the one before left, and prints a hash of
what each left. It prints the same on every machine and in every order of the threads.

Threads of a block meet in its control flow only: there they exchange values through shared memory and
add to counters. Lanes of a warp meet under masks, which nested conditions divide. In divergent ifs and
loops threads touch their own words alone: their place of a shared array, and words that one thread
owns, behind all kinds of conditions. With --barriers some barriers stand in divergent code, which a
card allows and a checked run reports."""
import argparse
import random

BLOCKS, WORDS = 3, 4


class Kernel:
    def __init__(self, source, name, barriers):
        self.r, self.name, self.barriers = source, name, barriers
        self.threads = source.choice((32, 64, 96, 128, 160, source.randrange(2, 161)))
        self.width = source.choice([w for w in range(1, self.threads + 1) if self.threads % w == 0])
        self.dynamic = source.random() < 0.3
        self.live = self.threads  # threads that have not returned
        self.lines, self.depth, self.loops = [], 1, 0

    def add(self, text):
        self.lines.append("  " * self.depth + text)

    def nest(self, head, body):
        self.add(head + " {")
        self.depth += 1
        body()
        self.depth -= 1
        self.add("}")

    def pick(self, *choices):
        self.r.choice(choices)()

    def number(self):
        return f"{self.r.randrange(1, 1000)}u"

    def local(self):
        return self.r.choice("abcabcde")

    def value(self, depth=2):
        if depth == 0 or self.r.random() < 0.3:
            return self.r.choice((self.local(), self.local(), "t", self.number(), "in[i]", "p"))
        x, y = self.value(depth - 1), self.value(depth - 1)
        return self.r.choice((f"({x} + {y})", f"({x} * {y})", f"({x} ^ {y})", f"({x} - {y})",
                              f"({x} >> {self.r.randrange(1, 9)})", f"({x} & {y})",
                              f"({x} < {y} ? {y} : {x})", f"({x} % {self.r.randrange(2, 40)}u)"))

    def condition(self):
        return self.r.choice((f"({self.value()} & {1 << self.r.randrange(0, 3)}u) != 0",
                              f"t % {self.r.randrange(2, 9)}u == {self.r.randrange(0, 2)}u",
                              f"t < {self.r.randrange(1, self.live)}u" if self.live > 1 else "t == 0u"))

    def assign(self):
        self.add(f"{self.local()} {self.r.choice(('=', '+=', '^=', '-='))} {self.value()};")

    # In divergent code.
    def own_place(self):
        if self.r.random() < 0.5:
            self.add(f"own[t] = {self.value()};")
        else:
            self.add(f"{self.local()} ^= own[t];")

    def own_word(self):
        """A word that one thread alone stores and reads, behind a condition that only it meets."""
        k = self.r.randrange(WORDS)
        word = self.r.choice((f"words[{k}]", f"word{k}"))
        mine = f"t == {k * 5}u"
        x = self.local()
        if self.r.random() < 0.2:
            mine, word = "blockIdx.x == 1 && t == 3u", f"{self.name}_word"
        self.pick(lambda: self.add(f"if ({mine}) {word} = {self.value()};"),
                  lambda: self.add(f"if ({mine} && {word} % 3u == 1u) ++{x};"),
                  lambda: self.add(f"{x} += {mine} ? {word} : {self.number()};"),
                  lambda: self.add(f"{{ unsigned v = {self.number()}; if ({mine}) v = {word}; {x} ^= v; }}"),
                  lambda: self.add(f"if ({self.condition()}) {{ if ({mine}) {x} += {word} + {x}; }}"))

    def loop_variable(self):
        self.loops += 1
        return f"k{self.loops}"

    def divergent_loop(self, level):
        k = self.loop_variable()
        bound = f"({self.value(1)} % {self.r.randrange(2, 7)}u)"

        def body():
            if self.r.random() < 0.4:
                self.add(f"if (({self.local()} + {k}) % 3u == 0u) continue;")
            self.divergent(level + 1)
            if self.r.random() < 0.2:
                self.add(f"if ({self.local()} % 11u == 3u) break;")

        self.nest(f"for (unsigned {k} = 0, end{k} = {bound}; {k} < end{k}; ++{k})", body)

    def divergent_if(self, level):
        self.nest(f"if ({self.condition()})", lambda: self.divergent(level + 1))
        if self.r.random() < 0.5:
            self.nest("else", lambda: self.divergent(level + 1))

    def divergent(self, level):
        for _ in range(self.r.randrange(1, 4)):
            if level < 3 and self.r.random() < 0.35:
                self.pick(lambda: self.divergent_if(level), lambda: self.divergent_loop(level))
            else:
                self.pick(self.assign, self.assign, self.own_place, self.own_word)

    # Where all that are left of the block go together.
    def exchange(self):
        x, y = self.local(), self.local()
        self.add(f"swap[t] = {self.value()};")
        self.add("__syncthreads();")
        self.add(f"{x} += swap[(t + {self.r.randrange(0, self.live)}u) % {self.live}u] * 3u + {y};")
        self.add("__syncthreads();")

    def count(self):
        self.nest(f"if ({self.condition()})",
                  lambda: self.add(f"atomicAdd(&counter, {self.value(1)} % 100u);"))
        self.add("__syncthreads();")
        self.add(f"{self.local()} ^= counter;")
        self.add("__syncthreads();")

    def vote_of_block(self):
        vote = self.r.choice(("count", "and", "or"))
        self.add(f"{self.local()} += __syncthreads_{vote}({self.condition()});")

    def in_function(self):
        by = self.r.randrange(0, self.live)
        self.add(f"{self.local()} ^= rotated({self.value(1)}, t, {self.live}u, {by}u);")

    def total(self):
        which = self.r.randrange(WORDS)
        what = ("Add", "Xor", "Max", "Or")[which]
        self.nest(f"if ({self.condition()})", lambda: self.add(
            f"atomic{what}(&{self.name}_totals[{which}], (unsigned)({self.value(1)}) % 9999u);"))

    def in_warps(self):
        left = self.live % 32
        if left != 0:
            return self.masked(f"(t < {self.live - left}u ? ~0u : {(1 << left) - 1}u)", 0)
        x, y = self.local(), self.local()
        self.pick(
            lambda: self.add(f"{x} += __shfl_xor_sync(~0u, {y}, {self.r.choice((1, 2, 4, 8, 16))});"),
            lambda: self.add(f"{x} ^= __shfl_down_sync(~0u, {y}, {self.r.randrange(1, 8)}, 8);"),
            lambda: self.masked("~0u", 0))

    # Where the lanes of a mask go together.
    def masked(self, mask, level):
        for _ in range(self.r.randrange(1, 3)):
            self.pick(lambda: self.operation(mask), lambda: self.divided(mask, level),
                      lambda: self.loop_of_lanes(mask, level), lambda: self.divergent(1))

    def operation(self, mask):
        x, y = self.local(), self.local()
        self.add(self.r.choice((
            f"{x} += __reduce_add_sync({mask}, (unsigned){y});",
            f"{x} += __shfl_sync({mask}, {y}, one_of({mask}, {self.value(1)}));",
            f"{x} ^= __popc(__match_any_sync({mask}, {y} % 4u));",
            f"{x} += __popc(__ballot_sync({mask}, {self.condition()}));",
            f"{x} += __any_sync({mask}, {y} % 7u == 2u) ? 5u : 1u;",
            f"{x} ^= mixed({mask}, (unsigned){y});",
            f"{{ const unsigned same = __match_any_sync({mask}, {y} & 3u); "
            f"{x} += __shfl_sync(same, {self.value(1)}, __ffs(same) - 1); }}")))

    def divided(self, mask, level):
        if level > 1:
            return self.operation(mask)
        k = self.loop_variable()
        self.add(f"const bool in{k} = {self.condition()};")
        self.add(f"const unsigned m{k} = __ballot_sync({mask}, in{k});")
        self.nest(f"if (in{k})", lambda: self.masked(f"m{k}", level + 1))
        if self.r.random() < 0.6:
            self.nest("else", lambda: self.masked(f"({mask} & ~m{k})", level + 1))
        if self.r.random() < 0.5:
            self.operation(mask)

    def loop_of_lanes(self, mask, level):
        if level > 1:
            return self.operation(mask)
        k = self.loop_variable()
        if self.r.random() < 0.5:
            head = f"for (unsigned {k} = 0; {k} < (__popc({mask}) & 3) + 1; ++{k})"
        else:
            self.add(f"unsigned {k} = {self.local()} % 9u;")
            head = f"while (__any_sync({mask}, ({k} += 2u + t % 3u) < 12u))"
        self.nest(head, lambda: self.masked(mask, level + 1))

    def uniform_loop(self, level):
        k = self.loop_variable()
        bound = self.r.choice((str(self.r.randrange(1, 5)), f"(blockIdx.x + {self.r.randrange(1, 3)})",
                               f"(in[{self.r.randrange(self.threads)}] % 3u + p % 2u)"))

        def body():
            if self.barriers and self.r.random() < 0.5:
                self.add(f"if (t % 4u == {k} % 4u) {{ own[t] += {self.local()}; __syncthreads(); continue; }}")
                self.add("__syncthreads();")
            else:
                self.uniform(level + 1)

        self.nest(f"for (unsigned {k} = 0; {k} < {bound}; ++{k})", body)

    def uniform_if(self, level):
        """By a word that all load."""
        k = self.loop_variable()
        word = self.r.choice((f"in[{self.r.randrange(self.threads)}]", "counter"))
        self.add(f"const unsigned {k} = {word};")
        self.add("__syncthreads();")
        self.nest(f"if ({k} & {1 << self.r.randrange(3)}u)", lambda: self.uniform(level + 1))
        if self.r.random() < 0.5:
            self.nest("else", lambda: self.uniform(level + 1))

    def meeting_apart(self):
        """The same barrier for all, at several places."""
        self.add(f"swap[t] = {self.value()};")
        x = self.local()
        self.add(f"if ({self.condition()}) {{ {x} += 2u; __syncthreads(); }} else {{ __syncthreads(); {x} ^= 9u; }}")
        self.add(f"{x} += swap[{self.live - 1}u - t];")
        self.add("__syncthreads();")

    def uniform(self, level):
        for _ in range(self.r.randrange(2, 5)):
            if level < 2 and self.r.random() < 0.3:
                self.pick(lambda: self.uniform_loop(level), lambda: self.uniform_if(level))
            elif self.barriers and self.r.random() < 0.2:
                self.meeting_apart()
            else:
                self.pick(self.exchange, self.count, self.total, self.vote_of_block, self.in_function,
                          self.in_warps, self.in_warps, lambda: self.divergent(0))

    def text(self):
        self.uniform(0)
        if self.r.random() < 0.4:
            self.live = self.r.randrange(min(26, self.threads), self.threads + 1)
            self.add(f"if (t >= {self.live}u) {{ out[i] = a; return; }}")
            self.uniform(0)
        words = " ".join(f"__shared__ unsigned word{k};" for k in range(WORDS))
        clear = " ".join(f"word{k} = {k}u;" for k in range(WORDS))
        own = f"own[{self.threads}], "
        return "\n".join([
            f"__device__ unsigned {self.name}_word, {self.name}_totals[{WORDS}];",
            f"__global__ void {self.name}(const unsigned* in, unsigned* out, unsigned p) {{",
            f"  __shared__ unsigned {'' if self.dynamic else own}swap[{self.threads}], words[{WORDS}], counter;",
            "  extern __shared__ unsigned own[];" if self.dynamic else "",
            f"  {words}",
            "  const unsigned t = threadIdx.x + blockDim.x * threadIdx.y;",
            f"  const unsigned i = blockIdx.x * {self.threads}u + t;",
            "  unsigned a = in[i], b = t * 7u + 1u, c = i ^ 5u;",
            "  unsigned long long d = a * 0x100000001ull;",
            f"  {self.r.choice(('', 'volatile '))}unsigned short e = p;",
            "  own[t] = t;",
            f"  if (t == 0) {{ counter = 0; for (unsigned k = 0; k < {WORDS}u; ++k) words[k] = k; {clear} }}",
            f"  if (blockIdx.x == 1 && t == 3u) {self.name}_word = 17u;",
            "  __syncthreads();",
            *self.lines,
            "  out[i] = a ^ b * 3u ^ c * 5u ^ (unsigned)(d >> 3) ^ e * 7u ^ own[t];",
            "}"])

    def launch(self):
        block = f"dim3({self.width}, {self.threads // self.width})"
        return LAUNCH % (self.name, BLOCKS, block, 4 * self.threads if self.dynamic else 0,
                         self.name, self.name, self.name)


HELPERS = """#include <cstdio>
#include <utility>
__device__ int one_of(unsigned mask, unsigned which) {
  for (which %= (unsigned)__popc(mask); which != 0; --which) mask &= mask - 1u;
  return __ffs(mask) - 1;
}
__device__ __noinline__ unsigned mixed(unsigned mask, unsigned x) {
  const unsigned odd = __ballot_sync(mask, x & 1u);
  x += __shfl_sync(mask, x, one_of(mask, x)) * 3u;
  const unsigned most = __reduce_max_sync(mask, x & 31u);
  return x & 2u ? x ^ odd : x + most;
}
__device__ __noinline__ unsigned rotated(unsigned x, unsigned t, unsigned n, unsigned by) {
  __shared__ unsigned room[160];
  room[t] = x;
  __syncthreads();
  x = room[(t + by) % n];
  __syncthreads();
  return x;
}"""
MAIN = """
int main() {
  const unsigned n = %d;
  unsigned *in, *out;
  cudaMallocManaged(&in, 4 * n);
  cudaMallocManaged(&out, 4 * n);
  for (unsigned i = 0; i < n; ++i) in[i] = out[i] = i * 2654435761u >> 7;
%s
}
"""
LAUNCH = """  for (unsigned p = 2; p < 4; ++p) {
    %s<<<%d, %s, %d>>>(in, out, p);
    if (cudaDeviceSynchronize() != cudaSuccess) return std::puts("%s failed"), 1;
    hash("%s", in, out, n, %s_totals);
  }"""


def program(seed, kernels, barriers):
    source = random.Random(seed)
    all_of = [Kernel(source, f"k{number}", barriers) for number in range(kernels)]
    parts = [HELPERS] + [k.text() for k in all_of]
    parts.append("""void hash(const char* name, unsigned*& in, unsigned*& out, unsigned n, const unsigned (&totals)[%d]) {
  unsigned long long h = 1469598103934665603ull;
  unsigned all[%d];
  cudaMemcpyFromSymbol(all, totals, sizeof all);
  for (unsigned i = 0; i < n; ++i) h = (h ^ out[i]) * 1099511628211ull;
  for (unsigned x : all) h = (h ^ x) * 1099511628211ull;
  std::printf("%%s %%016llx\\n", name, h);
  std::swap(in, out);
}""" % (WORDS, WORDS))
    most = max(k.threads for k in all_of) * BLOCKS
    launches = "\n".join(k.launch() for k in all_of)
    return "\n".join(parts) + MAIN % (most, launches)


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--barriers", action="store_true")
    asked = parser.parse_args()
    print(program(asked.seed, asked.kernels, asked.barriers))


if __name__ == "__main__":
    main()
