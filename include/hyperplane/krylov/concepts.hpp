// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane {

namespace detail {

template <class V>
  requires requires(const V& v) { v.grid(); } || requires(const V& v) { v.points(); }
auto vector_domain(const V& v) {
  if constexpr (requires { v.grid(); }) {
    return v.grid();
  } else {
    return v.points();
  }
}

// That of grids by the name's argument, that of numbers by this.
namespace described {
using std::to_string;
template <class Domain>
  requires requires(const Domain& domain) { to_string(domain); }
std::string describe_domain(const Domain& domain) {
  return to_string(domain);
}
}  // namespace described
using described::describe_domain;

}  // namespace detail

/// What says how large a vector is: the Grid of a BlockVector, the number of points of a PointVector.
template <class V>
using VectorDomain = decltype(detail::vector_domain(std::declval<const V&>()));

/// What the iterative methods need of a vector: contiguous storage whose padding is zero, on a grid (BlockVector) or
/// for a number of points (PointVector).
template <class V>
concept KrylovVector = ExecutionSpace<typename V::execution_space> && Real<typename V::scalar_type> &&
                       requires(const V& v, const typename V::execution_space& exec, const VectorDomain<V>& domain) {
                         v.flat();
                         V(exec, domain);
                         { domain == domain } -> std::convertible_to<bool>;
                         detail::describe_domain(domain);
                       };

/// A matrix: `apply(exec, a, x, y)` computes y = A x, asynchronously on the instance.
template <class A, class V>
concept LinearOperator =
    requires(const A& a, const typename V::execution_space& exec, const V& x, const V& y) { apply(exec, a, x, y); };

/// A preconditioner M: `m.solve(exec, r, z)` computes z = M^-1 r, asynchronously on the instance.
template <class M, class V>
concept Preconditioner =
    requires(const M& m, const typename V::execution_space& exec, const V& r, const V& z) { m.solve(exec, r, z); };

}  // namespace hyperplane
