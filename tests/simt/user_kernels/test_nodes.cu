// Graphs built node by node, launches by address, and kernels that launch kernels.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

__global__ void add_to_all(int* p, int k) { p[threadIdx.x] += k; }
template <class T>
__global__ void times(T* p, T k) {
  p[threadIdx.x] *= k;
}
__global__ void count_down(int* p, cudaGraphConditionalHandle handle) {
  if (--p[0] == 0) cudaGraphSetConditional(handle, 0);
}
__device__ int four[4];
__global__ void append(int* list, int value) { list[++list[0]] = value; }
__global__ void begins_others(int* list) {
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 7);
  append<<<1, 1>>>(list, 5);
  append<<<1, 1>>>(list, 6);
  list[++list[0]] = 4;
}
__global__ void waits_for_others(int* list) {
  append<<<1, 1>>>(list, 5);
  cudaDeviceSynchronize();
}

struct nodes : testing::Test {
  int* p = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t found_node = nullptr;

  void SetUp() override {
    ASSERT_EQ(cudaMallocManaged(&p, 8 * sizeof(int)), cudaSuccess);
    std::iota(p, p + 8, 0);
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  }
  void TearDown() override { cudaDeviceReset(); }

  static cudaKernelNodeParams of(void* kernel, void** arguments) {
    cudaKernelNodeParams params{};
    params.func = kernel;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = arguments;
    return params;
  }
  void launch() {
    if (exec == nullptr) ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  }
  [[nodiscard]] std::vector<int> first(int n) const { return {p, p + n}; }
};

TEST_F(nodes, run_as_their_dependencies_say) {
  int k = 5, factor = 2;
  void *add_arguments[] = {&p, &k}, *times_arguments[] = {&p, &factor};
  const auto adds = of((void*)add_to_all, add_arguments);
  const auto multiplies = of((void*)times<int>, times_arguments);
  cudaGraphNode_t later = nullptr, sooner = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&later, graph, nullptr, 0, &multiplies), cudaSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&sooner, graph, nullptr, 0, &adds), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &sooner, &later, 1), cudaSuccess);
  k = 1000;  // arguments were read when the node was made
  launch();
  EXPECT_THAT(first(3), ElementsAre(10, 12, 14));

  k = 1;
  ASSERT_EQ(cudaGraphExecKernelNodeSetParams(exec, sooner, &adds), cudaSuccess);
  launch();
  EXPECT_THAT(first(2), ElementsAre(22, 26));

  ASSERT_EQ(cudaGraphAddDependencies(graph, &later, &sooner, 1), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("form a cycle"));
}

TEST_F(nodes, copy_fill_call_and_have_children) {
  const int source[2] = {70, 80};
  int seen = 0;
  cudaGraphNode_t copied = nullptr, filled = nullptr, called = nullptr, child = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, p, source, sizeof source,
                                     cudaMemcpyHostToDevice),
            cudaSuccess);
  cudaMemsetParams fill{};
  fill.dst = p + 2;
  fill.value = 0x01020304;
  fill.elementSize = 4;
  fill.width = 2;
  fill.height = 1;
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph, &copied, 1, &fill), cudaSuccess);
  const std::pair<int*, int*> both{p, &seen};
  const cudaHostNodeParams call{[](void* data) {
                                  const auto& [from, to] =
                                      *static_cast<const std::pair<int*, int*>*>(data);
                                  *to = from[0] + from[2];
                                },
                                const_cast<std::pair<int*, int*>*>(&both)};
  ASSERT_EQ(cudaGraphAddHostNode(&called, graph, &filled, 1, &call), cudaSuccess);
  cudaGraph_t outer = nullptr;
  ASSERT_EQ(cudaGraphCreate(&outer, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph), cudaSuccess);
  std::swap(graph, outer);
  launch();
  EXPECT_THAT(first(5), ElementsAre(70, 80, 0x01020304, 0x01020304, 4));
  EXPECT_EQ(seen, 70 + 0x01020304);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(child, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeGraph);
}

