// Preloaded into the program: makes calls on files fail as disks do. What, where from on, and how
// is in the environment: WARPFOLD_FAULT is one of
//   short        every read and write moves at most 1,000 bytes
//   eio:BYTES    reads behind so many bytes of data fail
//   full:BYTES   writes behind so many bytes in all fail, and no room is reserved before
//   sync[:K]     data can't be made durable; or only the K-th call fails
//   stall[:S]    making data durable takes S seconds, or three
//   rename[:K]   no file gets a name; or only the K-th call fails
//   closing      every close of a descriptor ends with EIO, as on a network's file system, and of
//   closeint     those with EINTR; the descriptor is closed then
//   nameless     there are no files without a name
//   procless     there is no /proc
//   late         what another process has made under a hidden name takes a second to open
//   single       MPI lets a program have no threads
//   threads:K    no thread can be started after K
//   memory:K     the heap has no room for the K-th piece since main began, counted from 0
// or several of these that begin alike, as nameless+stall.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

bool asked(const char* what) {
  const char* const fault = std::getenv("WARPFOLD_FAULT");
  return fault != nullptr && std::strstr(fault, what) != nullptr;
}
std::uint64_t limit() {
  const char* const colon = std::strchr(std::getenv("WARPFOLD_FAULT"), ':');
  return colon == nullptr ? 0 : std::strtoull(colon + 1, nullptr, 10);
}
template <class F>
F real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}
template <class R>
R fail(int code) {
  errno = code;
  return static_cast<R>(-1);
}

std::atomic<std::uint64_t> written = 0, syncs = 0, renames = 0;

/// Whether this call is the one that fails, or all do.
bool is_failing(const char* what, std::atomic<std::uint64_t>& calls) {
  return asked(what) && (limit() == 0 || ++calls == limit());
}
bool is_in_proc(const char* path) { return std::strncmp(path, "/proc/", 6) == 0; }

std::atomic<std::uint64_t> threads = 0, pieces = 0;
std::atomic<bool> in_main = false;

using main_function = int (*)(int, char**, char**);
main_function program = nullptr;

int watched_main(int count, char** words, char** environment) {
  in_main = true;
  return program(count, words, environment);
}

}  // namespace

extern "C" {

// NOLINTNEXTLINE(bugprone-reserved-identifier): glibc's, which needs no search for the next malloc
void* __libc_malloc(std::size_t bytes);
void* malloc(std::size_t bytes) {
  if (in_main && asked("memory") && pieces++ == limit()) return nullptr;
  return __libc_malloc(bytes);
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): what calls main
int __libc_start_main(main_function main, int count, char** words, void (*begin)(), void (*end)(),
                      void (*last)(), void* stack) {
  using function = int (*)(main_function, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program = main;
  return real<function>("__libc_start_main")(watched_main, count, words, begin, end, last, stack);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*),
                   void* with) {
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto call = real<function>("pthread_create");
  if (asked("threads") && threads++ >= limit()) return EAGAIN;
  return call(thread, how, start, with);
}

ssize_t pread(int file, void* to, std::size_t bytes, off_t at) {
  static const auto call = real<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  if (asked("eio") && static_cast<std::uint64_t>(at) + bytes > limit()) return fail<ssize_t>(EIO);
  return call(file, to, asked("short") ? std::min<std::size_t>(bytes, 1000) : bytes, at);
}

ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  static const auto call = real<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  if (asked("full") && (written += bytes) > limit()) return fail<ssize_t>(ENOSPC);
  return call(file, from, asked("short") ? std::min<std::size_t>(bytes, 1000) : bytes, at);
}

int fallocate(int file, int mode, off_t at, off_t bytes) {
  static const auto call = real<int (*)(int, int, off_t, off_t)>("fallocate");
  if (asked("full")) return fail<int>(EOPNOTSUPP);
  return call(file, mode, at, bytes);
}

int fsync(int file) {
  static const auto call = real<int (*)(int)>("fsync");
  if (asked("stall")) sleep(limit() == 0 ? 3 : static_cast<unsigned>(limit()));
  return is_failing("sync", syncs) ? fail<int>(EIO) : call(file);
}

int close(int file) {
  static const auto call = real<int (*)(int)>("close");
  const int result = call(file);
  if (in_main && asked("closing")) return fail<int>(EIO);
  return in_main && asked("closeint") ? fail<int>(EINTR) : result;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto call = real<int (*)(int, const char*, int, const char*, int)>("linkat");
  if (asked("procless") && is_in_proc(from)) return fail<int>(ENOENT);
  if (is_failing("rename", renames)) return fail<int>(EPERM);
  return call(from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static const auto call = real<int (*)(int, const char*, int, const char*)>("renameat");
  if (is_failing("rename", renames)) return fail<int>(EPERM);
  return call(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static const auto call = real<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  if (is_failing("rename", renames)) return fail<int>(EPERM);
  return call(from_folder, from, to_folder, to, flags);
}

int access(const char* path, int mode) {
  static const auto call = real<int (*)(const char*, int)>("access");
  return asked("procless") && is_in_proc(path) ? fail<int>(ENOENT) : call(path, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  static const auto call = real<int (*)(int, const char*, int, ...)>("openat");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (asked("nameless") && (flags & O_TMPFILE) == O_TMPFILE) return fail<int>(EOPNOTSUPP);
  if (asked("late") && flags == (O_RDWR | O_CLOEXEC) && std::strncmp(path, ".warpfold-", 10) == 0) {
    sleep(1);
  }
  return call(folder, path, flags, mode);
}

int MPI_Init_thread(int* count, char*** words, int wanted, int* level) {
  using function = int (*)(int*, char***, int, int*);
  const int code = real<function>("PMPI_Init_thread")(count, words, wanted, level);
  if (asked("single")) *level = 0;
  return code;
}

}  // extern "C"
