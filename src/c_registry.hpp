// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "backends.hpp"
#include "errors.hpp"
#include "objects.hpp"
#include "primitives.hpp"

// Of hyperplane_mpi.h, which needs MPI.
struct hyperplane_mpi_grid_s;

namespace hyperplane::run_time {
class RankGrid;
}

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

/// Grid blocks over ranks, which the library over ranks knows.
struct HeldRankGrid {
  ContextPointer context;
  std::shared_ptr<const run_time::RankGrid> grid;
};

/// A method with what hyperplane_krylov_solve() needs beside it.
struct KrylovObject {
  std::unique_ptr<run_time::Krylov> method;
  std::unique_ptr<run_time::Preconditioner> identity;
  KrylovLimits limits;
  std::vector<double> history;
  std::string cause;
  std::unique_ptr<run_time::Vector> b, x;  ///< what arrays are solved in, from the first time on
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
    Kind<hyperplane_krylov, Held<KrylovObject>>{"Krylov method"},
    Kind<hyperplane_mpi_grid_s*, HeldRankGrid>{"grid over ranks"},
};

/// By the number that AnyPointer has for it.
template <class... Kinds>
const char* kind_name(const KindTable<Kinds...>& table, std::size_t index) {
  const char* const names[] = {static_cast<const Kinds&>(table).name...};
  return names[index];
}

/// The only one of the table that has this handle.
template <class Handle, class Object>
constexpr const Kind<Handle, Object>& kind_of(const Kind<Handle, Object>& kind) {
  return kind;  // NOLINT(bugprone-return-const-ref-from-parameter): of a table that stays
}
template <class Handle>
using ObjectOf = typename std::remove_cvref_t<decltype(kind_of<Handle>(kinds))>::Object;

/// Throws Failure in a parallel region of OpenMP, where Kokkos begins no other.
inline void require_no_region() {
  if (!run_time::in_parallel_region()) return;
  throw Failure(HYPERPLANE_NOT_AVAILABLE,
                "the call is inside a parallel region of OpenMP, in which backend openmp cannot begin its own: call "
                "outside of such regions, or use backend serial");
}

/// All objects that live, by number. Handles are these numbers, each given once in a process, so that one of a freed
/// object is told from every other. They look like no address that a program can have.
class Registry {
 public:
  /// Notes the process that threads and devices are of, the first time that it is called.
  void begin_process() {
    if (m_process == 0) m_process = ::getpid();
  }
  /// Whether this is a process that was forked from that one.
  bool is_forked() const { return m_process != 0 && ::getpid() != m_process; }
  /// Whether this process has the threads and the device of a backend.
  bool works(const std::string& backend) const { return !is_forked() || run_time::outlives_fork(backend); }
  /// Throws Failure where what a backend needs was left behind in the parent: work on it would wait for ever.
  void require_own_process(const std::string& backend) const {
    if (works(backend)) return;
    throw Failure(HYPERPLANE_NOT_AVAILABLE,
                  "this process was forked from the one that initialized the library, and has not the threads and the "
                  "device that backend " +
                      backend + " needs: initialize after forking" +
                      (run_time::outlives_fork("serial") ? ", or use backend serial" : ""));
  }

  /// Throws Failure where work on a backend would end the process, or wait for ever.
  void require_usable(const std::string& backend) const {
    require_own_process(backend);
    if (backend == "openmp") require_no_region();
  }

  template <class Handle>
  using Pointer = std::shared_ptr<ObjectOf<Handle>>;

  template <class Handle>
  Handle add(Pointer<Handle> object) {
    std::lock_guard const lock(m_mutex);
    auto const handle = mark | ++m_last;
    m_entries.emplace(handle, Entry{std::move(object), 1});
    return reinterpret_cast<Handle>(handle);  // NOLINT(performance-no-int-to-ptr): a number that nobody follows
  }

  /// Throws Failure unless the handle is one of a living object of its kind. The device of its context is that of the
  /// thread from now on.
  template <class Handle>
  Pointer<Handle> get(Handle handle, const char* argument) {
    if (handle == nullptr) throw Failure(HYPERPLANE_NULL_POINTER, std::string(argument) + " is NULL");
    Pointer<Handle> object;
    {
      std::lock_guard const lock(m_mutex);
      auto const& any = find(handle, argument).object;
      if (auto const* const found = std::get_if<Pointer<Handle>>(&any)) {
        object = *found;
      } else {
        throw Failure(HYPERPLANE_INVALID_HANDLE, std::string(argument) + " is the handle of a " +
                                                     kind_name(kinds, any.index()) + ", expected that of a " +
                                                     kind_of<Handle>(kinds).name);
      }
    }
    auto const& context = *object->context;
    require_usable(context.backend());
    context.activate();
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
    bool const is_whole = std::visit([&](const auto& object) { return works(object->context->backend()); }, last);
    if (!is_whole) m_left.push_back(std::move(last));
  }

  /// What is freed may wait for other ranks and call the program's tools: the lock is not held then.
  void clear() {
    std::map<std::uintptr_t, Entry> all;
    {
      std::lock_guard const lock(m_mutex);
      all.swap(m_entries);
    }
    // What was made last first: ranks free what they made together in one order.
    while (!all.empty()) all.erase(std::prev(all.end()));
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
    bool const is_freed = number >= 1 && number <= m_last;
    throw Failure(HYPERPLANE_INVALID_HANDLE,
                  is_freed ? std::string(argument) + " has been freed"
                           : "the argument " + std::string(argument) + " is no handle of this library");
  }

  std::mutex m_mutex;
  pid_t m_process = 0;
  std::uintptr_t m_last = 0;
  std::map<std::uintptr_t, Entry> m_entries;
  /// Memory whose device is another process's: never freed, it goes with this one.
  std::vector<Any> m_left;
};

}  // namespace hyperplane::c
