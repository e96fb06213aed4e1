#include "bench/peers/opencl.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "warpfold/error.hpp"

namespace warpfold::bench {

namespace {

void expect(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw error(std::string(call) + ": status " + std::to_string(status));
}

/// The first device of a platform that is a processor.
std::pair<cl_platform_id, cl_device_id> find_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  expect(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_platform_id p : platforms) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) {
      return {p, device};
    }
  }
  return {};
}

std::string source() {
  std::ifstream in(WARPFOLD_OPENCL_KERNELS);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

struct opencl_device::state {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::map<std::string, cl_kernel> kernels;
  std::map<const void*, cl_mem> memory;

  explicit state(cl_device_id device) {
    cl_int status = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    expect(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    expect(status, "clCreateCommandQueue");
    const std::string text = source();
    const char* begin = text.c_str();  // clCreateProgramWithSource wants to change it
    program = clCreateProgramWithSource(context, 1, &begin, nullptr, &status);
    expect(status, "clCreateProgramWithSource");
    expect(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    for (const auto& [at, buffer] : memory) clReleaseMemObject(buffer);
    for (const auto& [name, kernel] : kernels) clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  cl_kernel kernel(const char* name) {
    cl_kernel& known = kernels[name];
    cl_int status = CL_SUCCESS;
    if (known == nullptr) known = clCreateKernel(program, name, &status);
    expect(status, "clCreateKernel");
    return known;
  }
  cl_mem buffer(const void* at, std::size_t bytes) {
    cl_mem& known = memory[at];
    cl_int status = CL_SUCCESS;
    if (known == nullptr) {
      known = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, const_cast<void*>(at), &status);
    }
    expect(status, "clCreateBuffer");
    return known;
  }
};

opencl_device::opencl_device() {
  const auto [platform, device] = find_device();
  if (device == nullptr) return;
  std::string name(256, '\0');
  std::size_t length = 0;
  expect(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, name.size(), name.data(), &length),
         "clGetPlatformInfo");
  name_ = name.substr(0, length - 1);
  state_ = std::make_unique<state>(device);
}
opencl_device::~opencl_device() = default;

void opencl_device::run(const char* kernel, std::array<const void*, 3> memory,
                        std::array<std::size_t, 3> bytes, std::uint32_t last,
                        std::array<std::size_t, 2> threads, std::array<std::size_t, 2> group) {
  const cl_kernel k = state_->kernel(kernel);
  cl_uint argument = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (memory[i] == nullptr) continue;
    const cl_mem buffer = state_->buffer(memory[i], bytes[i]);
    expect(clSetKernelArg(k, argument++, sizeof buffer, &buffer), "clSetKernelArg");
  }
  expect(clSetKernelArg(k, argument, sizeof last, &last), "clSetKernelArg");
  const cl_uint axes = threads[1] == 0 ? 1 : 2;
  expect(clEnqueueNDRangeKernel(state_->queue, k, axes, nullptr, threads.data(), group.data(), 0,
                                nullptr, nullptr),
         "clEnqueueNDRangeKernel");
  expect(clFinish(state_->queue), "clFinish");
}

}  // namespace warpfold::bench
