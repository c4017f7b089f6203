// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "errors.hpp"
#include "objects.hpp"
#include "primitives.hpp"

namespace hyperplane::c {

using ContextPointer = std::shared_ptr<const run_time::Context>;

/// An object with the context that it belongs to.
template <class T>
struct Held {
  ContextPointer context;
  std::unique_ptr<T> object;
};

struct ContextHolder {
  ContextPointer context;
};

/// A method with what hyperplane_krylov_solve() needs beside it.
struct KrylovObject {
  std::unique_ptr<run_time::Krylov> method;
  std::unique_ptr<run_time::Preconditioner> identity;
  std::vector<double> history;
};

/// How a call fails: its status with a message.
class Failure : public Error {
 public:
  Failure(hyperplane_status status, const std::string& message) : Error(message), m_status(status) {}
  hyperplane_status status() const { return m_status; }

 private:
  hyperplane_status m_status;
};

/// A kind of objects: the handles of the C interface, and what they stand for.
template <class Handle, class Object_>
struct Kind {
  using Object = Object_;
  const char* name;
};

template <class... Kinds>
struct KindTable : Kinds... {
  using AnyPointer = std::variant<std::shared_ptr<typename Kinds::Object>...>;
};
template <class... Kinds>
KindTable(Kinds...) -> KindTable<Kinds...>;

inline constexpr KindTable kinds{
    Kind<hyperplane_context, ContextHolder>{"context"},
    Kind<hyperplane_vector, Held<run_time::Vector>>{"vector"},
    Kind<hyperplane_matrix, Held<run_time::Matrix>>{"matrix"},
    Kind<hyperplane_preconditioner, Held<run_time::Preconditioner>>{"preconditioner"},
    Kind<hyperplane_packer, Held<run_time::Packer>>{"packer"},
    Kind<hyperplane_relaxation, Held<run_time::Relaxation>>{"relaxation"},
    Kind<hyperplane_line_solver, Held<run_time::LineSolver>>{"line solver"},
    Kind<hyperplane_krylov, Held<KrylovObject>>{"krylov"},
};

/// The only one of the table that has this handle.
template <class Handle, class Object>
constexpr const Kind<Handle, Object>& kind_of(const Kind<Handle, Object>& kind) {
  return kind;
}
template <class Handle>
using ObjectOf = typename std::remove_cvref_t<decltype(kind_of<Handle>(kinds))>::Object;

/// All objects that live, by number. Handles are these numbers, each given once in a process, so that one of a freed
/// object is told from every other. They look like no address that a program can have.
class Registry {
 public:
  template <class Handle>
  using Pointer = std::shared_ptr<ObjectOf<Handle>>;

  template <class Handle>
  Handle add(Pointer<Handle> object) {
    std::lock_guard const lock(m_mutex);
    auto const handle = mark | ++m_last;
    m_entries.emplace(handle, Entry{std::move(object), 1});
    return reinterpret_cast<Handle>(handle);
  }

  /// Throws Failure unless the handle is one of a living object of its kind. The device of its context is that of the
  /// thread from now on.
  template <class Handle>
  Pointer<Handle> get(Handle handle, const char* argument) {
    if (handle == nullptr) throw Failure(HYPERPLANE_NULL_POINTER, std::string(argument) + " is NULL");
    Pointer<Handle> object;
    {
      std::lock_guard const lock(m_mutex);
      if (auto const* const found = std::get_if<Pointer<Handle>>(&find(handle, argument).object)) object = *found;
    }
    if (!object)
      throw Failure(HYPERPLANE_INVALID_HANDLE, std::string(argument) + " is not a " + kind_of<Handle>(kinds).name);
    object->context->activate();
    return object;
  }

  void retain(void* handle) {
    if (handle == nullptr) throw Failure(HYPERPLANE_NULL_POINTER, "handle is NULL");
    std::lock_guard const lock(m_mutex);
    ++find(handle, "handle").owners;
  }

  void release(void* handle) {
    Any last;  // goes after the lock
    std::lock_guard const lock(m_mutex);
    auto& entry = find(handle, "handle");
    if (--entry.owners > 0) return;
    last = std::move(entry.object);
    m_entries.erase(reinterpret_cast<std::uintptr_t>(handle));
  }

  void clear() {
    std::unordered_map<std::uintptr_t, Entry> all;
    std::lock_guard const lock(m_mutex);
    all.swap(m_entries);
  }

 private:
  using Any = decltype(kinds)::AnyPointer;
  struct Entry {
    Any object;
    std::int64_t owners;
  };
  static_assert(sizeof(void*) == 8);
  static constexpr std::uintptr_t mark = std::uintptr_t{0x4850} << 48;

  Entry& find(void* handle, const char* argument) {
    auto const found = m_entries.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found != m_entries.end()) return found->second;
    auto const number = reinterpret_cast<std::uintptr_t>(handle) ^ mark;
    throw Failure(HYPERPLANE_INVALID_HANDLE,
                  std::string(argument) + (number >= 1 && number <= m_last ? " has been freed" : " is not a handle"));
  }

  std::mutex m_mutex;
  std::uintptr_t m_last = 0;
  std::unordered_map<std::uintptr_t, Entry> m_entries;
};

}  // namespace hyperplane::c
