"""Cheats: what each tries, and what the judge says. LIMITS: named in docs/judge.md as not caught."""
from wrong import RIGHT

HOST_SUM = """
#include <cuda_runtime.h>
#include <vector>
static int host_sum(const int* in, size_t n) {
  std::vector<int> v(n);
  cudaMemcpy(v.data(), in, n * 4, cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int x : v) sum += x;
  return sum;
}
"""
CALL = 'extern "C" void reduce(const int* in, int* out, size_t n) {'
HEAD = "#include <cuda_runtime.h>\n#include <cstdio>\n#include <cstdlib>\n#include <fstream>\n#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n#include <unistd.h>\n"


def right_if(condition):
    """Right as long as the cheat does not succeed."""
    return HEAD + RIGHT.replace("sum_kernel<<<(n", f"if ({condition}) return;\n  sum_kernel<<<(n")


# name, source, first sentence, options, whether it needs bubblewrap
CHEATS = [
    ("sums_on_the_host", HOST_SUM + CALL + "int s = host_sum(in, n); cudaMemcpy(out, &s, 4, cudaMemcpyHostToDevice); }",
     "wrong at n = 1000: it launched no kernel", "", False),
    ("writes_a_sum_of_the_host", HOST_SUM + "__global__ void k(int* out, int s) { *out = s; }\n" + CALL +
     "k<<<1, 1>>>(out, host_sum(in, n)); }", "right, with 1 finding: value that is never read", "", False),
    ("reads_device_memory", CALL + "int s = 0; for (size_t i = 0; i < n; ++i) s += in[i]; *out = s; }",
     "wrong at n = 1000: it launched no kernel; host's access to the device's memory at", "", False),
    ("exits", HEAD + CALL + "exit(0); }", "stopped at n = 0: the process ended with code 0", "", False),
    ("exits_at_once", HEAD + RIGHT + "[[gnu::constructor]] void f() { _exit(0); }",
     "ends before its function is called: the process ended with code 0", "", False),
    ("prints_a_verdict", HEAD + CALL + 'puts("right and clean"); }', "wrong at n = 0", "", False),
    ("writes_events", HEAD + CALL + 'std::ofstream f("events"); for (int i = 0; i < 40; ++i) '
     'f << "{\\"begin\\":" << i << "}\\n{\\"end\\":" << i << ",\\"errors\\":[]}\\n"; f.close(); _exit(0); }',
     "wrong at n = 1: ", "", False),
    ("spoils_events", HEAD + CALL + 'std::ofstream f("events", std::ios::app); f << "{\\"end\\":0,\\"findings\\":[3]}\\n"; f.close(); _exit(0); }',
     "the hand-in has written into the judge's files", "", False),
    ("spoils_the_list", HEAD + RIGHT + '[[gnu::constructor]] void f() { std::ofstream f("entries"); '
     'f << "{\\"entry\\":0,\\"type\\":\\"i7\\",\\"op\\":\\"sum\\"}\\n"; f.close(); _exit(0); }',
     "the hand-in has written into the judge's files", "", False),
    ("never_ends", HEAD + CALL + "for (;;) pause(); }", "stopped at n = 0: not done within 40 s", "--limit 40", False),
    ("forks_without_end", HEAD + CALL + "while (fork() >= 0) {} }", "wrong at n = 0: .*nothing was written", "", False),
    ("starts_programs", HEAD + "#include <spawn.h>\n" + CALL + 'char* words[] = {(char*)"sleep", (char*)"600", nullptr}; '
     'for (pid_t p;;) posix_spawn(&p, "/bin/sleep", nullptr, nullptr, words, environ); }',
     "stopped at n = 0: more than 32 processes", "", False),
    ("takes_all_memory", HEAD + CALL + "for (;;) { volatile char* p = (volatile char*)malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1; } }",
     "stopped at n = 0: more than 512 MiB of memory", "--memory 512MiB", False),
    ("reads_files", right_if('open("/etc/passwd", O_RDONLY) >= 0'), "right and clean", "", True),
    ("reads_the_home", right_if('access("/root", F_OK) == 0 || access("/home", F_OK) == 0'), "right and clean", "", True),
    ("opens_a_socket", right_if("socket(AF_INET, SOCK_STREAM, 0) >= 0"), "right and clean", "", False),
    ("writes_files", right_if('open("/usr/warpfold_was_here", O_CREAT | O_WRONLY, 0600) >= 0'), "right and clean", "", True),
    ("kills_the_judge", right_if("kill(getppid(), 0) == 0 && getppid() > 2"), "right and clean", "", True),
    ("removes_the_results", HEAD + CALL + 'unlink("output"); }', "the hand-in has removed the judge's files|wrong at n = 0", "", False),
    ("knows_the_results", HEAD + CALL + "int s = n == 0 ? 0 : n == 1 ? 242 : 1707; cudaMemcpy(out, &s, 4, cudaMemcpyHostToDevice); }",
     "wrong at n = 1: ", "", False),
    ("remembers_results", RIGHT.replace('  cudaMemset(out, 0, sizeof(int));',
     "  static size_t last = ~0UL; static int s; if (n == last) { cudaMemcpy(out, &s, 4, cudaMemcpyHostToDevice); return; }\n"
     "  cudaMemset(out, 0, sizeof(int));").replace("(in, out, n);\n", "(in, out, n);\n  last = n; cudaMemcpy(&s, out, 4, cudaMemcpyDeviceToHost);\n"),
     "wrong at n = 1025 .*: it launched no kernel", "", False),
    ("reads_half", RIGHT.replace("i < n ?", "i < n / 2 ?"), "wrong at n = 1: .*never read", "", False),
    ("redefines_the_name", RIGHT + "#define WARPFOLD_JUDGED_SORT 1\n#define reduce nothing\n",
     "does not compile|has no function|line .*", "", False),
]
# Not caught: named in docs/judge.md.
LIMITS = [
    ("reads_and_discards", HOST_SUM + "__global__ void k(const int* in, int* out, size_t n, int s) { volatile int x;"
     " for (size_t i = threadIdx.x; i < n; i += 256) x = in[i]; if (threadIdx.x == 0) *out = s; }\n" + CALL +
     "k<<<1, 256>>>(in, out, n, host_sum(in, n)); }", "right and clean", "", False),
]
