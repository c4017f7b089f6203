// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <type_traits>
#include <utility>

namespace hyperplane {

/// What says how large a vector is: the Grid of a BlockVector.
template <class V>
using VectorDomain = std::remove_cvref_t<decltype(std::declval<const V&>().grid())>;

/// What the iterative methods need of a vector: contiguous storage whose padding is zero (BlockVector).
template <class V>
concept KrylovVector = ExecutionSpace<typename V::execution_space> && Real<typename V::scalar_type> &&
                       requires(const V& v, const typename V::execution_space& exec, const VectorDomain<V>& domain) {
                         v.flat();
                         V(exec, domain);
                         { domain == domain } -> std::convertible_to<bool>;
                         to_string(domain);
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
