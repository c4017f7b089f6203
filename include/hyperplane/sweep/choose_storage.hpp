// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/stencil/random_vector.hpp>
#include <hyperplane/sweep/choose_storage_options.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Throws Error where it is not at least 0.
inline void check_storage_fraction(const char* function, double fraction) {
  if (fraction >= 0) return;
  fail(std::string(function) + ": fraction is " + shortest(fraction) + ", expected at least 0");
}

template <class Scalar>
struct SubtractValues {
  const Scalar* m_from;
  Scalar* m_values;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_values[e] -= m_from[e]; }
};

/// How far plans with narrower factors are from one, on random vectors. Keeps M^-1 of these, not the plan. `ReducerOf`
/// sums over all elements of a vector, of all processes where it is of several.
template <class Vector, ExecutionSpace Exec, class ReducerOf = Reducer<Exec>>
class StorageComparison {
 public:
  /// Vectors that are compared: one may happen to be nearly orthogonal to what is lost.
  static constexpr int count = 3;

  /// `plan` has been factored; fill(vector, seed) makes a vector random. Waits for the instance.
  template <class Domain, class Plan, class Fill>
  StorageComparison(const Exec& exec, const Domain& domain, const Plan& plan, const Fill& fill)
      : StorageComparison(exec, domain, plan, fill, [&](const Vector&) { return ReducerOf(exec, size()); }) {}
  /// The same with what make_reducer(vector) returns for vectors such as this one.
  template <class Domain, class Plan, class Fill, class MakeReducer>
  StorageComparison(const Exec& exec, const Domain& domain, const Plan& plan, const Fill& fill,
                    const MakeReducer& make_reducer)
      : m_work(exec, domain, "Hyperplane::StorageComparison::work"),
        m_reducer(make_reducer(m_work)),
        m_norm(exec, "Hyperplane::StorageComparison::norm") {
    for (int v = 0; v < count; ++v) {
      auto const& random = m_random.emplace_back(exec, domain, "Hyperplane::StorageComparison::random");
      auto const& expected = m_expected.emplace_back(exec, domain, "Hyperplane::StorageComparison::expected");
      fill(random, static_cast<std::uint64_t>(v));
      plan.solve(exec, random, expected);
      m_norms.push_back(norm(exec, expected));
    }
  }

  /// The largest ||M_s^-1 v - M^-1 v|| / ||M^-1 v||, or what is no number where one is none. Waits for the instance.
  template <class Plan>
  double difference(const Exec& exec, const Plan& plan) const {
    using Scalar = typename Vector::scalar_type;
    double largest = 0;
    for (std::size_t v = 0; v < m_random.size(); ++v) {
      plan.solve(exec, m_random[v], m_work);
      launch("Hyperplane::StorageComparison::subtract", LongIndexRange<Exec>(exec, 0, size()), 3.0 * sizeof(Scalar),
             SubtractValues<Scalar>{m_expected[v].flat().data(), m_work.flat().data()});
      double const fraction = norm(exec, m_work) / m_norms[v];
      if (!(fraction <= largest)) largest = fraction;
      if (std::isnan(largest)) break;
    }
    return largest;
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(m_work.flat().size()); }
  double norm(const Exec& exec, const Vector& x) const { return m_norm(exec, m_reducer, x.flat().data()); }

  Vector m_work;
  ReducerOf m_reducer;
  ScaledNorm<Exec> m_norm;
  std::vector<Vector> m_random, m_expected;
  std::vector<double> m_norms;
};

/// What choose_storage() makes plans and vectors of: the grid of a matrix.
template <class P, class Matrix>
struct StorageSystem {
  using Vector = typename P::Vector;
  static decltype(auto) domain(const Matrix& a) { return a.grid(); }
  static decltype(auto) shape(const Matrix& a) { return a.grid(); }
};
/// Or its structure in compressed rows.
template <class P, class Matrix>
  requires requires(const Matrix& a) { a.rows(); }
struct StorageSystem<P, Matrix> {
  using Vector = PointVector<typename P::scalar_type, P::block_size, typename P::execution_space>;
  static std::int64_t domain(const Matrix& a) { return a.rows(); }
  static Matrix shape(const Matrix& a) { return a; }
};

/// Whether a P with factors of some type may be tried. Those of 8 bits are where P says where they pay.
template <class P, class Storage>
concept MayBeTried = requires {
  typename P::template WithStorage<Storage>;
} && (!std::is_same_v<Storage, Quarter> || requires(const typename P::Options& options) { P::quarter_pays(options); });