TEST_F(nodes, tell_what_they_were_given) {
  cudaMemsetParams fill{};
  fill.dst = p;
  fill.elementSize = fill.height = 1;
  fill.width = 4;
  cudaGraphNode_t filled = nullptr, copied = nullptr, recorded = nullptr;
  ASSERT_EQ(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill), cudaSuccess);
  ASSERT_EQ(
      cudaGraphAddMemcpyNode1D(&copied, graph, &filled, 1, p + 4, p, 8, cudaMemcpyDeviceToDevice),
      cudaSuccess);
  cudaMemsetParams filling{};
  ASSERT_EQ(cudaGraphMemsetNodeGetParams(filled, &filling), cudaSuccess);
  EXPECT_EQ(filling.dst, p);
  cudaMemcpy3DParms copying{};
  ASSERT_EQ(cudaGraphMemcpyNodeGetParams(copied, &copying), cudaSuccess);
  EXPECT_EQ(copying.dstPtr.ptr, p + 4);
  EXPECT_EQ(copying.extent.width, 8U);
  EXPECT_EQ(cudaGraphMemsetNodeGetParams(copied, &filling), cudaErrorInvalidValue);
  cudaEvent_t first = nullptr, second = nullptr, found = nullptr;
  ASSERT_EQ(cudaEventCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&second), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&recorded, graph, &copied, 1, first), cudaSuccess);
  ASSERT_EQ(cudaGraphEventRecordNodeSetEvent(recorded, second), cudaSuccess);
  EXPECT_EQ(cudaGraphEventRecordNodeGetEvent(recorded, &found), cudaSuccess);
  EXPECT_EQ(found, second);
  EXPECT_EQ(cudaGraphEventWaitNodeGetEvent(recorded, &found), cudaErrorInvalidValue);
  std::size_t count = 1;
  ASSERT_EQ(cudaGraphNodeGetDependentNodes(filled, &found_node, &count), cudaSuccess);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(found_node, copied);
}

TEST_F(nodes, a_graph_made_ready_with_parameters_says_what_is_wrong) {
  int k = 5;
  void* arguments[] = {&p, &k};
  const auto adds = of((void*)add_to_all, arguments);
  cudaGraphNode_t one = nullptr, two = nullptr, three = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&one, graph, nullptr, 0, &adds), cudaSuccess);
  cudaGraphInstantiateParams params{};
  params.flags = cudaGraphInstantiateFlagUpload;
  params.errNode_out = one;
  params.result_out = cudaGraphInstantiateError;
  ASSERT_EQ(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaSuccess);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateSuccess);
  EXPECT_EQ(params.errNode_out, nullptr);
  launch();
  EXPECT_THAT(first(2), ElementsAre(5, 6));

  testing::internal::CaptureStderr();
  const cudaHostNodeParams call{[](void*) {}, nullptr};
  ASSERT_EQ(cudaGraphAddHostNode(&two, graph, &one, 1, &call), cudaSuccess);
  cudaGraphExec_t other = nullptr;
  params.flags = cudaGraphInstantiateFlagDeviceLaunch;
  EXPECT_NE(cudaGraphInstantiateWithParams(&other, graph, &params), cudaSuccess);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateNodeOperationNotSupported);
  EXPECT_EQ(params.errNode_out, two);

  ASSERT_EQ(cudaGraphAddEmptyNode(&three, graph, &two, 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &three, &two, 1), cudaSuccess);
  params.flags = 0;
  EXPECT_EQ(cudaGraphInstantiateWithParams(&other, graph, &params), cudaErrorInvalidValue);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateInvalidStructure);
  EXPECT_EQ(params.errNode_out, two);
  testing::internal::GetCapturedStderr();
}

TEST_F(nodes, are_given_other_parameters_by_their_type) {
  int k = 5;
  void* arguments[] = {&p, &k};
  const auto adds = of((void*)add_to_all, arguments);
  cudaGraphNode_t node = nullptr, memory = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &adds), cudaSuccess);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  k = 7;
  params.kernel = adds;
  ASSERT_EQ(cudaGraphNodeSetParams(node, &params), cudaSuccess);
  launch();
  EXPECT_THAT(first(2), ElementsAre(7, 8));
  k = 10;
  ASSERT_EQ(cudaGraphExecNodeSetParams(exec, node, &params), cudaSuccess);
  launch();
  EXPECT_THAT(first(2), ElementsAre(17, 18));
  params.type = cudaGraphNodeTypeEmpty;
  EXPECT_EQ(cudaGraphNodeSetParams(node, &params), cudaErrorInvalidValue);

  cudaMemAllocNodeParams given{}, told{};
  given.poolProps.allocType = cudaMemAllocationTypePinned;
  given.poolProps.location.type = cudaMemLocationTypeDevice;
  given.bytesize = 256;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &given), cudaSuccess);
  ASSERT_EQ(cudaGraphMemAllocNodeGetParams(memory, &told), cudaSuccess);
  EXPECT_EQ(told.dptr, given.dptr);
  EXPECT_EQ(told.bytesize, 256U);
  EXPECT_EQ(cudaGraphMemAllocNodeGetParams(node, &told), cudaErrorInvalidValue);
}

