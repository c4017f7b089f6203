// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/coefficient.hpp>
#include <hyperplane/array/detail/checks.hpp>
#include <hyperplane/array/detail/reduce_fast_path.hpp>
#include <hyperplane/array/detail/reduce_ops.hpp>
#include <hyperplane/array/detail/reduce_portable.hpp>
#include <hyperplane/array/reduction_path.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/array/detail/reduce_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

/// What sums of T are computed in, and are: double for float and double, 64-bit integers for int.
template <PrimitiveScalar T>
using sum_t = std::conditional_t<std::is_same_v<T, int>, std::int64_t, double>;

/// Two arrays whose dot product is wanted.
template <class T>
struct DotPair {
  ArrayRef<const T> x;
  ArrayRef<const T> y;
};
template <ArrayLike X, ArrayLike Y>
DotPair<array_value_t<X>> dot_pair(const X& x, const Y& y) {
  return {array_ref(x), array_ref(y)};
}

struct ReductionsOptions {
  ReductionPath path = ReductionPath::automatic;
};

/// Reductions over a box of three-dimensional arrays, over all of their components: sum, minimum, maximum, norms, dot
/// products, several dot products in one pass, and dot products in the pass that updates a Krylov method's vectors.
/// After P. Sathre et al., "Towards a Library of Accelerated CFD Primitives" (AFOSR BRI): boxes by start and end
/// indices leave out boundary layers; products and sums are one pass.
///
/// A plan: the constructor allocates memory for partial results, 32 kB on the host, 8 kB on CUDA (portable 2 MB),
/// whatever the boxes. Every function but dots() has two forms. With a result (a View of one number in the memory of
/// the execution space) it is asynchronous on the instance, allocates nothing and fences nothing. Without, it returns
/// the value, and waits for the instance; dots() has the first form alone. Copies share the memory: one reduction of a
/// plan and its copies at a time, that is on one instance.
///
/// Arrays are as in updates.hpp: int, float or double, any strides, any extents in which the box is. Sums are in double
/// (int: in 64-bit integers), so that a sum of floats is a double. What is added to what is a function of the box and
/// the strides alone: the same bits whatever the number of threads or multiprocessors, for a given path. Sums are short
/// (some hundred elements at most; on CUDA size / 2^17, portable size / 2^16) and joined as binary trees. Minima,
/// maxima and norms are not a number if an element is not. Of an empty box, sums and norms are 0, the minimum is
/// infinity (the largest int) and the maximum minus infinity (the lowest int). norm_2 does not scale: squares must not
/// overflow a double.
///
/// Cost: every array is read once; launches: two on the host, one on CUDA (portable three). Throws Error where the box
/// is not in an array, or arrays have other numbers of components.
template <ExecutionSpace Exec>
class Reductions {
 public:
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  /// Where an asynchronous form puts a result.
  template <class R>
  using Result = Kokkos::View<R, memory_space>;
  template <class R>
  using Results = Kokkos::View<R*, memory_space>;
  static constexpr int max_dots = 4;

  /// Throws Error where the execution space cannot run the path.
  explicit Reductions(const Exec& exec, const ReductionsOptions& options = {})
      : m_path(chosen(exec, options.path)),
        m_memory(Kokkos::view_alloc(exec, "Hyperplane::Reductions::memory"), memory_bytes(m_path)),
        m_result(Kokkos::view_alloc(exec, "Hyperplane::Reductions::result"), 1) {}

  /// Never automatic.
  ReductionPath path() const { return m_path; }

  /// Sum of x.
  template <ArrayLike X>
  void sum(const Exec& exec, const Box& box, const X& x, const Result<sum_t<array_value_t<X>>>& result) const {
    using T = array_value_t<X>;
    run<detail::SumJoin>(exec, "Hyperplane::sum", detail::nest_of("sum", box, array_ref(x)), 1,
                         detail::ValueOp<T, sum_t<T>>{}, detail::StoreResult<sum_t<T>>{result.data()});
  }
  template <ArrayLike X>
  sum_t<array_value_t<X>> sum(const Exec& exec, const Box& box, const X& x) const {
    return wait<sum_t<array_value_t<X>>>(exec, [&](const auto& result) { sum(exec, box, x, result); });
  }

  /// Smallest value of x.
  template <ArrayLike X>
  void min(const Exec& exec, const Box& box, const X& x, const Result<array_value_t<X>>& result) const {
    using T = array_value_t<X>;
    run<detail::MinJoin>(exec, "Hyperplane::min", detail::nest_of("min", box, array_ref(x)), 1, detail::ValueOp<T, T>{},
                         detail::StoreResult<T>{result.data()});
  }
  template <ArrayLike X>
  array_value_t<X> min(const Exec& exec, const Box& box, const X& x) const {
    return wait<array_value_t<X>>(exec, [&](const auto& result) { min(exec, box, x, result); });
  }

