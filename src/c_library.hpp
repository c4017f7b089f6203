// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "backends.hpp"
#include "c_registry.hpp"
#include "memory.hpp"

/// What functions of the C interface have in common.
namespace hyperplane::c {

/// The one state of the process.
struct Library {
  std::mutex mutex;
  int users = 0;  ///< calls of hyperplane_initialize() that have not been ended
  bool owns_kokkos = false;
  bool has_hook = false;
  std::unique_ptr<run_time::EnvironmentTimers> timers;
  Registry registry;
};

/// Never destroyed: objects may be left when the program ends.
Library& library();

void note_error(const char* message) noexcept;

/// Status and message of the exception that is being handled.
hyperplane_status note_exception() noexcept;

/// A call from outside. The caller has its CUDA device again at the end.
class Call {
 public:
  Call() { ++s_depth; }
  ~Call() { --s_depth; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Calls of this thread that one is within, itself counted: more than one in what a call calls.
  static int depth() { return s_depth; }

 private:
  inline static thread_local int s_depth = 0;
  [[maybe_unused]] run_time::KeptDevice m_device;
};

/// Calls f; whatever it throws ends here.
template <class F>
hyperplane_status guarded(const F& f) noexcept {
  Call const call;
  try {
    f();
    return HYPERPLANE_SUCCESS;
  } catch (...) {
    return note_exception();
  }
}

/// The registry, where the library is initialized.
Registry& registry();

template <class T>
void require_pointer(const T* pointer, const char* argument) {
  if (pointer == nullptr) throw Failure(HYPERPLANE_NULL_POINTER, std::string(argument) + " is NULL");
}

inline void require_count(std::int64_t count, std::int64_t expected) {
  if (count == expected) return;
  throw Failure(HYPERPLANE_SIZE_MISMATCH,
                "count is " + std::to_string(count) + ", expected " + std::to_string(expected));
}

inline void require_at_least(std::int64_t value, std::int64_t least, const char* argument) {
  if (value >= least) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string(argument) + " is " + std::to_string(value) + ", expected " +
                                                 std::to_string(least) + " or more");
}

/// The enumerator of a C enumeration with values 0 to `last`; Enum has the same values.
template <class Enum>
Enum enumerator(int value, int last, const char* argument) {
  if (value >= 0 && value <= last) return static_cast<Enum>(value);
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                std::string(argument) + " is " + std::to_string(value) + ", expected 0 to " + std::to_string(last));
}

inline run_time::MemorySpace memory_space(hyperplane_memory_space space) {
  return enumerator<run_time::MemorySpace>(space, 1, "space");
}

/// Options are known by their size, which their init function sets.
template <class Options>
void require_initialized(const Options& options, const char* type) {
  if (options.struct_size == sizeof(Options)) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string("options were not initialized by ") + type + "_init");
}

inline run_time::Shape shape(hyperplane_grid grid, int n) { return {Grid(grid.ni, grid.nj, grid.nk), n}; }

}  // namespace hyperplane::c
