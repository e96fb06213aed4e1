"""client.py <warpfold-mcp>: each tool of the server, called by the SDK's client over stdio."""
import asyncio
import json
import re
import sys

from mcp import Client, StdioServerParameters

RACE = """
#include <cstdio>
__global__ void mirror(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[63 - threadIdx.x];
}
int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  mirror<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  std::puts("it ran");
}
"""
HAND_IN = """
#include <cuda_runtime.h>
__global__ void sum(const int* in, int* out, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}
extern "C" void reduce(const int* in, int* out, size_t n) {
  cudaMemset(out, 0, sizeof(int));
  if (n > 0) sum<<<(n + 255) / 256, 256>>>(in, out, n);
}
"""
HISTOGRAM = """
#include <cuda_runtime.h>
__global__ void count(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] < bins) ++counts[in[i]];
}
extern "C" void histogram(const unsigned* in, unsigned* counts, size_t n, unsigned bins) {
  cudaMemset(counts, 0, bins * sizeof(unsigned));
  if (n > 0) count<<<(n + 255) / 256, 256>>>(in, counts, n, bins);
}
"""
SELECT = """
#include <cuda_runtime.h>
__global__ void keep(const int* in, int* out, unsigned long long* kept, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && in[i] != 0) out[atomicAdd(kept, 1ULL)] = in[i];
}
void select(const int* in, int* out, unsigned long long* kept, size_t n) {
  cudaMemset(kept, 0, sizeof *kept);
  if (n > 0) keep<<<(n + 255) / 256, 256>>>(in, out, kept, n);
}
"""
failed = 0


def expect(what, holds, shown):
    global failed
    if not holds:
        failed += 1
        print(f"wrong: {what}: {shown}")


async def said(client, tool, is_error=False, **arguments):
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    expect(tool, bool(result.is_error) == is_error, text)
    return text


async def try_all(server):
    async with Client(StdioServerParameters(command=server)) as client:
        expect("the server's name", client.server_info.name == "warpfold", client.server_info)
        names = [tool.name for tool in (await client.list_tools()).tools]
        expect("the tools", names == ["run", "check", "counters", "predict", "judge", "explain_finding"], names)
        text = await said(client, "run", source=RACE)
        expect("run", "it ran" in text, text)
        text = await said(client, "check", is_error=True, source=RACE)
        expect("check", "race between warps: kernel mirror" in text and "program.cu:6" in text, text)
        text = await said(client, "explain_finding", finding=text.splitlines()[0])
        expect("explain_finding", "fix: put a __syncthreads()" in text, text)
        kernel = json.loads(await said(client, "counters", source=RACE))[0]
        expect("counters", kernel["name"].startswith("mirror") and kernel["counters"], kernel)
        slow = json.loads(await said(client, "predict", source=RACE, device="t4"))[0]["predicted"]
        expect("predict", slow["device"] == "t4", slow)
        verdict = json.loads(await said(client, "judge", source=HAND_IN, ladder="reduce"))["hand_ins"][0]
        expect("judge", verdict["sentence"] == "right and clean", verdict)
        verdict = json.loads(await said(client, "judge", source=HISTOGRAM, ladder="histogram"))["hand_ins"][0]
        expect("a race on a bin", re.search("race (in a warp|between)", verdict["sentence"]), verdict)
        verdict = json.loads(await said(client, "judge", source=SELECT, ladder="select"))["hand_ins"][0]
        expect("a lost order", verdict["sentence"].endswith("all kept values are there, in another order"), verdict)
        verdict = json.loads(await said(client, "judge", source=HAND_IN, exercise="atomics"))["hand_ins"][0]
        expect("an exercise", verdict["verdict"] == "short of its goal", verdict)
        for tool, arguments, says in [("judge", {"source": "", "ladder": "bogus"}, "ladder is bogus: reduce, scan, sort, histogram or select"),
                                      ("judge", {"source": "", "exercise": "bogus"}, "there is no exercise bogus"),
                                      ("run", {"source": "int main("}, "does not compile"),
                                      ("run", {"source": "int main() { for (;;) {} }", "to": "x"}, "has no argument to"),
                                      ("predict", {"source": RACE, "device": "bogus"}, "bogus"),
                                      ("explain_finding", {"finding": "bogus"}, "there are race between blocks"),
                                      ("check", {}, "source is missing")]:
            text = await said(client, tool, is_error=True, **arguments)
            expect(f"{tool} {arguments}", says in text, text)
        text = await said(client, "run", is_error=True, source="#include <unistd.h>\nint main() { while (fork() >= 0) {} return 7; }")
        expect("a program that copies itself", "ended with code 7" in text, text)


asyncio.run(try_all(sys.argv[1]))
sys.exit(1 if failed else 0)