  /// Largest value of x.
  template <ArrayLike X>
  void max(const Exec& exec, const Box& box, const X& x, const Result<array_value_t<X>>& result) const {
    using T = array_value_t<X>;
    run<detail::MaxJoin>(exec, "Hyperplane::max", detail::nest_of("max", box, array_ref(x)), 1, detail::ValueOp<T, T>{},
                         detail::StoreResult<T>{result.data()});
  }
  template <ArrayLike X>
  array_value_t<X> max(const Exec& exec, const Box& box, const X& x) const {
    return wait<array_value_t<X>>(exec, [&](const auto& result) { max(exec, box, x, result); });
  }

  /// Sum of |x|.
  template <ArrayLike X>
  void norm_1(const Exec& exec, const Box& box, const X& x, const Result<sum_t<array_value_t<X>>>& result) const {
    using T = array_value_t<X>;
    run<detail::SumJoin>(exec, "Hyperplane::norm_1", detail::nest_of("norm_1", box, array_ref(x)), 1,
                         detail::MagnitudeOp<T, sum_t<T>>{}, detail::StoreResult<sum_t<T>>{result.data()});
  }
  template <ArrayLike X>
  sum_t<array_value_t<X>> norm_1(const Exec& exec, const Box& box, const X& x) const {
    return wait<sum_t<array_value_t<X>>>(exec, [&](const auto& result) { norm_1(exec, box, x, result); });
  }

  /// Square root of the sum of x^2; of float and double.
  template <ArrayLike X>
    requires Real<array_value_t<X>>
  void norm_2(const Exec& exec, const Box& box, const X& x, const Result<double>& result) const {
    run<detail::SumJoin>(exec, "Hyperplane::norm_2", detail::nest_of("norm_2", box, array_ref(x)), 1,
                         detail::SquareOp<array_value_t<X>>{}, detail::StoreRoot{result.data()});
  }
  template <ArrayLike X>
    requires Real<array_value_t<X>>
  double norm_2(const Exec& exec, const Box& box, const X& x) const {
    return wait<double>(exec, [&](const auto& result) { norm_2(exec, box, x, result); });
  }

  /// Largest |x|; of ints as 64-bit integer, in which that of the lowest int is right.
  template <ArrayLike X>
  void norm_inf(const Exec& exec, const Box& box, const X& x, const Result<sum_t<array_value_t<X>>>& result) const {
    using T = array_value_t<X>;
    run<detail::MaxJoin>(exec, "Hyperplane::norm_inf", detail::nest_of("norm_inf", box, array_ref(x)), 1,
                         detail::MagnitudeOp<T, detail::magnitude_t<T>>{},
                         detail::StoreMagnitude<sum_t<T>>{result.data()});
  }
  template <ArrayLike X>
  sum_t<array_value_t<X>> norm_inf(const Exec& exec, const Box& box, const X& x) const {
    return wait<sum_t<array_value_t<X>>>(exec, [&](const auto& result) { norm_inf(exec, box, x, result); });
  }

  /// Sum of x y.
  template <ArrayLike X, ArrayLike Y>
  void dot(const Exec& exec, const Box& box, const X& x, const Y& y,
           const Result<sum_t<array_value_t<X>>>& result) const {
    using T = array_value_t<X>;
    auto const xr = array_ref(x);
    auto const yr = array_ref(y);
    run<detail::SumJoin>(exec, "Hyperplane::dot", detail::nest_of("dot", box, xr, yr), xr.data() == yr.data() ? 1 : 2,
                         detail::DotsOp<T, sum_t<T>>{}, detail::StoreResult<sum_t<T>>{result.data()});
  }
  template <ArrayLike X, ArrayLike Y>
  sum_t<array_value_t<X>> dot(const Exec& exec, const Box& box, const X& x, const Y& y) const {
    return wait<sum_t<array_value_t<X>>>(exec, [&](const auto& result) { dot(exec, box, x, y, result); });
  }

  /// results(p) = dot product of pair p, in one pass; arrays that several pairs have come from memory once:
  /// `dots(exec, box, std::array{dot_pair(r, r), dot_pair(r, s)}, results)`. Throws Error where there are less results.
  template <class T, std::size_t count>
  void dots(const Exec& exec, const Box& box, const std::array<DotPair<T>, count>& pairs,
            const Results<sum_t<T>>& results) const {
    static_assert(count >= 1 && count <= max_dots);
    if (results.extent(0) < count) {
      fail("dots: " + std::to_string(results.extent(0)) + " results for " + std::to_string(count) + " dot products");
    }
    auto const nest = pairs_nest(box, pairs, std::make_index_sequence<2 * count>{});
    int arrays = 0;
    for (int a = 0; a < nest.count; ++a) {
      bool first = true;
      for (int b = 0; b < a; ++b) first = first && nest.m_data[a] != nest.m_data[b];
      arrays += first ? 1 : 0;
    }
    run<detail::SumJoin>(exec, "Hyperplane::dots", nest, arrays, detail::DotsOp<T, sum_t<T>>{},
                         detail::StoreResult<sum_t<T>>{results.data()});
  }

