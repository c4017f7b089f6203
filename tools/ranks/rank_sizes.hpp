// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/mpi/mpi.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "compiled_blocks.hpp"
#include "memory.hpp"
#include "rank_system.hpp"

// Included by files of their own for some block sizes each: HYPERPLANE_SIZES. HYPERPLANE_GROUPS are those of the
// compiled library.
namespace hyperplane::tools {

namespace {

template <int n, class Exec>
class SizedRankSystem final : public RankSystem<Exec> {
 public:
  using Vector = RankVector<Exec>;
  using Preconditioner =
      DistributedMultiBlock<BlockIlu0<double, n, Exec>, run_time::CompiledBlocks<HYPERPLANE_GROUPS, n, Exec>>;

  SizedRankSystem(const Exec& exec, const RankShape& shape, const RankOptions& options) : m_a(exec, shape) {
    if (!options.has_factors) return;
    m_preconditioner.emplace(
        exec, shape, typename Preconditioner::Options{.coupling = options.coupling, .block = {.path = options.path}});
  }

  void set_block(const Exec& exec, int number, const double* values) override {
    auto const block = m_a.block(number);
    auto const points = static_cast<std::size_t>(block.grid().size());
    run_time::in_memory_of<false>(
        exec, values, block.grid().size() * stencil7_size * n * n, host, [&](const double* data) {
          Kokkos::LayoutStride const layout(points, stencil7_size * n * n, stencil7_size, n * n, n, n, n, 1);
          pack(exec, Unmanaged<const double****, Kokkos::LayoutStride>(data, layout), block);
        });
  }
  void set_block(const Exec& exec, const Vector& vector, int number, const double* values) const override {
    auto const block = vector.template as<n>().block(number);
    auto const rows = block.grid().size() * n;
    run_time::in_memory_of<false>(exec, values, rows, host,
                                  [&](const double* data) { pack(exec, Unmanaged<const double*>(data, rows), block); });
  }
  void get_block(const Exec& exec, const Vector& vector, int number, double* values) const override {
    auto const block = vector.template as<n>().block(number);
    auto const rows = block.grid().size() * n;
    run_time::in_memory_of<true>(exec, values, rows, host,
                                 [&](double* data) { unpack(exec, block, Unmanaged<double*>(data, rows)); });
  }
  void apply(const Exec& exec, const Vector& x, const Vector& y) const override {
    auto const from = x.template as<n>(), to = y.template as<n>();
    hyperplane::detail::with_couplings<false>(exec, m_a, from, to, [&](int l) {
      m_factory.apply(exec, from.local().grid().block(l), m_a.local().block(l).flat(), from.local().block(l).flat(),
                      to.local().block(l).flat());
    });
  }
  std::string not_finite(const Exec& exec) const override {
    return hyperplane::detail::describe_first_grid_block(m_a.grid(), [&](int number) {
      return m_factory.not_finite(exec, m_a.grid().whole().block(number), m_a.block(number).flat());
    });
  }
  void factor(const Exec& exec) override { m_preconditioner->factor(exec, m_a); }
  DistributedStatus<FactorStatus> status(const Exec& exec) const override { return m_preconditioner->status(exec); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_preconditioner->solve(exec, rhs.template as<n>(), x.template as<n>());
  }

 private:
  template <class T, class Layout = Kokkos::LayoutRight>
  using Unmanaged = Kokkos::View<T, Layout, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr auto host = run_time::MemorySpace::host;

  const run_time::SizedFactory<Exec>& m_factory = run_time::sized_factory<HYPERPLANE_GROUPS, Exec>(n);
  DistributedStencil7<double, n, Exec> m_a;
  std::optional<Preconditioner> m_preconditioner;
};

template <class Exec, int... sizes>
std::unique_ptr<RankSystem<Exec>> make_of_size(const Exec& exec, const RankShape& shape, const RankOptions& options,
                                               std::integer_sequence<int, sizes...>) {
  std::unique_ptr<RankSystem<Exec>> made;
  auto const make = [&]<int n>(std::integral_constant<int, n>) {
    if (n == shape.block_size) made = std::make_unique<SizedRankSystem<n, Exec>>(exec, shape, options);
  };
  (make(std::integral_constant<int, sizes>{}), ...);
  return made;
}

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
std::unique_ptr<RankSystem<Kokkos::Serial>> make_system_of_group<HYPERPLANE_GROUP>(const Kokkos::Serial& exec,
                                                                                   const RankShape& shape,
                                                                                   const RankOptions& options) {
  return make_of_size(exec, shape, options, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
std::unique_ptr<RankSystem<Kokkos::OpenMP>> make_system_of_group<HYPERPLANE_GROUP>(const Kokkos::OpenMP& exec,
                                                                                   const RankShape& shape,
                                                                                   const RankOptions& options) {
  return make_of_size(exec, shape, options, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
std::unique_ptr<RankSystem<Kokkos::Cuda>> make_system_of_group<HYPERPLANE_GROUP>(const Kokkos::Cuda& exec,
                                                                                 const RankShape& shape,
                                                                                 const RankOptions& options) {
  return make_of_size(exec, shape, options, Sizes{});
}
#endif

}  // namespace hyperplane::tools
