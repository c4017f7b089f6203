// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "find_size.hpp"
#include "held_preconditioner.hpp"
#include "sized_blocks.hpp"
#include "sized_matrix.hpp"
#include "typed_objects.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec>
class Factory final : public SizedFactory<Exec> {
 public:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;
  using Flat = typename SizedFactory<Exec>::Flat;
  using Matrix = std::unique_ptr<TypedMatrix<Exec>>;
  using Preconditioner = std::unique_ptr<TypedPreconditioner<Exec>>;

  void pack_rows(const Exec& exec, const Rows<const double>& rows, const ShapedVector<Exec>& vector) const override {
    pack(exec, rows, vector.template as<n>());
  }
  void unpack_rows(const Exec& exec, const ShapedVector<Exec>& vector, const Rows<double>& rows) const override {
    unpack(exec, vector.template as<n>(), rows);
  }
  Matrix make_matrix(const Exec& exec, const Grid& grid, StorageKind storage) const override {
    if (storage == StorageKind::double_precision) return std::make_unique<StencilMatrix<n, Exec, double>>(exec, grid);
    return std::make_unique<StencilMatrix<n, Exec, float>>(exec, grid);
  }
  Preconditioner make_preconditioner(const Exec& exec, const Grid& grid,
                                     const PreconditionerSettings& settings) const override {
    return make_held<Part::points, n>(exec, grid, settings);
  }
  Matrix wrap_matrix(const Grid& grid, const Flat& values) const override {
    return std::make_unique<StencilMatrix<n, Exec, double>>(BlockStencil7<double, n, Exec>(grid, values));
  }
  std::unique_ptr<TypedBlocks<Exec>> make_blocks(const Exec& exec, const MultiBlockGrid& grid,
                                                 const BlocksSettings& settings, const std::vector<int>& colours,
                                                 const std::shared_ptr<void>& remote) const override {
    return make_held_blocks<Part::points, double, n>(exec, grid, settings, colours, remote);
  }
};

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedFactory<Kokkos::Serial>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedFactory<Kokkos::Serial>, Factory, Kokkos::Serial>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedFactory<Kokkos::OpenMP>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedFactory<Kokkos::OpenMP>, Factory, Kokkos::OpenMP>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedFactory<Kokkos::Cuda>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedFactory<Kokkos::Cuda>, Factory, Kokkos::Cuda>(n, Sizes{});
}
#endif

}  // namespace hyperplane::run_time
