#include "docs/lectures.hpp"

namespace {

constexpr slide all[] = {
    // Notes on chapter 3 of "Professional CUDA C Programming".
    {1, "Divergence: reduceNeighbored", "ladder reduce --rung 1 --n 2^20",
     "At how many branch decisions do the lanes of a warp agree?",
     "{01 % uniform branches} %. In step *k* one lane in 2^k adds; the others wait for it."},
    {1, "inst_per_warp: Neighbored, NeighboredLess", "ladder reduce --rung 1,2 --n 2^20 --counters",
     "The second kernel makes as many additions. What does it make fewer of?",
     "{01 operator uses} and {02 operator uses} additions, but {01 load requests} and {02 load "
     "requests} loads, and {01 steps/warp} and {02 steps/warp} steps a warp: whole warps have "
     "nothing to do, where every other lane had."},
    {1, "Interleaved pairs: gld_throughput falls", "ladder reduce --rung 2,3 --n 2^20",
     "The load throughput falls, and the kernel is faster. How can that be?",
     "The same {03 load requests} loads need {03 sectors/request} sectors each in place of {02 "
     "sectors/request}: {03 bytes moved} in place of {02 bytes moved}. Throughput counted the "
     "bytes "
     "that no lane asked for."},
    {1, "branch_efficiency: NeighboredLess, Interleaved", "ladder reduce --rung 2,3 --n 2^20",
     "Why is it the same for both?",
     "{02 % uniform branches} % and {03 % uniform branches} %: the same threads work, on other "
     "values."},
    {1, "Unrolling 2, 4, 8", "ladder reduce --rung 3,4,5,6 --n 2^20",
     "What becomes less with each unrolling, and what does no counter show?",
     "Barriers: {03 barriers}, {04 barriers}, {05 barriers}, {06 barriers}. What no counter shows "
     "is "
     "that a thread has two, four, eight loads under way at once, which hide each other's latency; "
     "that is in the [times](reduce.md)."},
    {1, "dram_read_throughput of the unrolled kernels", "ladder reduce --rung 3,6 --n 2^20",
     "Do the unrolled kernels read more?",
     "Less: {03 bytes moved} and {06 bytes moved}, loads and stores together. The throughput rises "
     "since the time falls faster."},
    {1, "stall_sync: UnrollWarps8", "ladder reduce --rung 6,7 --n 2^20",
     "How many barriers does the warp that is left alone save?",
     "{06 barriers} become {07 barriers}: the last six steps have none, and {07 steps/warp} steps "
     "a "
     "warp are left of {06 steps/warp}."},
    {1, "volatile int *vmem", "specimens run warp_tail_volatile",
     "Is `volatile` enough for the six steps of the last warp?",
     "No: `race in a warp`. It makes the compiler store, and says nothing of who comes first; that "
     "was the lockstep of devices before Volta."},
    {1, "CompleteUnrollWarps8, and the template", "ladder reduce --rung 7,8,9 --n 2^20",
     "Why has the second of the three the most barriers?",
     "{07 barriers}, {08 barriers}, {09 barriers}: in 08 the barriers stand outside the tests of "
     "the "
     "block size, so they are met for sizes that the block does not have. As a template parameter "
     "the "
     "size takes test and barrier away."},
    {1, "gld_efficiency, gst_efficiency", "ladder reduce --rung 1,3,9 --n 2^20",
     "How much of each sector was asked for?",
     "{01 % load efficiency} %, {03 % load efficiency} %, {09 % load efficiency} %."},

    // Optimizing Reduction Kernels.
    {2, "Kernel decomposition", "ladder reduce --rung 12,19 --n 2^20 --counters",
     "How many launches does a sum of 2^20 values take, and how could it be one?",
     "{12 launches}: 4,096 sums of blocks, then 16, then one. {19 launches} where the last block "
     "to "
     "finish adds the others' sums."},
    {2, "Reduce 1: divergent branch", "steps reduce/modulo",
     "Which threads work in the third step?",
     "`step 3 · stride 4 · threads 0, 8`. A warp has 32: from the fifth step on, one lane of it "
     "works."},
    {2, "Reduce 2: the new problem", "ladder reduce --rung 10,11 --n 2^20",
     "What became better, and what worse?",
     "Branch uniformity {10 % uniform branches} → {11 % uniform branches} %; bank conflicts {10 "
     "bank conflicts} → {11 bank conflicts}."},
    {2, "Shared memory bank conflict", "ladder reduce --rung 11 --n 2^16 --lines",
     "Which line makes all of them?",
     "`if (index < blockDim.x) values[index] = op(values[index], values[index + stride]);`: in "
     "step "
     "*k* the lanes' words lie 2^k apart."},
    {2, "Reduce 3: sequential addressing", "ladder diff reduce 11 12",
     "Which two lines take the conflicts away?",
     "`for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {` and `if (tid < stride) "
     "values[tid] = op(values[tid], values[tid + stride]);`: neighbours take neighbouring words."},
    {2, "Reduce 4: first add during load", "ladder reduce --rung 12,13 --n 2^20 --counters",
     "What is halved, though as much is read?",
     "Blocks, and with them barriers, {12 barriers} → {13 barriers}, and shared requests, {12 "
     "shared "
     "requests} → {13 shared requests}. Load requests stay: {12 load requests} → {13 load "
     "requests}."},
    {2, "Reduce 4: g_idata[i+blockDim.x]", "specimens run past_the_end",
     "What does the kernel on the slide read where n is no multiple of two tiles?",
     "What lies behind the array: `access out of bounds`. Rung 13 has the test that is missing "
     "(`warpfold ladder diff reduce 12 13`)."},
    {2, "Reduce 5: warpReduce(int* sdata, …)", "specimens run warp_tail_plain",
     "The slide's sdata is not even volatile. What may go wrong?",
     "`race in a warp`, and the compiler may keep sums in registers. Rung 14 has a `__syncwarp()` "
     "between reads and writes (`warpfold ladder diff reduce 13 14`)."},
    {2, "Reduce 6: complete unrolling", "ladder reduce --rung 14,15 --n 2^20",
     "What does a loop cost?",
     "{14 steps/warp} steps a warp with it, {15 steps/warp} without: counter, test and branch."},
    {2, "Reduce 6: invoking template kernels", "ladder diff reduce 14 15 --host",
     "What does the host do to make the block size a constant?",
     "A switch: `case 256: return f.template operator()<256>();`, one kernel for each size."},
    {2, "Reduce 7: algorithm cascading", "ladder reduce --rung 15,16 --n 2^22 --counters",
     "What becomes less with a grid that just fills the machine?",
     "Trees: barriers {15 barriers} → {16 barriers}, shared requests {15 shared requests} → {16 "
     "shared requests}. Each thread adds many values first."},
    {2, "The table for a Tesla K40m", "ladder explain reduce/16",
     "What did the last kernel reach there?",
     "`96.87 GB/s on a Tesla K40m`. The same rungs on an H100 are [here](reduce.md)."},
    {2, "Sorting networks", "steps sort/bitonic-shared --values 3,1,7,0,4,1,6,3",
     "How many steps sort eight keys, and how many comparators has each?",
     "Six: `step 6 · stride 1 · threads 0–3`. Four, one for each thread. `warpfold steps "
     "sort/bitonic-shared --network --svg network.svg` "
     "draws them."},
    {2, "Bubble sort as a network, and the bitonic one", "ladder sort --rung 1,3 --n 2^10",
     "What does the other network save for 1,024 keys?",
     "{01 operator uses} comparisons become {03 operator uses}, {01 depth} steps {03 depth}."},
    {2, "Sort in shared memory", "ladder sort --rung 3,4 --n 2^14 --counters",
     "What do tiles in shared memory save?",
     "Launches {03 launches} → {04 launches}, load requests {03 load requests} → {04 load "
     "requests}; "
     "the comparisons stay: {03 operator uses}, {04 operator uses}."},
    {2, "Hillis and Steele", "steps scan/hillis-steele --values 3,1,7,0,4,1,6,3",
     "Which additions does each step make?",
     "`step 1 · stride 1 · threads 1–7`, then 2–7, then 4–7: 17 for eight values, where a loop "
     "needs "
     "seven."},
    {2, "Algorithm 1 will not work", "ladder diff scan 1 2",
     "What saves a scan in place from reading what another warp has overwritten?",
     "A second barrier in each step in rung 01; in 02 a second buffer, so that one is enough."},
    {2, "CUDA C code: temp[pout*n+thid] += …", "specimens run stale_buffer",
     "The slide adds to what stands in the other buffer. What stands there?",
     "The sum of two steps ago, and in the first step `read of unwritten memory`."},
    {2, "Blelloch", "steps scan/blelloch --exclusive --values 3,1,7,0,4,1,6,3",
     "What stands at the root after the way up, and what is put there?",
     "25, the sum of all: `shared      3   4   7  11   4   5   6  25`; then 0, which goes down."},
    {2, "Work-efficient", "ladder scan --rung 2,3 --n 2^16",
     "How many additions does the work-efficient scan make, and is it faster?",
     "{02 operator uses} become {03 operator uses}. It is not, on an H100: bank conflicts {02 bank "
     "conflicts} → {03 bank conflicts}, and twice as many steps ([why](scan.md))."},
    {2, "Parallel Prefix Sum, chapter 39: padding", "ladder scan --rung 3,4 --n 2^16",
     "What does one empty word in 33 change?",
     "Bank conflicts {03 bank conflicts} → {04 bank conflicts}; the additions stay: {03 operator "
     "uses}, {04 operator uses}."},

    // GPU Computing: reduction.
    {3, "Reduction #3: sequential accesses", "steps reduce/sequential",
     "What stands in the array after the second step?",
     "`shared      8   7  13  13   0   9   3   7  -2  -3   2   7   0  11   0   2`, as on the "
     "slide."},
    {3, "Reduction #4: read two elements", "steps reduce/first-add",
     "How many threads add the same sixteen values, and in which step does each of them work?",
     "Eight: `step 1 · stride 8 · in → shared · threads 0–7`. Nobody is idle at the start."},
    {3, "Performance for 4M elements", "ladder explain reduce/13",
     "What did kernel 4 reach on a G80, and what does it have half of?",
     "`17.38 GB/s on a G80`; `barriers 37,017 → 18,477`."},

    // Reduction, Concurrency through CUDA streams.
    {4, "Idle threads", "ladder reduce --rung 12,13 --n 2^20 --counters",
     "Half of the threads have nothing to do in the first step. What does it cost?",
     "A block in two: {12 shared requests} shared requests become {13 shared requests}."},
    {4, "Instruction bottleneck", "ladder reduce --rung 13,14,15 --n 2^20",
     "How much of a warp's way was loop and barrier?",
     "{13 steps/warp} steps, {14 steps/warp} with the last warp unrolled, {15 steps/warp} without "
     "a "
     "loop; the loads stay: {13 load requests}, {15 load requests}."},
    {4, "This saves useless work in all warps", "ladder reduce --rung 13,14 --n 2^20",
     "What do the other warps save?", "The barriers of six steps: {13 barriers} → {14 barriers}."},
    {4, "We must use the volatile keyword!", "specimens diff warp_tail_volatile",
     "What must be there instead?",
     "`__syncwarp();` between what is read and what is written, twice in each step."},
    {4, "What about cost?", "ladder reduce --scaling",
     "Which number of threads makes the cost linear?",
     "`n / log2 n threads (Brent)` and fewer; with one thread a value it is n log n "
     "([more](complexity.md))."},
    {4, "Kernel 7, comments: 32 blocks of 4 threads", "steps reduce/cascade",
     "How many values does thread 1 take before the tree?",
     "Four: `1: [1] [33] [65] [97] → shared[1]`. Neighbours stay neighbours, so loads coalesce."},
    {4, "Async copies need pinned memory", "ladder streams --rung 1,2",
     "What does the host do while cudaMemcpy takes ordinary memory?",
     "It copies all of it once more: `host  ====`. In 02 it only waits, and the copy engine reads "
     "by "
     "itself."},
    {4, "Making use of streams", "ladder streams --kernel 54 --rung 3,4",
     "How much of the shorter of copying and summing overlaps with the other, in one stream and in "
     "two?",
     "{03 ladder__overlap.pct} % and {04 ladder__overlap.pct} %."},
    {4, "Some wrinkles", "ladder streams --kernel 54 --copy-engines 1 --one-queue --rung 4,5",
     "When does it matter whether calls go depth first or breadth first?",
     "With one copy engine and one queue: {04 ladder__overlap.pct} % overlap and {05 "
     "ladder__overlap.pct} %. On devices of today, never."},
    {4, "Stream 0 is special", "ladder streams --kernel 54 --rung 4,8",
     "What does a call without a stream undo?",
     "Overlap: {04 ladder__overlap.pct} % and {08 ladder__overlap.pct} %, whose first half goes "
     "one by "
     "one; the second half has non-blocking streams."},
    {4, "cudaStreamWaitEvent", "ladder streams --kernel 54 --rung 4,6",
     "Copies have a stream of their own. What makes the kernel wait for its chunk, and who stops?",
     "An event, recorded behind the copy. The stream stops and the host goes on. Overlap is {06 "
     "ladder__overlap.pct} %."},
};

}  // namespace

std::span<const slide> slides() { return all; }
