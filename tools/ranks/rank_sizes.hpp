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
#include "rank_system.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::tools {

namespace {

/// use(values) where kernels reach them, with what the host has, or for it.
template <bool is_output, class Exec, class T, class Use>
void with_values(const Exec& exec, T* values, std::int64_t count, const Use& use) {
  if constexpr (HostExecutionSpace<Exec>) {
    use(values);
  } else {
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Host const host(values, count);
    Kokkos::View<std::remove_const_t<T>*, typename Exec::memory_space> const staged("Hyperplane::staged", count);
    if constexpr (!is_output) Kokkos::deep_copy(exec, staged, host);
    use(staged.data());
    if constexpr (is_output) Kokkos::deep_copy(exec, host, staged);
  }
  exec.fence("Hyperplane: host memory");
}

template <int n, class Exec>
class SizedRankSystem final : public RankSystem<Exec> {
 public:
  using Vector = RankVector<Exec>;
  using Preconditioner =
      DistributedMultiBlock<BlockIlu0<double, n, Exec>, run_time::CompiledBlocks<HYPERPLANE_GROUP, n, Exec>>;

  SizedRankSystem(const Exec& exec, const RankShape& shape, const RankOptions& options) : m_a(exec, shape) {
    if (!options.has_factors) return;
    m_preconditioner.emplace(
        exec, shape, typename Preconditioner::Options{.coupling = options.coupling, .block = {.path = options.path}});
  }

  void set_block(const Exec& exec, int number, const double* values) override {
    auto const block = m_a.block(number);
    auto const points = static_cast<std::size_t>(block.grid().size());
    with_values<false>(exec, values, block.grid().size() * stencil7_size * n * n, [&](const double* data) {
      Kokkos::LayoutStride const layout(points, stencil7_size * n * n, stencil7_size, n * n, n, n, n, 1);
      pack(exec, Unmanaged<const double****, Kokkos::LayoutStride>(data, layout), block);
    });
  }
  void set_block(const Exec& exec, const Vector& vector, int number, const double* values) const override {
    auto const block = vector.template as<n>().block(number);
    auto const rows = block.grid().size() * n;
    with_values<false>(exec, values, rows,
                       [&](const double* data) { pack(exec, Unmanaged<const double*>(data, rows), block); });
  }
  void get_block(const Exec& exec, const Vector& vector, int number, double* values) const override {
    auto const block = vector.template as<n>().block(number);
    auto const rows = block.grid().size() * n;
    with_values<true>(exec, values, rows, [&](double* data) { unpack(exec, block, Unmanaged<double*>(data, rows)); });
  }
  void apply(const Exec& exec, const Vector& x, const Vector& y) const override {
    hyperplane::apply(exec, m_a, x.template as<n>(), y.template as<n>());
  }
  std::string not_finite(const Exec& exec) const override { return describe_not_finite(exec, m_a); }
  void factor(const Exec& exec) override { m_preconditioner->factor(exec, m_a); }
  DistributedStatus<FactorStatus> status(const Exec& exec) const override { return m_preconditioner->status(exec); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_preconditioner->solve(exec, rhs.template as<n>(), x.template as<n>());
  }

 private:
  template <class T, class Layout = Kokkos::LayoutRight>
  using Unmanaged = Kokkos::View<T, Layout, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

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
