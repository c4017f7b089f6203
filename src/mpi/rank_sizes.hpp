// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/mpi/mpi.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "compiled_blocks.hpp"
#include "find_size.hpp"
#include "typed_rank_objects.hpp"

// Included by files of their own for some block sizes each: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec>
class SizedRankMatrix final : public TypedRankMatrix<Exec> {
 public:
  using Vector = RankVector<Exec>;
  using Stencil = DistributedStencil7<double, n, Exec>;

  SizedRankMatrix(const Exec& exec, const RankShape& shape) : m_stencil(exec, shape) {}

  const Stencil& stencil() const { return m_stencil; }
  const typename Vector::Flat& flat() const override { return m_stencil.flat(); }
  void multiply(const Exec& exec, const Vector* b, const Vector& x, const Vector& y) const override {
    auto const from = x.template as<n>(), to = y.template as<n>();
    b == nullptr ? apply(exec, m_stencil, from, to) : residual(exec, m_stencil, b->template as<n>(), from, to);
  }
  void multiply_transposed(const Exec& exec, const Vector* b, const Vector& x, const Vector& y) const override {
    auto const from = x.template as<n>(), to = y.template as<n>();
    if (b == nullptr) return apply_transposed(exec, m_stencil, from, to);
    residual_transposed(exec, m_stencil, b->template as<n>(), from, to);
  }
  void mask(const Exec& exec, const std::int8_t* points) override {
    mask_points(exec, PointMask<Exec>(points, detail::as_size(m_stencil.grid().local().size())), m_stencil);
  }
  Transport transport() const override { return m_stencil.transport(); }

 private:
  Stencil m_stencil;
};

template <class P>
class SizedRankBlocks final : public TypedRankBlocks<typename P::execution_space> {
 public:
  using Exec = typename P::execution_space;
  using Vector = RankVector<Exec>;
  using Plan = DistributedMultiBlock<P, CompiledBlocks<P>>;
  static constexpr int n = P::block_size;

  SizedRankBlocks(const Exec& exec, const RankShape& shape, const typename Plan::Options& options)
      : m_plan(exec, shape, options) {}

  void factor(const Exec& exec, const TypedRankMatrix<Exec>& a) override {
    m_plan.factor(exec, static_cast<const SizedRankMatrix<n, Exec>&>(a).stencil());
  }
  FactorProblem problem(const Exec& exec, const RankGrid& grid) const override {
    auto const status = m_plan.status(exec);
    return {status.failure, grid.message(status)};
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_plan.solve(exec, rhs.template as<n>(), x.template as<n>());
  }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_plan.solve_transposed(exec, rhs.template as<n>(), x.template as<n>());
  }
  Transport transport() const override { return m_plan.transport(); }
  bool goes_through_devices() const override { return m_plan.goes_through_devices(); }
  std::optional<StorageKind> storage() const override { return CompiledBlocks<P>::storage; }

 private:
  Plan m_plan;
};

template <int n, class Exec>
class SizedRankFactory final : public RankFactory<Exec> {
 public:
  std::unique_ptr<TypedRankMatrix<Exec>> make_matrix(const Exec& exec, const RankShape& shape) const override {
    return std::make_unique<SizedRankMatrix<n, Exec>>(exec, shape);
  }
  std::unique_ptr<TypedRankBlocks<Exec>> make_blocks(const Exec& exec, const RankShape& shape,
                                                     const BlocksSettings& settings) const override {
    switch (settings.storage) {
      case StorageKind::double_precision: return make<double>(exec, shape, settings);
      case StorageKind::single_precision: return make<float>(exec, shape, settings);
      case StorageKind::half: return make<Half>(exec, shape, settings);
      case StorageKind::bfloat16: return make<BFloat16>(exec, shape, settings);
      case StorageKind::quarter: return make<Quarter>(exec, shape, settings);
    }
    return nullptr;
  }

 private:
  template <class Storage>
  static std::unique_ptr<TypedRankBlocks<Exec>> make(const Exec& exec, const RankShape& shape,
                                                     const BlocksSettings& settings) {
    using Made = std::unique_ptr<TypedRankBlocks<Exec>>;
    auto const check = [](auto, const auto&) { return true; };
    shape.communicator().agree([&] { return make_of_blocks<bool, n, Exec, Storage>(settings, check); });
    return make_of_blocks<Made, n, Exec, Storage>(
        settings, [&]<class P>(std::type_identity<P>, const typename MultiBlock<P>::Options& chosen) -> Made {
          return std::make_unique<SizedRankBlocks<P>>(exec, shape, chosen);
        });
  }
};

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const RankFactory<Kokkos::Serial>* find_rank_factory<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<RankFactory<Kokkos::Serial>, SizedRankFactory, Kokkos::Serial>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const RankFactory<Kokkos::OpenMP>* find_rank_factory<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<RankFactory<Kokkos::OpenMP>, SizedRankFactory, Kokkos::OpenMP>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const RankFactory<Kokkos::Cuda>* find_rank_factory<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<RankFactory<Kokkos::Cuda>, SizedRankFactory, Kokkos::Cuda>(n, Sizes{});
}
#endif

}  // namespace hyperplane::run_time
