#include "simt/cudart/captures.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "simt/src/memory/guard.hpp"

namespace simt {

namespace detail {

namespace {
std::mutex captures_mutex;
std::map<cudaStream_t, std::shared_ptr<capture>> capturing;
std::atomic<bool> any_capture{false};  // asked at each launch
}  // namespace

void capture::add(cudaStream_t stream, graph_node node) {
  node.stream = stream;
  node.after = tails[stream];
  if (const auto* const line = current_timeline(); line != nullptr) node.label = line->label;
  tails[stream] = {nodes.size()};
  nodes.push_back(std::move(node));
}

bool capture::is_joined() const {
  std::set<std::size_t> reached;
  tail open = tails.at(origin);
  while (!open.empty()) {
    const std::size_t id = open.back();
    open.pop_back();
    if (!reached.insert(id).second) continue;
    open.insert(open.end(), nodes[id].after.begin(), nodes[id].after.end());
  }
  return reached.size() == nodes.size();
}

std::shared_ptr<capture> capture_of(cudaStream_t stream) {
  if (!any_capture) return nullptr;
  const std::scoped_lock lock(captures_mutex);
  const auto found = capturing.find(stream);
  return found != capturing.end() ? found->second : nullptr;
}

std::shared_ptr<capture> capture_with(cudaEvent_t event) {
  if (!any_capture || !event->captured) return nullptr;
  const std::scoped_lock lock(captures_mutex);
  for (const auto& [stream, c] : capturing) {
    if (c->events.contains(event)) return c;
  }
  return nullptr;
}

void join_capture(cudaStream_t stream, const std::shared_ptr<capture>& into) {
  const std::scoped_lock lock(captures_mutex);
  capturing[stream] = into;
  into->tails.try_emplace(stream);
  any_capture = true;
}

void begin_capture(cudaStream_t stream) {
  auto c = std::make_shared<capture>();
  c->origin = stream;
  join_capture(stream, c);
}

void end_capture(const std::shared_ptr<capture>& c) {
  const std::scoped_lock lock(captures_mutex);
  std::erase_if(capturing, [&](const auto& entry) { return entry.second == c; });
  any_capture = !capturing.empty();
}

cudaError_t refuse_in_capture(const char* call, cudaStream_t stream) {
  const auto c = capture_of(stream);
  if (c == nullptr) return cudaSuccess;
  c->broken = true;
  return remember(cudaErrorStreamCaptureUnsupported, call,
                  "the stream is being captured, and a graph cannot contain this operation");
}

cudaError_t refuse_beside_capture(const char* call, cudaStream_t stream) {
  if (!any_capture || !is_legacy(stream)) return cudaSuccess;
  const std::scoped_lock lock(captures_mutex);
  for (const auto& [other, c] : capturing) {
    if (!waits_for_legacy(other)) continue;
    c->broken = true;
    return remember(cudaErrorStreamCaptureImplicit, call,
                    "the default stream waits for a stream that is being captured; create that "
                    "stream with cudaStreamNonBlocking, or use another stream here");
  }
  return cudaSuccess;
}

cudaError_t enqueue(const char* call, cudaStream_t stream, const operation& what,
                    const std::function<cudaError_t()>& status_of_work) {
  return guarded([&] {
    if (!is_stream(stream)) return bad_stream(call);
    if (const auto c = capture_of(stream); c != nullptr) {
      c->add(stream, {.what = what, .work = status_of_work});
      return cudaSuccess;
    }
    if (const auto e = refuse_beside_capture(call, stream); e != cudaSuccess) return e;
    const cudaError_t status = status_of_work();
    if (auto* const line = current_timeline(); line != nullptr && status == cudaSuccess) {
      line->put(stream, what);
    }
    return status;
  });
}

void capture_launch(const launch_config& config, const void* kernel,
                    void (*body)(void*, const void*), std::shared_ptr<void> arguments) {
  auto* const stream = static_cast<cudaStream_t>(config.stream);
  const auto* const line = current_timeline();
  const operation what{.bytes = line != nullptr ? line->kernel_bytes : 0};
  const auto c = capture_of(stream);
  c->add(stream, {.what = what, .work = [=, kept = std::move(arguments)] {
                    return run_with_status(config, kernel, body, kept.get());
                  }});
}

std::shared_ptr<void> keep_bytes(const void* original, std::size_t size, std::size_t alignment) {
  const auto how = std::align_val_t{alignment};
  const std::shared_ptr<void> kept(::operator new(size, how),
                                   [how](void* bytes) { ::operator delete(bytes, how); });
  std::memcpy(kept.get(), original, size);
  return kept;
}

void launch_in_stream(const launch_config& config, const void* kernel, entry body, void* arguments,
                      keeper keep) {
  if (simt::is_capturing(config.stream)) {
    return capture_launch(config, kernel, body, keep(arguments));
  }
  run_grid(config, kernel, body, arguments);
  if (auto* const line = current_timeline(); line != nullptr) {
    line->put(config.stream, {.bytes = line->kernel_bytes});
  }
}

}  // namespace detail

bool is_capturing(void* stream) {
  return detail::capture_of(static_cast<cudaStream_t>(stream)) != nullptr;
}

void submit(void* stream, const operation& what, const std::function<void()>& work) {
  auto* const s = static_cast<cudaStream_t>(stream);
  if (const auto c = detail::capture_of(s); c != nullptr) {
    c->add(s, {.what = what, .work = [=] {
                 const detail::device_memory_open open;
                 work();
                 return cudaSuccess;
               }});
    return;
  }
  {
    const detail::device_memory_open open;
    work();
  }
  if (auto* const line = detail::current_timeline(); line != nullptr) line->put(stream, what);
}

void wait_for(void* stream) {
  if (auto* const line = detail::current_timeline(); line != nullptr) {
    line->call();
    line->wait(line->before(stream));
  }
}

}  // namespace simt