TEST_F(nodes, are_left_out_of_a_launch) {
  int k = 5;
  void* arguments[] = {&p, &k};
  const auto adds = of((void*)add_to_all, arguments);
  cudaGraphNode_t node = nullptr, empty = nullptr;
  ASSERT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &adds), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0), cudaSuccess);
  launch();
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec, node, 0), cudaSuccess);
  launch();
  EXPECT_THAT(first(2), ElementsAre(5, 6));
  unsigned enabled = 1;
  ASSERT_EQ(cudaGraphNodeGetEnabled(exec, node, &enabled), cudaSuccess);
  EXPECT_EQ(enabled, 0U);
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec, node, 1), cudaSuccess);
  launch();
  EXPECT_THAT(first(2), ElementsAre(10, 11));
  EXPECT_EQ(cudaGraphNodeSetEnabled(exec, empty, 0), cudaErrorInvalidValue);
}

TEST_F(nodes, copy_to_and_from_variables_of_the_device) {
  cudaGraphNode_t there = nullptr, back = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNodeToSymbol(&there, graph, nullptr, 0, four, p, 8, 8,
                                           cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &there, 1, p + 4, four, 16, 0,
                                             cudaMemcpyDeviceToDevice),
            cudaSuccess);
  p[0] = 70;
  launch();
  EXPECT_THAT(first(8), ElementsAre(70, 1, 2, 3, 0, 0, 70, 1));
  ASSERT_EQ(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, back, p + 4, four, 8, 8,
                                                       cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, there, four, p + 1, 8, 8,
                                                     cudaMemcpyDeviceToDevice),
            cudaSuccess);
  launch();
  EXPECT_THAT(first(8), ElementsAre(70, 1, 2, 3, 1, 2, 70, 1));
}

TEST_F(nodes, objects_live_as_long_as_a_graph_holds_them) {
  int gone = 0;
  cudaUserObject_t object = nullptr;
  const auto destroy = [](void* data) { ++*static_cast<int*>(data); };
  ASSERT_EQ(cudaUserObjectCreate(&object, &gone, destroy, 1, cudaUserObjectNoDestructorSync),
            cudaSuccess);
  ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
  launch();
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(gone, 0) << "the graph that is ready to run has it";
  ASSERT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(gone, 1);
}

TEST_F(nodes, repeat_while_a_kernel_says_so) {
  cudaGraphConditionalHandle handle = 0;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t loop = nullptr, body = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&loop, graph, nullptr, 0, &params), cudaSuccess);
  void* arguments[] = {&p, &handle};
  auto counts = of((void*)count_down, arguments);
  counts.blockDim = dim3(1);
  ASSERT_EQ(cudaGraphAddKernelNode(&body, params.conditional.phGraph_out[0], nullptr, 0, &counts),
            cudaSuccess);
  for (const int begin : {5, 3}) {
    p[0] = begin;
    launch();
    EXPECT_EQ(p[0], 0);
  }
}

TEST_F(nodes, come_from_captured_launches) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  add_to_all<<<1, 4, 0, stream>>>(p, 3);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(p[0], 0);
  launch();
  launch();
  EXPECT_THAT(first(2), ElementsAre(6, 7));
}

TEST_F(nodes, are_captured_into_a_graph_that_is_there) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const auto begin = [&] {
    return cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                         cudaStreamCaptureModeRelaxed);
  };
  ASSERT_EQ(begin(), cudaSuccess);
  add_to_all<<<1, 4, 0, stream>>>(p, 10);
  EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaSuccess) << "the caller has it";
  launch();
  EXPECT_THAT(first(5), ElementsAre(10, 11, 12, 13, 4));
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaErrorInvalidValue);
}

TEST_F(nodes, kernels_are_launched_by_their_address) {
  int k = 4;
  void* arguments[] = {&p, &k};
  const void* const kernel = (const void*)add_to_all;
  EXPECT_EQ(cudaLaunchKernel(kernel, dim3(1), dim3(2), arguments, 0, nullptr), cudaSuccess);
  EXPECT_THAT(first(3), ElementsAre(4, 5, 2));
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaLaunchKernel(static_cast<const void*>(&k), dim3(1), dim3(2), arguments, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("type is lost"));
}

TEST_F(nodes, children_of_a_kernel_run_in_order_and_tails_last) {
  begins_others<<<1, 1>>>(p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(first(5), ElementsAre(4, 4, 5, 6, 7));
  const auto report = simt::inspect([&] { waits_for_others<<<1, 1>>>(p); });
  ASSERT_FALSE(report.errors().empty());
  EXPECT_THAT(report.errors().front(), HasSubstr("cudaStreamTailLaunch"));
}

}  // namespace
