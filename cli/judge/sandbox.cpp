#include "cli/judge/sandbox.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warpfold/error.hpp"

namespace warpfold::cli::judge {

namespace {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

constexpr std::size_t most_output = std::size_t{64} << 20;

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset));
}
/// Skips the next `over` instructions unless the value loaded is this one.
sock_filter unless(std::uint32_t value, unsigned char over) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, over);
}
sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

/// System calls that no kernel's host code needs fail: sockets, other processes' memory, and a copy
/// of the process, which could double faster than the judge counts. The CPU machine makes
/// threads, and starts the symbolizer that knows the lines of the source: it waits meanwhile.
std::vector<sock_filter> forbidden_calls() {
  constexpr std::uint32_t denied = SECCOMP_RET_ERRNO | EPERM;
#if defined(__x86_64__)
  constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#else
  constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif
  std::vector<sock_filter> program{load(offsetof(seccomp_data, arch)), unless(architecture, 1),
                                   BPF_STMT(BPF_JMP | BPF_JA, 1), answer(SECCOMP_RET_KILL_PROCESS),
                                   load(offsetof(seccomp_data, nr))};
  // glibc calls clone where there is no clone3, whose flags lie in memory.
  program.insert(program.end(), {unless(SYS_clone3, 1), answer(SECCOMP_RET_ERRNO | ENOSYS),
                                 unless(SYS_clone, 4), load(offsetof(seccomp_data, args)),
                                 BPF_STMT(BPF_ALU | BPF_AND | BPF_K, CLONE_THREAD | CLONE_VFORK),
                                 unless(0, 1), answer(denied), load(offsetof(seccomp_data, nr))});
#if defined(__x86_64__)
  constexpr std::uint32_t first_of_x32 = 0x40000000;  // the same calls by other numbers
  program.insert(program.end(),
                 {BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first_of_x32, 0, 1), answer(denied)});
#endif
#ifdef SYS_fork
  program.insert(program.end(), {unless(SYS_fork, 1), answer(denied)});
#endif
  for (const int call : {SYS_socket, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
                         SYS_mount, SYS_bpf, SYS_keyctl, SYS_unshare, SYS_setns}) {
    program.push_back(unless(static_cast<std::uint32_t>(call), 1));
    program.push_back(answer(denied));
  }
  program.push_back(answer(SECCOMP_RET_ALLOW));
  return program;
}

void limit(int what, rlim_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource>(what), &both);
}

/// The program's time: of a clock on the wall, or of the processors that it and its own have used.
enum class time_kind : std::uint8_t { wall, processor };

