// Graphs built by hand: nodes, and what they do.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "simt/cudart/captures.hpp"
#include "simt/runtime_kernels.hpp"

namespace {

using simt::detail::bad_graph;
using simt::detail::graph_node;
using simt::detail::guarded;
using simt::detail::remember;
using simt::detail::sticky_error;

cudaError_t add(const char* call, cudaGraphNode_t* node, cudaGraph_t graph,
                const cudaGraphNode_t* after, std::size_t count, graph_node made) {
  return guarded([&] {
    if (graph == nullptr) return bad_graph(call);
    for (std::size_t i = 0; i < count; ++i) {
      if (after[i] == nullptr || after[i]->graph != graph) return bad_graph(call);
      made.after.push_back(after[i]->number);
    }
    graph->nodes.push_back(std::move(made));
    *node = graph->handle(graph->nodes.size() - 1);
    return cudaSuccess;
  });
}

/// Makes the node at `at` one that does something else; the type stays.
cudaError_t replace(const char* call, graph_node& at, const graph_node& by) {
  if (at.type != by.type) return remember(cudaErrorInvalidValue, call, "a node of another type");
  at.work = by.work;
  at.what = by.what;
  at.kernel = by.kernel;
  at.params = by.params;
  return cudaSuccess;
}
cudaError_t replace(const char* call, cudaGraphExec_t exec, cudaGraphNode_t node,
                    const graph_node& by) {
  if (exec == nullptr || node == nullptr || node->number >= exec->nodes.size()) {
    return bad_graph(call);
  }
  return replace(call, exec->nodes[node->number], by);
}
cudaError_t replace(const char* call, cudaGraphNode_t node, const graph_node& by) {
  if (node == nullptr) return bad_graph(call);
  return replace(call, node->graph->nodes[node->number], by);
}

/// Its arguments are read now.
cudaError_t kernel_node(const char* call, const cudaKernelNodeParams& p, graph_node& made) {
  const auto* const type = simt::detail::find_kernel(p.func);
  if (type == nullptr) {
    return remember(cudaErrorInvalidDeviceFunction, call,
                    "the kernel's type is lost; cast the kernel itself, as in (void*)kernel");
  }
  if (p.kernelParams == nullptr && type->parameters != 0) {
    return remember(cudaErrorInvalidValue, call,
                    "no kernelParams; arguments in `extra` are not read here");
  }
  const simt::launch_config config{
      .grid = p.gridDim, .block = p.blockDim, .shared_bytes = p.sharedMemBytes};
  if (const auto e = simt::detail::check_limits(config, p.func); e != cudaSuccess) return e;
  const auto kept = type->keep(p.func, p.kernelParams);
  made.type = cudaGraphNodeTypeKernel;
  made.kernel = p;
  made.kernel.kernelParams = type->arguments(kept.get());
  made.work = [=, enter = type->enter, kernel = p.func] {
    return simt::detail::run_with_status(config, kernel, enter, kept.get());
  };
  return cudaSuccess;
}
graph_node copy_node(const cudaMemcpy3DParms& p) {
  return {.work = [p] { return cudaMemcpy3D(&p); }, .type = cudaGraphNodeTypeMemcpy, .params = p};
}
graph_node copy_node(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), bytes, bytes, 1);
  p.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
  p.extent = make_cudaExtent(bytes, 1, 1);
  p.kind = kind;
  return {.what = {.bytes = bytes},
          .work = [=] { return cudaMemcpy(to, from, bytes, kind); },
          .type = cudaGraphNodeTypeMemcpy,
          .params = p};
}
graph_node fill_node(const cudaMemsetParams& p) {
  return {.what = {.bytes = p.width * p.height * p.elementSize},
          .work =
              [p] {
                if (p.elementSize == 1) {
                  return cudaMemset2D(p.dst, std::max(p.pitch, p.width), static_cast<int>(p.value),
                                      p.width, p.height);
                }
                std::vector<std::byte> row(p.width * p.elementSize);
                for (std::size_t i = 0; i < row.size(); i += p.elementSize) {
                  std::memcpy(&row[i], &p.value, p.elementSize);
                }
                for (std::size_t y = 0; y < p.height; ++y) {
                  auto* const to = static_cast<std::byte*>(p.dst) + y * p.pitch;
                  const cudaError_t status =
                      cudaMemcpy(to, row.data(), row.size(), cudaMemcpyHostToDevice);
                  if (status != cudaSuccess) return status;
                }
                return cudaSuccess;
              },
          .type = cudaGraphNodeTypeMemset,
          .params = p};
}
graph_node host_node(const cudaHostNodeParams& p) {
  return {.what = {.where = simt::engine::callback},
          .work =
              [p] {
                p.fn(p.userData);
                return cudaSuccess;
              },
          .type = cudaGraphNodeTypeHost,
          .params = p};
}

std::shared_ptr<CUgraph_st> child_of(const std::vector<graph_node>& nodes) {
  auto child = std::make_shared<CUgraph_st>();
  child->nodes = nodes;
  child->is_child = true;
  return child;
}

