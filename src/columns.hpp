// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "objects.hpp"

/// Several right-hand sides in arrays, on grids and of compressed rows.
namespace hyperplane::run_time {

/// What solves for several right-hand sides with the iterations of a method, of those that have it.
template <template <class> class Method>
struct SimultaneousOf {
  static constexpr bool exists = false;
};
template <>
struct SimultaneousOf<BiCgStab> {
  static constexpr bool exists = true;
  template <class Vectors>
  using Method = SimultaneousBiCgStab<Vectors>;
};
template <>
struct SimultaneousOf<Fgmres> {
  static constexpr bool exists = true;
  template <class Vectors>
  using Method = SimultaneousFgmres<Vectors>;
};

/// Solves for columns of arrays, as many at a time as Columns::Vectors has; where there are fewer, the others are zero.
///
/// Columns: what makes Vectors, `domain()`, the values of a column, `rows()`, and what copies the first columns,
/// (column, row) with the row fastest: `read(exec, from, count, vectors)` and `write(exec, vectors, count, to)`.
template <template <class> class Method, class Columns>
class SolverOfColumns {
  using Vectors = typename Columns::Vectors;
  using Exec = typename Vectors::execution_space;

 public:
  SolverOfColumns(const Exec& exec, Columns columns, KrylovOptions options)
      : m_exec(exec), m_columns(std::move(columns)), m_options(std::move(options)) {}

  /// A result for each. Throws Error of a method that has no iterations for several.
  template <class Matrix, class Preconditioner>
  std::vector<KrylovResult> solve([[maybe_unused]] const Matrix& a, [[maybe_unused]] const Preconditioner& m,
                                  [[maybe_unused]] int columns, [[maybe_unused]] const double* b,
                                  [[maybe_unused]] double* x, [[maybe_unused]] MemorySpace space,
                                  [[maybe_unused]] const KrylovLimits& limits) const {
    if constexpr (SimultaneousOf<Method>::exists) {
      auto const rows = m_columns.rows();
      check_memory(m_exec, b, columns * rows, space);
      check_memory(m_exec, x, columns * rows, space);
      if (!m_held) m_held = std::make_unique<Held>(m_exec, m_columns, m_options);
      std::vector<KrylovResult> results;
      for (int first = 0; first < columns; first += Vectors::vectors) {
        int const count = std::min(Vectors::vectors, columns - first);
        auto* const to = x + first * rows;
        read(b + first * rows, count, space, m_held->b);
        read(to, count, space, m_held->x);
        auto const found = m_held->method.solve(m_exec, a, m, m_held->b, m_held->x, limits);
        in_memory_of<true>(m_exec, to, count * rows, space,
                           [&](double* values) { m_columns.write(m_exec, m_held->x, count, values); });
        results.insert(results.end(), found.begin(), found.begin() + count);
      }
      return results;
    } else {
      throw Error("several right-hand sides are for BiCGStab and FGMRES");
    }
  }

 private:
  struct None {};
  template <class Several>
  struct Made {
    Made(const Exec& exec, const Columns& columns, const KrylovOptions& options)
        : method(exec, columns.domain(), options),
          b(exec, columns.domain(), "Hyperplane::Krylov::columns"),
          x(exec, columns.domain(), "Hyperplane::Krylov::columns") {}

    typename Several::template Method<Vectors> method;
    Vectors b, x;
  };
  using Held = std::conditional_t<SimultaneousOf<Method>::exists, Made<SimultaneousOf<Method>>, None>;

  void read(const double* from, int count, MemorySpace space, const Vectors& to) const {
    if (count < Vectors::vectors) Kokkos::deep_copy(m_exec, to.flat(), 0.0);
    in_memory_of<false>(m_exec, from, count * m_columns.rows(), space,
                        [&](const double* values) { m_columns.read(m_exec, values, count, to); });
  }

  Exec m_exec;
  Columns m_columns;
  KrylovOptions m_options;
  mutable std::unique_ptr<Held> m_held;  ///< made by the first solve
};

}  // namespace hyperplane::run_time