  /// y += alpha x; result = (y, z), of the new y. z may be y. One pass.
  template <ArrayLike X, ArrayLike Y, ArrayLike Z>
    requires Real<array_value_t<X>>
  void axpy_dot(const Exec& exec, const Box& box,
                const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& alpha, const X& x, const Y& y,
                const Z& z, const Result<double>& result) const {
    auto const yr = array_ref(y);
    auto const zr = array_ref(z);
    bool const z_is_y = zr.data() == yr.data();
    run<detail::SumJoin>(exec, "Hyperplane::axpy_dot", detail::nest_of("axpy_dot", box, zr, array_ref(x), yr),
                         z_is_y ? 3 : 4, detail::AxpyDotOp<array_value_t<X>, Exec>{alpha, z_is_y},
                         detail::StoreResult<double>{result.data()});
  }
  template <ArrayLike X, ArrayLike Y, ArrayLike Z>
    requires Real<array_value_t<X>>
  double axpy_dot(const Exec& exec, const Box& box,
                  const std::type_identity_t<Coefficient<array_value_t<X>, Exec>>& alpha, const X& x, const Y& y,
                  const Z& z) const {
    return wait<double>(exec, [&](const auto& result) { axpy_dot(exec, box, alpha, x, y, z, result); });
  }

  /// The update of conjugate gradients and its kin: x += alpha p, r -= alpha q; result = (r, r). One pass over four
  /// arrays, where single steps have eight passes over one. x and r are none of the others.
  template <ArrayLike P, ArrayLike Q, ArrayLike X, ArrayLike R>
    requires Real<array_value_t<P>>
  void update_dot(const Exec& exec, const Box& box,
                  const std::type_identity_t<Coefficient<array_value_t<P>, Exec>>& alpha, const P& p, const Q& q,
                  const X& x, const R& r, const Result<double>& result) const {
    run<detail::SumJoin>(exec, "Hyperplane::update_dot",
                         detail::nest_of("update_dot", box, array_ref(p), array_ref(q), array_ref(x), array_ref(r)), 6,
                         detail::UpdateDotOp<array_value_t<P>, Exec>{alpha},
                         detail::StoreResult<double>{result.data()});
  }
  template <ArrayLike P, ArrayLike Q, ArrayLike X, ArrayLike R>
    requires Real<array_value_t<P>>
  double update_dot(const Exec& exec, const Box& box,
                    const std::type_identity_t<Coefficient<array_value_t<P>, Exec>>& alpha, const P& p, const Q& q,
                    const X& x, const R& r) const {
    return wait<double>(exec, [&](const auto& result) { update_dot(exec, box, alpha, p, q, x, r, result); });
  }

 private:
  using FastPath = detail::ReduceFastPath<Exec>;

  static ReductionPath chosen([[maybe_unused]] const Exec& exec, ReductionPath path) {
    if constexpr (FastPath::exists) {
      if (path != ReductionPath::portable) {
        FastPath::check(exec);
        return ReductionPath::single_launch;
      }
    }
    if (path == ReductionPath::single_launch) {
      fail(std::string("Reductions: path '") + name(path) + "' does not exist on " + Exec::name());
    }
    return ReductionPath::portable;
  }
  static std::size_t memory_bytes(ReductionPath path) {
    if constexpr (FastPath::exists) {
      if (path == ReductionPath::single_launch) return FastPath::memory_bytes();
    }
    return sizeof(double) * static_cast<std::size_t>(detail::reduce_portable_values<Exec>());
  }

  /// `moved` values of each element are read or written.
  template <class Join, class Nest, class Op, class Finish>
  void run(const Exec& exec, const char* label, Nest nest, int moved, const Op& op, const Finish& finish) const {
    using T = typename Nest::scalar_type;
    detail::count_bytes(label, static_cast<double>(sizeof(T)) * moved * static_cast<double>(nest.size()));
    if (nest.size() > 0) nest.normalize();
    if constexpr (FastPath::exists) {
      if (m_path == ReductionPath::single_launch) {
        FastPath::template run<Join>(exec, label, nest, op, finish, m_memory.data());
        return;
      }
    }
    detail::reduce_portable<Join>(exec, label, nest, op, finish, m_memory.data());
  }

  template <class T, std::size_t count, std::size_t... a>
  static auto pairs_nest(const Box& box, const std::array<DotPair<T>, count>& pairs, std::index_sequence<a...>) {
    return detail::nest_of("dots", box, (a % 2 == 0 ? pairs[a / 2].x : pairs[a / 2].y)...);
  }

  template <class R, class Function>
  R wait(const Exec& exec, const Function& function) const {
    static_assert(sizeof(R) <= sizeof(double));
    Result<R> const on_device(reinterpret_cast<R*>(m_result.data()));
    function(on_device);
    R result{};
    Kokkos::deep_copy(exec, Kokkos::View<R, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&result),
                      on_device);
    exec.fence("Hyperplane::Reductions");
    return result;
  }

  ReductionPath m_path;
  Kokkos::View<std::byte*, memory_space> m_memory;
  Kokkos::View<double*, memory_space> m_result;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