double seconds_of(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// In the child, before it becomes the program.
void confine(const fs::path& folder, double processor_seconds) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, most_output);
  limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(processor_seconds)));
  const int none = open("/dev/null", O_RDONLY);
  const int said = open((folder / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(none, STDIN_FILENO);
  dup2(said, STDOUT_FILENO);
  dup2(said, STDERR_FILENO);
}

[[noreturn]] void become(const strings& words, const fs::path& folder) {
  std::vector<char*> argv;
  for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execvp(argv.front(), argv.data());
  _exit(127);
}

/// A process and all below it, and the memory that they have in use.
struct usage {
  std::vector<pid_t> processes;
  std::size_t bytes = 0;
};
/// Stops once there are more than that many processes: where they multiply, each look counts.
void add_usage(pid_t process, std::size_t most, usage& sum) {
  sum.processes.push_back(process);
  const std::string folder = "/proc/" + std::to_string(process);
  std::size_t all = 0, resident = 0;
  std::ifstream(folder + "/statm") >> all >> resident;
  sum.bytes += resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream children(folder + "/task/" + std::to_string(process) + "/children");
  for (pid_t child = 0; sum.processes.size() <= most && children >> child;) {
    add_usage(child, most, sum);
  }
}

/// Waits until the program has ended or its time is over; then ends all that it has started.
ending wait_for(pid_t child, const limits& most, time_kind counted) {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  const double patience = counted == time_kind::processor ? most.seconds * 20 : most.seconds;
  ending how;
  int status = 0;
  rusage used{};
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  while (wait4(child, &status, WNOHANG, &used) == 0) {
    how.timed_out = passed() > patience;
    usage now;
    add_usage(child, most.processes, now);
    how.out_of_memory = now.bytes > most.memory_bytes;
    how.too_many = now.processes.size() > most.processes;
    if (how.timed_out || how.out_of_memory || how.too_many) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      // bubblewrap's child is the first of its namespace: all others there end with it.
      if (now.processes.size() > 1) kill(now.processes[1], SIGKILL);
      wait4(child, &status, 0, &used);
      break;
    }
    pollfd until{handle, POLLIN, 0};
    if (handle >= 0) {
      poll(&until, 1, 20);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (handle >= 0) close(handle);
  kill(-child, SIGKILL);  // what it has left behind
  how.seconds = passed();
  if (counted == time_kind::processor) how.timed_out |= seconds_of(used) >= most.seconds;
  if (WIFSIGNALED(status)) how.signal = WTERMSIG(status);
  if (WIFEXITED(status)) how.code = WEXITSTATUS(status);
  return how;
}

/// The words of bubblewrap before the program's; `filter` is the descriptor of forbidden_calls.
strings bubblewrap_words(const fs::path& folder, int filter) {
  strings words{"bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"};
  for (const char* name : {"SIMT_DEVICE", "SIMT_REGISTERS"}) {
    if (const char* value = std::getenv(name); value != nullptr) {
      words.insert(words.end(), {"--setenv", name, value});
    }
  }
  for (const char* system : {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"}) {
    words.insert(words.end(), {"--ro-bind-try", system, system});
  }
  words.insert(words.end(),
               {"--proc", "/proc", "--dev", "/dev", "--bind", folder.string(), folder.string(),
                "--chdir", folder.string(), "--seccomp", std::to_string(filter)});
  return words;
}

/// A descriptor that the program's filter can be read from.
int written_filter(const std::vector<sock_filter>& program) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1;
  static_cast<void>(!write(ends[1], program.data(), program.size() * sizeof(sock_filter)));
  close(ends[1]);
  return ends[0];
}

}  // namespace

confinement confinement_here() {
  static const confinement here = [] {
    const char* const asked = std::getenv("WARPFOLD_SANDBOX");
    if (asked != nullptr && std::string_view(asked) == "limits") return confinement::limits_only;
    // It may be there and not allowed, as in many containers.
    return std::system("bwrap --unshare-all --ro-bind / / true >/dev/null 2>&1") == 0
               ? confinement::bubblewrap
               : confinement::limits_only;
  }();
  return here;
}

std::string name_of(confinement c) {
  return c == confinement::bubblewrap ? "bubblewrap" : "limits only";
}

ending run_limited(const strings& words, const fs::path& folder, const limits& most) {
  const pid_t child = fork();
  if (child == 0) {
    confine(folder, most.seconds);
    become(words, folder);
  }
  if (child < 0) throw data_error(words.front() + ": " + std::strerror(errno));
  return wait_for(child, most, time_kind::processor);
}

ending run_confined(const strings& words, const fs::path& folder, const limits& most) {
  const std::vector<sock_filter> program = forbidden_calls();
  strings all = words;
  int filter = -1;
  if (confinement_here() == confinement::bubblewrap) {
    filter = written_filter(program);
    all = bubblewrap_words(folder, filter);
    all.insert(all.end(), words.begin(), words.end());
  }
  const pid_t child = fork();
  if (child == 0) {
    confine(folder, most.seconds * 8 + 8);
    if (filter < 0) {
      const sock_fprog list{static_cast<unsigned short>(program.size()),
                            const_cast<sock_filter*>(program.data())};
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &list) != 0) _exit(127);
    }
    become(all, folder);
  }
  if (filter >= 0) close(filter);
  if (child < 0) throw data_error(words.front() + ": " + std::strerror(errno));
  return wait_for(child, most, time_kind::wall);
}

}  // namespace warpfold::cli::judge