graph_node conditional_node(cudaConditionalNodeParams& p) {
  auto* const handle = reinterpret_cast<simt::detail::condition*>(p.handle);
  std::vector<std::shared_ptr<CUgraph_st>> bodies;
  for (unsigned i = 0; i < std::max(p.size, 1U); ++i) bodies.push_back(child_of({}));
  // CUDA gives out an array of its own, which lives as long as the node.
  auto given = std::make_shared<std::vector<cudaGraph_t>>();
  for (const auto& b : bodies) given->push_back(b.get());
  p.phGraph_out = given->data();
  return {.work =
              [=, type = p.type] {
                const auto run = [&](std::size_t i) {
                  return simt::detail::run_nodes(bodies[i]->nodes);
                };
                const unsigned value = handle->value;
                if (type == cudaGraphCondTypeSwitch) {
                  return value < bodies.size() ? run(value) : cudaSuccess;
                }
                if (type == cudaGraphCondTypeIf) {
                  if (value != 0) return run(0);
                  return bodies.size() > 1 ? run(1) : cudaSuccess;
                }
                while (handle->value != 0) {
                  if (const cudaError_t status = run(0); status != cudaSuccess) return status;
                }
                static_cast<void>(given);
                return cudaSuccess;
              },
          .type = cudaGraphNodeTypeConditional};
}

}  // namespace

cudaError_t simt::detail::bad_graph(const char* call) {
  return remember(cudaErrorInvalidValue, call, "not a graph, or a node of another graph");
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return sticky_error();
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
  return add("cudaGraphAddEmptyNode", node, graph, after, count, {.type = cudaGraphNodeTypeEmpty});
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* params) {
  graph_node made;
  const cudaError_t status = kernel_node("cudaGraphAddKernelNode", *params, made);
  return status != cudaSuccess
             ? status
             : add("cudaGraphAddKernelNode", node, graph, after, count, std::move(made));
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  *params = node->graph->nodes[node->number].kernel;
  if (params->func != nullptr) return cudaSuccess;
  return remember(cudaErrorInvalidValue, "cudaGraphKernelNodeGetParams",
                  "a captured node, or one that is not a kernel");
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  graph_node made;
  const cudaError_t status = kernel_node("cudaGraphKernelNodeSetParams", *params, made);
  return status != cudaSuccess ? status : replace("cudaGraphKernelNodeSetParams", node, made);
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t, cudaLaunchAttributeID,
                                            const cudaLaunchAttributeValue*) {
  return sticky_error();
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  graph_node made;
  const cudaError_t status = kernel_node("cudaGraphExecKernelNodeSetParams", *params, made);
  return status != cudaSuccess ? status
                               : replace("cudaGraphExecKernelNodeSetParams", exec, node, made);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add("cudaGraphAddMemcpyNode", node, graph, after, count, copy_node(*params));
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return replace("cudaGraphMemcpyNodeSetParams", node, copy_node(*params));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return replace("cudaGraphExecMemcpyNodeSetParams", exec, node, copy_node(*params));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", node, graph, after, count,
             copy_node(to, from, bytes, kind));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return replace("cudaGraphMemcpyNodeSetParams1D", node, copy_node(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  return replace("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
                 copy_node(to, from, bytes, kind));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* params) {
  return add("cudaGraphAddMemsetNode", node, graph, after, count, fill_node(*params));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return replace("cudaGraphMemsetNodeSetParams", node, fill_node(*params));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return replace("cudaGraphExecMemsetNodeSetParams", exec, node, fill_node(*params));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* params) {
  return add("cudaGraphAddHostNode", node, graph, after, count, host_node(*params));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return replace("cudaGraphHostNodeSetParams", node, host_node(*params));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return replace("cudaGraphExecHostNodeSetParams", exec, node, host_node(*params));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
  if (child == nullptr) return bad_graph("cudaGraphAddChildGraphNode");
  auto kept = child_of(child->nodes);
  return add("cudaGraphAddChildGraphNode", node, graph, after, count,
             {.work = [kept] { return simt::detail::run_nodes(kept->nodes); },
              .type = cudaGraphNodeTypeGraph,
              .child = kept});
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  *child = node->graph->nodes[node->number].child.get();
  return *child != nullptr ? cudaSuccess : bad_graph("cudaGraphChildGraphNodeGetGraph");
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count,
                                        cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", node, graph, after, count,
             {.records = event, .type = cudaGraphNodeTypeEventRecord});
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, std::size_t count,
                                      cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", node, graph, after, count,
             {.type = cudaGraphNodeTypeWaitEvent, .waits_for = event});
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count,
                                     cudaMemAllocNodeParams* params) {
  constexpr const char* call = "cudaGraphAddMemAllocNode";
  cudaError_t status = cudaSuccess;
  auto memory = simt::detail::graph_memory::make(call, params->bytesize, status);
  if (memory == nullptr) return status;
  params->dptr = memory->pointer();
  auto made = simt::detail::allocation_node(std::move(memory));
  made.params = *params;
  return add(call, node, graph, after, count, std::move(made));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, std::size_t count,
                                    void* pointer) {
  return add("cudaGraphAddMemFreeNode", node, graph, after, count,
             simt::detail::free_node(pointer));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
  if (graph == nullptr) return bad_graph("cudaGraphConditionalHandleCreate");
  auto made = std::make_shared<simt::detail::condition>();
  made->at_launch = value;
  made->is_set_at_launch = (flags & cudaGraphCondAssignDefault) != 0;
  *handle = reinterpret_cast<cudaGraphConditionalHandle>(made.get());
  graph->conditions.push_back(std::move(made));
  return sticky_error();
}
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
  reinterpret_cast<simt::detail::condition*>(handle)->value = value;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             std::size_t count, cudaGraphNodeParams* p) {
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, after, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, after, count, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, after, count, &p->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, after, count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add("cudaGraphAddNode", node, graph, after, count, conditional_node(p->conditional));
  }
  return remember(cudaErrorInvalidValue, "cudaGraphAddNode", "unknown type of node");
}
