// Prints the digests of the canonical order, a line a case: name, values, reduction, scans.
//   digests reference           by tests/library/canonical/reference.hpp
//   digests host [threads]      by the library on the host
//   digests device              by the library on a GPU or the CPU machine, where it is compiled so
// tests/golden/canonical_digests.csv has them. On another machine: c++ -std=c++20 -x c++ -I include
// -I . tests/library/canonical/digests.cu -ltbb, without -ffast-math.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tests/library/canonical/digests.hpp"
#include "tests/library/canonical/reference.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#ifdef __CUDACC__
#include <cuda_runtime.h>

#include "warpfold/reduce.hpp"
#include "warpfold/scan.hpp"
#endif

namespace {

using namespace warpfold::tests;

void print(const char* name, std::size_t n, std::uint64_t reduction, std::uint64_t scans) {
  std::printf("%s,%zu,%016llx,%016llx\n", name, n, static_cast<unsigned long long>(reduction),
              static_cast<unsigned long long>(scans));
}

struct by_reference {
  template <class T, class Acc, class Op>
  void operator()(const char* name, const std::vector<T>& values, Acc init, Op op) const {
    std::vector<Acc> x(values.size()), out(values.size()), before;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Acc>(values[i]);
    const Acc root = x.empty() ? init : op(init, canonical::reduce(x.data(), x.size(), op));
    canonical::inclusive_scan(x.data(), x.size(), out.data(), std::optional<Acc>(init), op);
    before.push_back(init);
    before.insert(before.end(), out.begin(), out.end());
    print(name, x.size(), digest_of(&root, 1),
          digest_of(before.data(), x.size(), digest_of(out.data(), x.size())));
  }
};

struct on_host {
  unsigned threads;
  template <class T, class Acc, class Op>
  void operator()(const char* name, const std::vector<T>& values, Acc init, Op op) const {
    const auto where = warpfold::host.threads(threads).with(warpfold::determinism::gpu_to_gpu);
    std::vector<Acc> out(values.size()), before(values.size());
    const Acc root = warpfold::reduce(where, values, init, op);
    warpfold::inclusive_scan(where, values, out, op, init);
    warpfold::exclusive_scan(where, values, before, init, op);
    print(name, values.size(), digest_of(&root, 1),
          digest_of(before.data(), values.size(), digest_of(out.data(), values.size())));
  }
};

#ifdef __CUDACC__
template <class T>
struct buffer {
  T* data = nullptr;
  explicit buffer(std::size_t n) {
    if (cudaMalloc(reinterpret_cast<void**>(&data), (n + 1) * sizeof(T)) != cudaSuccess) {
      std::fputs("digests: no device memory\n", stderr);
      std::exit(3);
    }
  }
  ~buffer() { cudaFree(data); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
};

struct on_device {
  template <class T, class Acc, class Op>
  void operator()(const char* name, const std::vector<T>& values, Acc init, Op op) const {
    const std::size_t n = values.size();
    const buffer<T> in(n);
    const buffer<Acc> converted(n), out(n);
    std::vector<Acc> on_host(n);
    for (std::size_t i = 0; i < n; ++i) on_host[i] = static_cast<Acc>(values[i]);
    cudaMemcpy(in.data, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(converted.data, on_host.data(), n * sizeof(Acc), cudaMemcpyHostToDevice);
    const auto where = warpfold::device.with(warpfold::determinism::gpu_to_gpu);
    const std::span<const Acc> x(converted.data, n);  // scans take values of the type of results
    const std::span<Acc> results(out.data, n);
    const Acc root = warpfold::reduce(where, std::span<const T>(in.data, n), init, op);
    std::uint64_t scans = 0;
    const auto add = [&] {
      cudaMemcpy(static_cast<void*>(on_host.data()), out.data, n * sizeof(Acc),
                 cudaMemcpyDeviceToHost);
      scans = digest_of(on_host.data(), n, scans);
    };
    inclusive_scan(where, x, results, op, init).throw_if_failed("a scan");
    add();
    exclusive_scan(where, x, results, init, op).throw_if_failed("a scan");
    add();
    print(name, n, digest_of(&root, 1), scans);
  }
};
#endif

}  // namespace

int main(int argc, char** argv) {
  const std::string_view by = argc > 1 ? argv[1] : "";
  std::puts("operator,values,reduction,scans");
  if (by == "reference") {
    each_digest(by_reference{});
  } else if (by == "host") {
    each_digest(on_host{argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 2});
#ifdef __CUDACC__
  } else if (by == "device") {
    each_digest(on_device{});
#endif
  } else {
    std::fputs("usage: digests reference | host [threads] | device\n", stderr);
    return 2;
  }
}
