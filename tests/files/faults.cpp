// Preloaded into the program: makes calls on files fail as disks do. What, where from on, and how
// is in the environment: WARPFOLD_FAULT is one of
//   short        every read and write moves at most 1,000 bytes
//   eio:BYTES    reads behind so many bytes of data fail
//   full:BYTES   writes behind so many bytes in all fail, and no room is reserved before
//   sync         data can't be made durable
//   rename       no file gets a name
//   nameless     there are no files without a name
//   threads:K    no thread can be started after K
//   memory:K     the heap has no room for the K-th piece since main began, counted from 0
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

namespace {

bool asked(const char* what) {
  const char* const fault = std::getenv("WARPFOLD_FAULT");
  return fault != nullptr && std::strncmp(fault, what, std::strlen(what)) == 0;
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

std::atomic<std::uint64_t> written = 0;

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
  return asked("sync") ? fail<int>(EIO) : call(file);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto call = real<int (*)(int, const char*, int, const char*, int)>("linkat");
  return asked("rename") ? fail<int>(EPERM) : call(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) {
  static const auto call = real<int (*)(const char*, const char*)>("rename");
  return asked("rename") ? fail<int>(EPERM) : call(from, to);
}

int open(const char* path, int flags, ...) {
  static const auto call = real<int (*)(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (asked("nameless") && (flags & O_TMPFILE) == O_TMPFILE) return fail<int>(EOPNOTSUPP);
  return call(path, flags, mode);
}

}  // extern "C"