/// Whether choose_storage() tries factors of the type of a plan, with these options: it has what they ask for, and
/// pays.
template <class Plan, class Storage>
bool is_tried(const typename Plan::Options& options) {
  if constexpr (std::is_same_v<Storage, Quarter>) {
    if constexpr (requires { Plan::quarter_pays(options); }) {
      return Plan::quarter_pays(options) && Plan::has_options(options);
    } else {
      return false;
    }
  } else if constexpr (requires { Plan::has_options(options); }) {
    return Plan::has_options(options);
  } else {
    return true;
  }
}

}  // namespace detail

/// The narrowest type, Quarter, Half, BFloat16, float or double, in which factors of A may be stored so that M stays
/// nearly what it is: its solves of three random vectors differ by less than a fraction from those with factors of the
/// type of the arithmetic. P is BlockIlu0, Ssor, Sip, BlockJacobi or LineImplicit, as BlockIlu0<double, 5, Exec>, or
/// MultiBlock of one, or, of all but LineImplicit, Parted; or BlockIlu0Csr, BlockIlukCsr, BlockIlutCsr, DiluCsr,
/// SsorCsr or BlockJacobiCsr with a BlockCsr of at least one row, of DiluCsr and SsorCsr one of the type of the
/// arithmetic. Whatever its storage type is, all that P has are tried, but Quarter only where its solves are faster
/// than those with Half: of BlockIlu0 and Ssor with n of at least 4 on hosts, by slabs (SweepPath::automatic or slab),
/// without folded directions, and of one grid block: the preconditioner itself, or Parted of one part. `plan_options`
/// are the options of P.
///
/// A type is not chosen in which the factors of A overflow or that has not what the options ask for, and none but that
/// of the arithmetic where A is singular: the status of the plan will say so. Half comes before BFloat16, which has
/// fewer bits.
///
/// Costs a plan, a factorization and three solves with each type until one is good enough, one plan at a time, and
/// seven vectors. Waits for the instance. What it returns does not depend on the number of threads, but with a
/// LineImplicit of few long lines, which are cut by it where BlockTridiagonalOptions::partitions is 0. A choice for one
/// matrix need not be good for another: who factors again may choose again. Throws Error where the fraction is less
/// than 0 or no number, and as P does.
template <class P, class Matrix>
StorageKind choose_storage(const typename P::execution_space& exec, const Matrix& a,
                           const ChooseStorageOptions& options = {}, const typename P::Options& plan_options = {}) {
  using Scalar = typename P::scalar_type;
  using System = detail::StorageSystem<P, Matrix>;
  detail::check_storage_fraction("choose_storage", options.fraction);
  // One plan at a time.
  auto const with_plan = [&]<class Storage>(std::type_identity<Storage>, const auto& use) {
    typename P::template WithStorage<Storage> plan(exec, System::shape(a), plan_options);
    plan.factor(exec, a);
    if (plan.status(exec).ok()) use(plan);
  };
  using Comparison = detail::StorageComparison<typename System::Vector, typename P::execution_space>;
  std::optional<Comparison> comparison;
  with_plan(std::type_identity<Scalar>{}, [&](const auto& plan) {
    comparison.emplace(exec, System::domain(a), plan,
                       [&](const auto& vector, std::uint64_t seed) { detail::fill_random(exec, vector, seed); });
  });
  auto const is_near = [&]<class Storage>(std::type_identity<Storage> storage) {
    bool found = false;
    if constexpr (sizeof(Storage) < sizeof(Scalar) && detail::MayBeTried<P, Storage>) {
      if (!detail::is_tried<typename P::template WithStorage<Storage>, Storage>(plan_options)) return false;
      with_plan(storage, [&](const auto& plan) { found = comparison->difference(exec, plan) < options.fraction; });
    }
    return found;
  };
  if (comparison) {
    if (is_near(std::type_identity<Quarter>{})) return StorageKind::quarter;
    if (is_near(std::type_identity<Half>{})) return StorageKind::half;
    if (is_near(std::type_identity<BFloat16>{})) return StorageKind::bfloat16;
    if (is_near(std::type_identity<float>{})) return StorageKind::single_precision;
  }
  return std::is_same_v<Scalar, float> ? StorageKind::single_precision : StorageKind::double_precision;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
