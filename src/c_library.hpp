// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

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

/// Status and message of the exception that is being handled, which a function of the C interface met.
HYPERPLANE_FOR_RANKS hyperplane_status note_exception(const char* function) noexcept;

/// Calls of this thread that one is within, itself counted: more than one in what a call calls. One number for this
/// library and the one over ranks.
HYPERPLANE_FOR_RANKS int& call_depth() noexcept;

/// A call from outside. The caller has its CUDA device again at the end.
class Call {
 public:
  Call() { ++call_depth(); }
  ~Call() { --call_depth(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  [[maybe_unused]] run_time::KeptDevice m_device;
};

/// Calls f for a function of the C interface; whatever it throws ends here, with a message that names the function.
template <class F>
hyperplane_status guarded(const char* function, const F& f) noexcept {
  Call const call;
  try {
    f();
    return HYPERPLANE_SUCCESS;
  } catch (...) {
    return note_exception(function);
  }
}

/// The registry, where the library is initialized.
HYPERPLANE_FOR_RANKS Registry& registry();

template <class T>
void require_pointer(const T* pointer, const char* argument) {
  if (pointer == nullptr) throw Failure(HYPERPLANE_NULL_POINTER, std::string(argument) + " is NULL");
}

inline void require_count(std::int64_t count, std::int64_t expected) {
  if (count == expected) return;
  throw Failure(HYPERPLANE_SIZE_MISMATCH,
                "count is " + std::to_string(count) + ", expected " + std::to_string(expected));
}

/// An array, which may be NULL where it is to have no values, as on a rank without grid blocks.
template <class T>
void require_array(const T* values, const char* argument, std::int64_t count, std::int64_t expected) {
  if (expected > 0) require_pointer(values, argument);
  require_count(count, expected);
}

inline void require_at_least(std::int64_t value, std::int64_t least, const char* argument) {
  if (value >= least) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string(argument) + " is " + std::to_string(value) + ", expected " +
                                                 std::to_string(least) + " or more");
}

/// As many of the values as there is room for, and how many there are.
inline void copy_doubles(const std::vector<double>& values, const char* argument, double* to, std::int64_t capacity,
                         std::int64_t& count) {
  require_at_least(capacity, 0, "capacity");
  if (capacity > 0) require_pointer(to, argument);
  count = static_cast<std::int64_t>(values.size());
  std::copy_n(values.begin(), std::min(capacity, count), to);
}

/// The enumerator of a C enumeration with values 0 to `last`; Enum has the same values.
template <class Enum>
Enum enumerator(int value, int last, const char* argument) {
  if (value >= 0 && value <= last) return static_cast<Enum>(value);
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                std::string(argument) + " is " + std::to_string(value) + ", expected 0 to " + std::to_string(last));
}

/// Of factors.
inline void require_factors(const run_time::FactorProblem& problem) {
  switch (problem.failure) {
    case FactorFailure::none: return;
    case FactorFailure::zero_row:
    case FactorFailure::zero_column:
    case FactorFailure::singular: throw Failure(HYPERPLANE_SINGULAR_PIVOT, problem.message);
    case FactorFailure::not_finite: throw Failure(HYPERPLANE_NOT_FINITE, problem.message);
    case FactorFailure::overflow: throw Failure(HYPERPLANE_OVERFLOW, problem.message);
    case FactorFailure::other_structure: throw Failure(HYPERPLANE_INVALID_ARGUMENT, problem.message);
  }
}

inline run_time::MemorySpace memory_space(hyperplane_memory_space space) {
  return enumerator<run_time::MemorySpace>(space, 1, "space");
}

inline run_time::BlockOrder block_order(hyperplane_block_order order) {
  return enumerator<run_time::BlockOrder>(order, 1, "order");
}

/// Options are known by their size, which their init function sets.
template <class Options>
void require_initialized(const Options& options, const char* type) {
  if (options.struct_size == sizeof(Options)) return;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT, std::string("the struct was not filled by ") + type + "_init()");
}

/// The transpose of an object, which is of the same kind.
template <class Handle>
void make_transpose(Handle handle, const char* argument, Handle* transpose) {
  require_pointer(transpose, "transpose");
  *transpose = nullptr;
  auto& objects = registry();
  auto const held = objects.get(handle, argument);
  using Object = std::remove_reference_t<decltype(*held)>;
  *transpose = objects.add<Handle>(std::make_shared<Object>(Object{held->context, held->object->transpose()}));
}

inline run_time::Shape shape(hyperplane_grid grid, int n) { return {Grid(grid.ni, grid.nj, grid.nk), n}; }

inline FoldedDirections folded_directions(const hyperplane_preconditioner_options& options) {
  auto const is_folded = [&](int d) { return enumerator<int>(options.folded[d], 1, "folded") == 1; };
  return {.i = is_folded(0), .j = is_folded(1), .k = is_folded(2)};
}

inline std::vector<LineDirection> line_directions(const hyperplane_preconditioner_options& options) {
  int const count = options.line_direction_count;
  if (count < 1 || count > 3) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                  "line_direction_count is " + std::to_string(count) + ", expected 1 to 3");
  }
  std::vector<LineDirection> directions;
  directions.reserve(static_cast<std::size_t>(count));
  for (int d = 0; d < count; ++d) {
    directions.push_back(enumerator<LineDirection>(options.line_directions[d], 2, "a line direction"));
  }
  return directions;
}

/// The last path is the bound of what is accepted.
inline SweepPath sweep_path(int path) { return enumerator<SweepPath>(path, HYPERPLANE_PATH_CUDA_GRAPH, "path"); }

}  // namespace hyperplane::c
