// What a graph's nodes were given and what may be changed of them; objects that graphs hold.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "simt/cudart/captures.hpp"

namespace {

using simt::detail::bad_graph;
using simt::detail::graph_node;
using simt::detail::remember;
using simt::detail::sticky_error;

graph_node& at(cudaGraphNode_t node) { return node->graph->nodes[node->number]; }

template <class Params>
cudaError_t give_params(const char* call, cudaGraphNode_t node, Params* params) {
  if (node == nullptr) return bad_graph(call);
  const auto* const kept = std::get_if<Params>(&at(node).params);
  if (kept == nullptr) {
    return remember(cudaErrorInvalidValue, call, "a node that was captured, or of another type");
  }
  *params = *kept;
  return sticky_error();
}

/// The node of a graph that is ready to run; null with an error where it is of another type.
graph_node* ready_node(const char* call, cudaGraphExec_t exec, cudaGraphNode_t node,
                       cudaError_t& status) {
  if (exec == nullptr || node == nullptr || node->number >= exec->nodes.size()) {
    status = bad_graph(call);
    return nullptr;
  }
  status = sticky_error();
  return &exec->nodes[node->number];
}

/// `event` is the member that holds it.
cudaError_t set_event(const char* call, graph_node* node, cudaEvent_t graph_node::*event,
                      cudaEvent_t value) {
  if (node->*event == nullptr) {
    return remember(cudaErrorInvalidValue, call, "the node is of another type");
  }
  node->*event = value;
  return sticky_error();
}
cudaError_t get_event(const char* call, cudaGraphNode_t node, cudaEvent_t graph_node::*event,
                      cudaEvent_t* value) {
  if (node == nullptr) return bad_graph(call);
  *value = at(node).*event;
  return *value != nullptr ? sticky_error()
                           : remember(cudaErrorInvalidValue, call, "the node is of another type");
}
cudaError_t set_ready_event(const char* call, cudaGraphExec_t exec, cudaGraphNode_t node,
                            cudaEvent_t graph_node::*event, cudaEvent_t value) {
  cudaError_t status = cudaSuccess;
  graph_node* const n = ready_node(call, exec, node, status);
  return n == nullptr ? status : set_event(call, n, event, value);
}

std::mutex user_objects_mutex;
std::vector<std::shared_ptr<CUuserObject_st>> held;  // by the program

}  // namespace

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return give_params("cudaGraphMemcpyNodeGetParams", node, params);
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return give_params("cudaGraphMemsetNodeGetParams", node, params);
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return give_params("cudaGraphHostNodeGetParams", node, params);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return give_params("cudaGraphMemAllocNodeGetParams", node, params);
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  if (node == nullptr || at(node).frees == nullptr) {
    return bad_graph("cudaGraphMemFreeNodeGetParams");
  }
  *static_cast<void**>(pointer) = at(node).frees;
  return sticky_error();
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event("cudaGraphEventRecordNodeGetEvent", node, &graph_node::records, event);
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_event("cudaGraphEventRecordNodeSetEvent", &at(node), &graph_node::records, event);
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set_ready_event("cudaGraphExecEventRecordNodeSetEvent", exec, node, &graph_node::records,
                         event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return get_event("cudaGraphEventWaitNodeGetEvent", node, &graph_node::waits_for, event);
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set_event("cudaGraphEventWaitNodeSetEvent", &at(node), &graph_node::waits_for, event);
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set_ready_event("cudaGraphExecEventWaitNodeSetEvent", exec, node, &graph_node::waits_for,
                         event);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  constexpr const char* call = "cudaGraphExecChildGraphNodeSetParams";
  cudaError_t status = cudaSuccess;
  graph_node* const n = ready_node(call, exec, node, status);
  if (n == nullptr) return status;
  if (child == nullptr || n->type != cudaGraphNodeTypeGraph) return bad_graph(call);
  n->work = [nodes = child->nodes] { return simt::detail::run_nodes(nodes); };
  return status;
}
// Attributes are about caches and priorities, and have no effect.
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t, cudaLaunchAttributeID,
                                            cudaLaunchAttributeValue* value) {
  *value = {};
  return sticky_error();
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t, cudaGraphNode_t) {
  return sticky_error();
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  constexpr const char* call = "cudaGraphNodeSetEnabled";
  cudaError_t status = cudaSuccess;
  graph_node* const n = ready_node(call, exec, node, status);
  if (n == nullptr) return status;
  if (n->type != cudaGraphNodeTypeKernel && n->type != cudaGraphNodeTypeMemset &&
      n->type != cudaGraphNodeTypeMemcpy) {
    return remember(cudaErrorInvalidValue, call, "only kernels, copies and fills can be disabled");
  }
  n->enabled = enabled != 0;
  return status;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  cudaError_t status = cudaSuccess;
  const graph_node* const n = ready_node("cudaGraphNodeGetEnabled", exec, node, status);
  if (n != nullptr) *enabled = n->enabled ? 1 : 0;
  return status;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  *flags = exec->flags;
  return sticky_error();
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned count, unsigned) {
  const std::scoped_lock lock(user_objects_mutex);
  held.emplace_back(new CUuserObject_st{data, destroy, count});
  *object = held.back().get();
  return sticky_error();
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  const std::scoped_lock lock(user_objects_mutex);
  object->holders += count;
  return sticky_error();
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  std::shared_ptr<CUuserObject_st> last;  // its destructor calls the program
  const std::scoped_lock lock(user_objects_mutex);
  object->holders -= std::min(count, object->holders);
  if (object->holders != 0) return sticky_error();
  const auto found =
      std::find_if(held.begin(), held.end(), [=](const auto& o) { return o.get() == object; });
  if (found != held.end()) {
    last = std::move(*found);
    held.erase(found);
  }
  return sticky_error();
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  {
    const std::scoped_lock lock(user_objects_mutex);
    const auto found =
        std::find_if(held.begin(), held.end(), [=](const auto& o) { return o.get() == object; });
    if (found == held.end()) {
      return remember(cudaErrorInvalidValue, "cudaGraphRetainUserObject",
                      "the object was destroyed");
    }
    graph->holds.insert(graph->holds.end(), count, *found);
  }
  const bool moves = (flags & cudaGraphUserObjectMove) != 0;
  return moves ? cudaUserObjectRelease(object, count) : sticky_error();
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  for (; count != 0; --count) {
    const auto found = std::find_if(graph->holds.begin(), graph->holds.end(),
                                    [=](const auto& o) { return o.get() == object; });
    if (found == graph->holds.end()) break;
    graph->holds.erase(found);
  }
  return sticky_error();
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphKernelNodeSetParams(node, &p->kernel);
    case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &p->host);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    default: break;
  }
  return remember(cudaErrorInvalidValue, "cudaGraphNodeSetParams",
                  "nodes of this type cannot be changed");
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphExecKernelNodeSetParams(exec, node, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphExecMemsetNodeSetParams(exec, node, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(exec, node, &p->host);
    case cudaGraphNodeTypeGraph:
      return cudaGraphExecChildGraphNodeSetParams(exec, node, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphExecEventWaitNodeSetEvent(exec, node, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphExecEventRecordNodeSetEvent(exec, node, p->eventRecord.event);
    default: break;
  }
  return remember(cudaErrorInvalidValue, "cudaGraphExecNodeSetParams",
                  "nodes of this type cannot be changed");
}
