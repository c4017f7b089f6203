// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/sweep/choose_storage.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "find_size.hpp"
#include "held_preconditioner.hpp"
#include "sized_blocks.hpp"
#include "typed_objects.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec>
class ShortFactory final : public SizedShortFactory<Exec> {
 public:
  using Preconditioner = std::unique_ptr<TypedPreconditioner<Exec>>;
  using Blocks = std::unique_ptr<TypedBlocks<Exec>>;

  Preconditioner make_preconditioner(const Exec& exec, const Grid& grid,
                                     const PreconditionerSettings& settings) const override {
    switch (settings.storage) {
      case StorageKind::half: return make<Half>(exec, grid, settings);
      case StorageKind::bfloat16: return make<BFloat16>(exec, grid, settings);
      case StorageKind::quarter: return make<Quarter>(exec, grid, settings);
      case StorageKind::single_precision: return make<float>(exec, grid, settings);
      case StorageKind::double_precision: break;
    }
    return nullptr;
  }
  Blocks make_blocks(const Exec& exec, const MultiBlockGrid& grid, const BlocksSettings& settings,
                     const std::vector<int>& colours, const std::shared_ptr<void>& remote) const override {
    auto const make = [&]<class Storage>(std::type_identity<Storage>) {
      return make_held_blocks<Part::points, Storage, n>(exec, grid, settings, colours, remote);
    };
    switch (settings.storage) {
      case StorageKind::half: return make(std::type_identity<Half>{});
      case StorageKind::bfloat16: return make(std::type_identity<BFloat16>{});
      case StorageKind::quarter: return make(std::type_identity<Quarter>{});
      case StorageKind::single_precision: return make(std::type_identity<float>{});
      case StorageKind::double_precision: break;
    }
    return nullptr;
  }

 private:
  template <class Storage>
  Preconditioner make(const Exec& exec, const Grid& grid, const PreconditionerSettings& settings) const {
    Preconditioner made;
    int kind = 0;
    for_each_preconditioner([&]<class Line>(const Line& line) {
      if (kind++ != settings.kind) return;
      if constexpr (Line::template has_factors<Storage> && n <= Line::largest_block_size) {
        using Plan = typename Line::AllPlans::template PlanOfDouble<n, Exec, Storage>;
        if (settings.storage_fraction && !is_tried<Plan, Storage>(line, settings)) return;
        made = make_plan<n, double, Plan>(exec, grid, line, settings);
      }
    });
    return made;
  }
  /// By ChosenStorage.
  template <class Plan, class Storage, class Line>
  static bool is_tried(const Line& line, const PreconditionerSettings& settings) {
    typename Plan::Options options;
    read_options(options, line, settings.options);
    return detail::is_tried<Plan, Storage>(options);
  }
};

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedShortFactory<Kokkos::Serial>* find_sized_short_factory<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedShortFactory<Kokkos::Serial>, ShortFactory, Kokkos::Serial>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedShortFactory<Kokkos::OpenMP>* find_sized_short_factory<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedShortFactory<Kokkos::OpenMP>, ShortFactory, Kokkos::OpenMP>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedShortFactory<Kokkos::Cuda>* find_sized_short_factory<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedShortFactory<Kokkos::Cuda>, ShortFactory, Kokkos::Cuda>(n, Sizes{});
}
#endif

}  // namespace hyperplane::run_time
