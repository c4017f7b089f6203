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
/// One that is left is solved for by the method itself, which reads one vector and not all of these.
///
/// Columns: what makes Vectors and a Vector, `domain()`, the values of a column, `rows()`, and what copies the first
/// columns, (column, row) with the row fastest: `read(exec, from, count, vectors)` and `write(exec, vectors, count,
/// to)`; with one Vector count is 1.
template <template <class> class Method, class Columns>
class SolverOfColumns {
  using Vectors = typename Columns::Vectors;
  using Vector = typename Columns::Vector;
  using Exec = typename Vectors::execution_space;

 public:
  SolverOfColumns(const Exec& exec, Columns columns, KrylovOptions options)
      : m_exec(exec), m_columns(std::move(columns)), m_options(std::move(options)) {}

  /// A result for each; `method` is the one of a vector. Throws Error of a method that has no iterations for several.
  template <class Matrix, class Preconditioner>
  std::vector<KrylovResult> solve([[maybe_unused]] const Method<Vector>& method, [[maybe_unused]] const Matrix& a,
                                  [[maybe_unused]] const Preconditioner& m, [[maybe_unused]] int columns,
                                  [[maybe_unused]] const double* b, [[maybe_unused]] double* x,
                                  [[maybe_unused]] MemorySpace space,
                                  [[maybe_unused]] const KrylovLimits& limits) const {
    if constexpr (SimultaneousOf<Method>::exists) {
      auto const rows = m_columns.rows();
      if (m_options.monitor) throw Error("several right-hand sides: there is a monitor, expected none");
      check_memory(m_exec, b, columns * rows, space);
      check_memory(m_exec, x, columns * rows, space);
      std::vector<KrylovResult> results;
      for (int first = 0; first < columns; first += Vectors::vectors) {
        int const count = std::min(Vectors::vectors, columns - first);
        auto const* const from = b + first * rows;
        auto* const to = x + first * rows;
        if (count == 1) {
          if (!m_alone) m_alone = std::make_unique<Alone>(m_exec, m_columns);
          results.push_back(solve(*m_alone, method, a, m, 1, from, to, space, limits));
        } else {
          if (!m_held) m_held = std::make_unique<Held>(m_exec, m_columns, m_options);
          auto const found = solve(*m_held, m_held->method, a, m, count, from, to, space, limits);
          results.insert(results.end(), found.begin(), found.begin() + count);
        }
      }
      return results;
    } else {
      throw Error("several right-hand sides are for BiCGStab and FGMRES");
    }
  }

 private:
  struct None {};
  struct Alone {
    Alone(const Exec& exec, const Columns& columns)
        : b(exec, columns.domain(), "Hyperplane::Krylov::column"),
          x(exec, columns.domain(), "Hyperplane::Krylov::column") {}

    Vector b, x;
  };
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

  /// The first columns of `from` and `to` in the vectors of `held`.
  template <class Work, class Solver, class Matrix, class Preconditioner>
  auto solve(const Work& held, const Solver& method, const Matrix& a, const Preconditioner& m, int count,
             const double* from, double* to, MemorySpace space, const KrylovLimits& limits) const {
    auto const values = count * m_columns.rows();
    auto const read = [&](const double* array, const auto& vectors) {
      if constexpr (std::is_same_v<decltype(held.b), Vectors>) {
        if (count < Vectors::vectors) Kokkos::deep_copy(m_exec, vectors.flat(), 0.0);
      }
      in_memory_of<false>(m_exec, array, values, space,
                          [&](const double* copied) { m_columns.read(m_exec, copied, count, vectors); });
    };
    read(from, held.b);
    read(to, held.x);
    auto found = method.solve(m_exec, a, m, held.b, held.x, limits);
    in_memory_of<true>(m_exec, to, values, space,
                       [&](double* copied) { m_columns.write(m_exec, held.x, count, copied); });
    return found;
  }

  Exec m_exec;
  Columns m_columns;
  KrylovOptions m_options;
  // Made by the first solves with them.
  mutable std::unique_ptr<Held> m_held;
  mutable std::unique_ptr<Alone> m_alone;
};

}  // namespace hyperplane::run_time
