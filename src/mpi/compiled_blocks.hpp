// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/core/storage_real.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "backends.hpp"
#include "sized_blocks.hpp"
#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// The name of a storage type.
template <FactorReal Storage>
constexpr StorageKind storage_kind() {
  if constexpr (std::is_same_v<Storage, Half>) return StorageKind::half;
  if constexpr (std::is_same_v<Storage, BFloat16>) return StorageKind::bfloat16;
  if constexpr (std::is_same_v<Storage, Quarter>) return StorageKind::quarter;
  return std::is_same_v<Storage, float> ? StorageKind::single_precision : StorageKind::double_precision;
}

/// What makes a part of a block size of the build: SizedFactory<Exec>, SizedLineFactory<Exec> or
/// SizedShortFactory<Exec>.
template <class Factory, ExecutionSpace Exec>
const Factory& factory_of(int n, Part part) {
  const Factory* factory = nullptr;
  for_each_backend([&]<class Backend>(std::type_identity<Backend>, const std::string& name) {
    if constexpr (std::is_same_v<Backend, Exec>) factory = static_cast<const Factory*>(find_factory(name, n, part));
  });
  return *factory;
}

template <ExecutionSpace Exec>
const SizedFactory<Exec>& sized_factory(int n) {
  return factory_of<SizedFactory<Exec>, Exec>(n, Part::points);
}
template <ExecutionSpace Exec>
const SizedShortFactory<Exec>& sized_short_factory(int n) {
  return factory_of<SizedShortFactory<Exec>, Exec>(n, Part::short_factors);
}

/// What the library has of a block size, with the face of MultiBlock<P>, for DistributedMultiBlock: where it is used,
/// nothing of P is compiled but its PartOfRank, which has kernels of its own.
template <class P>
class CompiledBlocks {
 public:
  using Sized = SizedBlocks<P>;
  using Plan = typename Sized::Plan;
  using Exec = typename Sized::Exec;
  using scalar_type = double;
  using execution_space = Exec;
  static constexpr int block_size = P::block_size;
  static constexpr bool can_be_coloured = Plan::can_be_coloured;
  static constexpr StorageKind storage = storage_kind<typename P::storage_type>();
  using Options = typename Plan::Options;
  using Vector = typename Plan::Vector;
  using Failure = typename Plan::Failure;

  CompiledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options)
      : m_blocks(make(exec, grid, {.options = options, .storage = storage}, {}, nullptr)) {}
  CompiledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const std::vector<int>& colours,
                 const std::shared_ptr<typename Plan::RemoteColours>& remote)
    requires can_be_coloured
      : m_blocks(make(exec, grid, {.options = options, .storage = storage}, colours, remote)) {}

  static std::vector<int> checked_colours(const MultiBlockGrid& grid, const Options& options) {
    return Plan::checked_colours(grid, options);
  }
  void factor(const Exec& exec, const typename Sized::Matrix& a) { blocks().factor(exec, a); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { blocks().solve(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    blocks().solve_transposed(exec, rhs, x);
  }
  Failure first_failure(const Exec& exec) const { return blocks().first_failure(exec); }

 private:
  static std::shared_ptr<TypedBlocks<Exec>> make(const Exec& exec, const MultiBlockGrid& grid,
                                                 const BlocksSettings& settings, const std::vector<int>& colours,
                                                 const std::shared_ptr<void>& remote) {
    constexpr Part part = BlocksOf<typename P::Options>::part;
    if constexpr (part == Part::lines) {
      return factory_of<SizedLineFactory<Exec>, Exec>(block_size, part).make_blocks(exec, grid, settings);
    } else if constexpr (storage == StorageKind::double_precision) {
      return sized_factory<Exec>(block_size).make_blocks(exec, grid, settings, colours, remote);
    } else {
      return sized_short_factory<Exec>(block_size).make_blocks(exec, grid, settings, colours, remote);
    }
  }
  Sized& blocks() const { return static_cast<Sized&>(*m_blocks); }

  std::shared_ptr<TypedBlocks<Exec>> m_blocks;
};

}  // namespace hyperplane::run_time
