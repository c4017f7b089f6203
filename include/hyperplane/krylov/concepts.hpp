// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

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

/// What the iterative methods need of a vector: contiguous values whose padding is zero, `v.flat().data()` and
/// `v.flat().size()`, on a grid (`v.grid()`, as BlockVector) or for a number of points (`v.points()`, as PointVector).
/// V(exec, domain) allocates one of zeros; a copy is the same vector. Where V(exec, domain, label) is there as well,
/// the methods label their vectors.
template <class V>
concept KrylovVector =
    ExecutionSpace<typename V::execution_space> && Real<typename V::scalar_type> && std::copy_constructible<V> &&
    requires(const V& v, const typename V::execution_space& exec, const VectorDomain<V>& domain) {
      { v.flat().data() } -> std::same_as<typename V::scalar_type*>;
      { v.flat().size() } -> std::convertible_to<std::int64_t>;
      V(exec, domain);
      { domain == domain } -> std::convertible_to<bool>;
      detail::describe_domain(domain);
    };

namespace detail {

template <KrylovVector V>
V make_vector(const typename V::execution_space& exec, const VectorDomain<V>& domain, const std::string& label) {
  if constexpr (std::constructible_from<V, const typename V::execution_space&, const VectorDomain<V>&,
                                        const std::string&>) {
    return V(exec, domain, label);
  } else {
    return V(exec, domain);
  }
}

}  // namespace detail

/// A matrix: `apply(exec, a, x, y)` computes y = A x, asynchronously on the instance. Where there is a
/// `describe_not_finite(exec, a)`, methods whose products are not finite call it: it says what of A is not, in words,
/// or nothing. Where there is a `check_structure(exec)`, solves begin with it: it throws Error where A is not what it
/// was made of any more.
template <class A, class V>
concept LinearOperator =
    requires(const A& a, const typename V::execution_space& exec, const V& x, const V& y) { apply(exec, a, x, y); };

/// A matrix whose products are those of another one, `a.exact()`, but for relative errors of about `a.rounding()`, far
/// less than 1: NarrowedMatrix. Methods multiply directions with it, and compute residuals of x with the other one.
/// Where there is a `describe_other_copy(exec, a)`, solves that have not converged call it where these residuals were
/// not what the recursion had: it says in words where the products are of something else, or nothing.
template <class A>
concept RoundedOperator = requires(const A& a) {
  a.exact();
  { a.rounding() } -> std::convertible_to<double>;
};

namespace detail {

/// What residuals of x are computed with.
template <class A>
decltype(auto) exact_of(const A& a) {
  if constexpr (RoundedOperator<A>) {
    return a.exact();
  } else {
    return (a);
  }
}

/// Where A can tell.
template <class Exec, class A>
void check_structure_of(const Exec& exec, const A& a) {
  if constexpr (requires { exact_of(a).check_structure(exec); }) exact_of(a).check_structure(exec);
}

/// Relative errors that products with A have beside those of arithmetic.
template <class A>
double rounding_of(const A& a) {
  if constexpr (RoundedOperator<A>) {
    return a.rounding();
  } else {
    return 0.0;
  }
}

}  // namespace detail

/// A preconditioner M: `m.solve(exec, r, z)` computes z = M^-1 r, asynchronously on the instance.
template <class M, class V>
concept Preconditioner =
    requires(const M& m, const typename V::execution_space& exec, const V& r, const V& z) { m.solve(exec, r, z); };

namespace detail {

/// What a plan was made for: a Grid, or a LineSet.
template <class P>
  requires requires(const P& p) { p.grid(); } || requires(const P& p) { p.lines(); }
auto plan_shape(const P& p) {
  if constexpr (requires { p.grid(); }) {
    return p.grid();
  } else {
    return p.lines();
  }
}

/// The path that runs is one of the paths that may be chosen.
template <class P>
concept PathOfOptions =
    !requires(const P& p) { p.path(); } || requires(const P& p, const typename P::Options& options) {
      { p.path() } -> std::same_as<std::remove_cvref_t<decltype(options.path)>>;
    };

}  // namespace detail

/// The face that all preconditioners of this library have, and that a preconditioner needs which is added to the
/// compiled one: P(exec, shape, options) allocates, and P(exec, shape) takes the defaults of P::Options; factor(exec,
/// a) makes the factors of a matrix; solve(exec, r, z) applies them to vectors of P::Vector; status(exec) waits, and
/// says by ok() and message() whether the last factor() failed; grid() or lines() is the shape; path(), where there are
/// several, the one that runs. factor() and solve() allocate nothing and are asynchronous on the instance. Solves of
/// several right-hand sides take spans of vectors, where a preconditioner has them.
template <class P, class A>
concept PreconditionerPlan = Preconditioner<P, typename P::Vector> && std::default_initializable<typename P::Options> &&
                             std::copy_constructible<P> && detail::PathOfOptions<P> &&
                             requires(P& p, const P& made, const typename P::Vector::execution_space& exec,
                                      const typename P::Options& options, const A& a) {
                               P(exec, detail::plan_shape(made), options);
                               P(exec, detail::plan_shape(made));
                               p.factor(exec, a);
                               { made.status(exec).ok() } -> std::convertible_to<bool>;
                               { made.status(exec).message() } -> std::convertible_to<std::string>;
                             };

}  // namespace hyperplane::inline HYPERPLANE_ABI
