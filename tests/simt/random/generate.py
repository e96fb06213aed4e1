#!/usr/bin/env python3
"""Random CUDA kernels without a race: generate.py --seed N [--kernels K] [--barriers] writes a program
that launches them one after the other, each on what the one before left, and prints a hash of what
each left. It prints the same on every machine and in every order of the threads.

Threads meet in the block's control flow only: there they exchange values through shared memory, by
shuffles and votes, and add to counters. In divergent ifs and loops they touch their own words alone:
their place of a shared array, and words that one thread owns, behind all kinds of conditions. With
--barriers some barriers stand in divergent code, which a card allows and a checked run reports."""
import argparse
import random

BLOCKS, WORDS = 3, 4


class Kernel:
    def __init__(self, source, name, barriers):
        self.r, self.name, self.barriers = source, name, barriers
        self.threads = source.choice((32, 64, 96, 128, 160))
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
        return self.r.choice("abc")

    def value(self, depth=2):
        if depth == 0 or self.r.random() < 0.3:
            return self.r.choice((self.local(), self.local(), "t", self.number(), "in[i]"))
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

    def in_warps(self):
        if self.live % 32 != 0:
            return self.exchange()
        x, y = self.local(), self.local()
        self.pick(
            lambda: self.add(f"{x} += __shfl_xor_sync(~0u, {y}, {self.r.choice((1, 2, 4, 8, 16))});"),
            lambda: self.add(f"{x} ^= __shfl_sync(~0u, {y}, {self.r.randrange(32)});"),
            lambda: self.add(f"{x} += __popc(__ballot_sync(~0u, {self.condition()}));"),
            lambda: self.add(f"{x} += __any_sync(~0u, {y} % 7u == 2u) ? 5u : 1u;"),
            lambda: self.masked(x, y))

    def masked(self, x, y):
        k = self.loop_variable()
        self.add(f"const bool in{k} = {self.condition()};")
        self.add(f"const unsigned m{k} = __ballot_sync(~0u, in{k});")
        operation = self.r.choice((f"__reduce_add_sync(m{k}, {y})",
                                   f"__shfl_sync(m{k}, {y}, __ffs(m{k}) - 1)",
                                   f"__popc(__match_any_sync(m{k}, {y} % 4u))"))
        self.add(f"if (in{k}) {x} += {operation};")

    def uniform_loop(self, level):
        k = self.loop_variable()
        bound = self.r.choice((str(self.r.randrange(1, 5)), f"(blockIdx.x + {self.r.randrange(1, 3)})"))

        def body():
            if self.barriers and self.r.random() < 0.5:
                self.add(f"if (t % 4u == {k} % 4u) {{ own[t] += {self.local()}; __syncthreads(); continue; }}")
                self.add("__syncthreads();")
            else:
                self.uniform(level + 1)

        self.nest(f"for (unsigned {k} = 0; {k} < {bound}; ++{k})", body)

    def meeting_apart(self):
        """The same barrier for all, at several places."""
        self.add(f"swap[t] = {self.value()};")
        x = self.local()
        self.add(f"if ({self.condition()}) {{ {x} += 2u; __syncthreads(); }} else {{ __syncthreads(); {x} ^= 9u; }}")
        self.add(f"{x} += swap[{self.live - 1}u - t];")
        self.add("__syncthreads();")

    def uniform(self, level):
        for _ in range(self.r.randrange(2, 5)):
            if level < 2 and self.r.random() < 0.25:
                self.uniform_loop(level)
            elif self.barriers and self.r.random() < 0.2:
                self.meeting_apart()
            else:
                self.pick(self.exchange, self.count, self.in_warps, lambda: self.divergent(0))

    def text(self):
        self.uniform(0)
        if self.r.random() < 0.4:
            self.live = self.r.randrange(26, self.threads + 1)
            self.add(f"if (t >= {self.live}u) {{ out[i] = a; return; }}")
            self.uniform(0)
        words = " ".join(f"__shared__ unsigned word{k};" for k in range(WORDS))
        clear = " ".join(f"word{k} = {k}u;" for k in range(WORDS))
        return "\n".join([
            f"__device__ unsigned {self.name}_word;",
            f"__global__ void {self.name}(const unsigned* in, unsigned* out) {{",
            f"  __shared__ unsigned own[{self.threads}], swap[{self.threads}], words[{WORDS}], counter;",
            f"  {words}",
            "  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;",
            "  unsigned a = in[i], b = t * 7u + 1u, c = i ^ 5u;",
            "  own[t] = t;",
            f"  if (t == 0) {{ counter = 0; for (unsigned k = 0; k < {WORDS}u; ++k) words[k] = k; {clear} }}",
            f"  if (blockIdx.x == 1 && t == 3u) {self.name}_word = 17u;",
            "  __syncthreads();",
            *self.lines,
            "  out[i] = a ^ b * 3u ^ c * 5u ^ own[t];",
            "}"])


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
LAUNCH = """  %s<<<%d, %d>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return std::puts("%s failed"), 1;
  hash("%s", in, out, n);"""


def program(seed, kernels, barriers):
    source = random.Random(seed)
    all_of = [Kernel(source, f"k{number}", barriers) for number in range(kernels)]
    parts = ["#include <cstdio>", "#include <utility>"] + [k.text() for k in all_of]
    parts.append("""void hash(const char* name, unsigned*& in, unsigned*& out, unsigned n) {
  unsigned long long h = 1469598103934665603ull;
  for (unsigned i = 0; i < n; ++i) h = (h ^ out[i]) * 1099511628211ull;
  std::printf("%s %016llx\\n", name, h);
  std::swap(in, out);
}""")
    most = max(k.threads for k in all_of) * BLOCKS
    launches = "\n".join(LAUNCH % (k.name, BLOCKS, k.threads, k.name, k.name) for k in all_of)
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
