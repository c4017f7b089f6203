// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>

#include <memory>
#include <type_traits>

#include "typed_csr.hpp"

namespace hyperplane::run_time {

/// A plan. BlockIlu0Csr and BlockIlukCsr are compiled as one, and BlockIlutCsr has the sweeps of these; so are DiluCsr
/// and SsorCsr.
template <int n, class Exec, class Held>
class HeldCsrPlan final : public TypedCsrPlan<Exec> {
 public:
  using typename TypedCsrPlan<Exec>::Vector;
  using typename TypedCsrPlan<Exec>::Vectors;
  HeldCsrPlan(const Exec& exec, const CsrArrays<Exec>& a, const typename Held::Options& options)
      : m_held(exec, block_csr<n>(a), options) {}

  void factor(const Exec& exec, const CsrArrays<Exec>& a) override { m_held.factor(exec, block_csr<n>(a)); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve(exec, rhs.flat(), x.flat());
  }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve_transposed(exec, rhs.flat(), x.flat());
  }
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_held.solve(exec, point_vectors<n>(rhs), point_vectors<n>(x));
  }
  void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_held.solve_transposed(exec, point_vectors<n>(rhs), point_vectors<n>(x));
  }
  FactorProblem problem(const Exec& exec) const override { return FactorProblem::of(m_held.status(exec)); }

 private:
  Held m_held;
};

/// One whose factors are stored in this type; or null, where the settings are of none that has factors.
template <int n, class Exec, class Storage>
std::unique_ptr<TypedCsrPlan<Exec>> make_stored_csr_plan(const Exec& exec, const CsrArrays<Exec>& a,
                                                         const CsrPreconditionerSettings& settings) {
  auto const make = [&]<class Held>(std::type_identity<Held>, const typename Held::Options& options) {
    return std::unique_ptr<TypedCsrPlan<Exec>>(std::make_unique<HeldCsrPlan<n, Exec, Held>>(exec, a, options));
  };
  auto const path = CsrPath::automatic;
  bool const adjoint = settings.transposed != 0;
  auto const& given_order = settings.given_order;
  auto const order = settings.order;
  double const shift = settings.pivot_shift;
  switch (settings.kind) {
    case csr_bilu0:
      return make(std::type_identity<BlockIlu0Csr<double, n, Exec, Storage>>(),
                  {path, order, given_order, adjoint, shift});
    case csr_iluk:
      return make(std::type_identity<BlockIlukCsr<double, n, Exec, Storage>>(),
                  {settings.fill, path, order, given_order, adjoint, shift});
    case csr_ilut:
      return make(std::type_identity<BlockIlutCsr<double, n, Exec, Storage>>(),
                  {settings.drop_tolerance, settings.row_entries, path, order, given_order, adjoint, shift});
    default: break;
  }
  // Others have no factors of 8 bits.
  if constexpr (StorageReal<Storage>) {
    switch (settings.kind) {
      case csr_jacobi:
        return make(std::type_identity<BlockJacobiCsr<double, n, Exec, Storage>>(), {settings.relaxation, shift});
      case csr_ssor:
        return make(std::type_identity<SsorCsr<double, n, Exec, Storage>>(),
                    {settings.relaxation, path, order, given_order, adjoint, shift});
      case csr_dilu:
        return make(std::type_identity<DiluCsr<double, n, Exec, Storage>>(),
                    {false, path, order, given_order, adjoint, shift});
      default: break;
    }
  }
  return nullptr;
}

}  // namespace hyperplane::run_time
