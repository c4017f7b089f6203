// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What the preconditioners on scalar fields have in common: options, and what their calls may be given.
template <Stencil7 A, ExecutionSpace Exec, class Options>
class FieldPreconditioner {
 public:
  using scalar_type = typename A::scalar_type;
  using execution_space = Exec;
  using Vector = ScalarField<scalar_type, Exec>;

  const Grid& grid() const { return m_grid; }

 protected:
  /// `name`: of the class, as long as it lives.
  FieldPreconditioner(const char* name, const Grid& grid, const Options& options)
      : m_name(name), m_grid(grid), m_options(options) {
    if (!(options.relaxation > 0 && options.relaxation < 2)) {
      fail(std::string(name) + ": relaxation is " + detail::shortest(options.relaxation) +
           ", expected more than 0 and less than 2");
    }
  }

  void keep(const A& a) { m_a = a; }

  /// The A of factor(), for a solve of z = M^-1 r.
  const A& checked(const Vector& r, const Vector& z) const {
    for (auto const* field : {&r, &z}) {
      if (!(field->grid() == m_grid)) {
        fail(std::string(m_name) + "::solve: a field is on a grid of " + to_string(field->grid()) +
             " points, expected " + to_string(m_grid));
      }
    }
    if (r.flat().data() == z.flat().data()) {
      fail(std::string(m_name) + "::solve: the result must not be the right-hand side");
    }
    if (!m_a) fail(std::string(m_name) + "::solve: called before factor");
    return *m_a;
  }

  const Options& options() const { return m_options; }
  scalar_type relaxation() const { return static_cast<scalar_type>(m_options.relaxation); }

 private:
  const char* m_name;
  Grid m_grid;
  Options m_options;
  std::optional<A> m_a;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
