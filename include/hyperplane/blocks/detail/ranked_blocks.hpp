// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/grouped_factor.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class Ssor;
template <Real Scalar, ExecutionSpace Exec, Real StorageScalar>
class Sip;

namespace detail {

/// What runs the sweeps of several grid blocks together, of a preconditioner whose solve is that of its sweeps(); none,
/// where they follow one another.
template <class P>
struct GroupedSweepsOf {
  using Type = std::monostate;
};
template <class Scalar, int n, HostExecutionSpace Exec, class Storage>
struct GroupedSweepsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, n, Exec, Storage>;
};
template <class Scalar, int n, HostExecutionSpace Exec, class Storage>
struct GroupedSweepsOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, n, Exec, Storage>;
};
template <class Scalar, HostExecutionSpace Exec, class Storage>
struct GroupedSweepsOf<Sip<Scalar, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, 1, Exec, Storage>;
};

/// The same of factorizations.
template <class P>
struct GroupedFactorOf {
  using Type = std::monostate;
};
template <class Scalar, int n, HostExecutionSpace Exec, class Storage>
struct GroupedFactorOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = GroupedBlockIlu0Factor<Scalar, n, Exec, Storage>;
};

/// A preconditioner for each grid block, by the rank of its colour; without colours all have rank 0. Those of a rank do
/// not depend on one another: where they can be, they are run together.
template <class P>
class RankedBlocks {
  using Exec = typename P::Vector::execution_space;

 public:
  template <class Options>
  RankedBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const Colouring& colouring) {
    m_blocks.reserve(as_size(grid.block_count()));
    for (auto const& block : grid.blocks()) m_blocks.emplace_back(exec, block, options);
    m_numbers.resize(as_size(colouring.count));
    for (std::size_t b = 0; b < m_blocks.size(); ++b) {
      m_numbers[colouring.ranks.empty() ? 0 : as_size(colouring.ranks[b])].push_back(static_cast<int>(b));
    }
    if constexpr (sweeps_together) {
      for (auto const& numbers : m_numbers) group(exec, grid, numbers);
    }
  }

  int ranks() const { return static_cast<int>(m_numbers.size()); }
  /// The grid blocks of a rank.
  const std::vector<int>& of(int rank) const { return m_numbers[as_size(rank)]; }
  const P& block(int number) const { return m_blocks.at(as_size(number)); }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a, int rank) {
    auto const& numbers = of(rank);
    if constexpr (factors_together) {
      if (auto const& together = m_factors[as_size(rank)]) {
        auto const plan_of = [&](int g) -> P& { return m_blocks[as_size(numbers[as_size(g)])]; };
        auto const matrix_of = [&](int g) { return a.block(numbers[as_size(g)]); };
        return together->template run<typename Matrix::storage_type>(exec, plan_of, matrix_of);
      }
    }
    for (int const b : numbers) m_blocks[as_size(b)].factor(exec, a.block(b));
  }

  /// solve(), forward() or backward(), as `sweeps` says: the halves where P is coupled by colours.
  template <class Vector>
  void sweep(const Exec& exec, int rank, Sweeps sweeps, const Vector& rhs, const Vector& x) const {
    if constexpr (sweeps_together) {
      if (auto const& together = m_sweeps[as_size(rank)]) {
        return together->run(exec, sweeps, rhs.flat().data(), x.flat().data());
      }
    }
    for (int const b : of(rank)) {
      auto const from = rhs.block(b), to = x.block(b);
      if (sweeps == Sweeps::both) {
        block(b).solve(exec, from, to);
      } else if constexpr (requires { block(b).forward(exec, from, to); }) {
        sweeps == Sweeps::forward ? block(b).forward(exec, from, to) : block(b).backward(exec, from, to);
      } else {
        fail("MultiBlock: this preconditioner has no halves of a solve");
      }
    }
  }

 private:
  using GroupedSweeps = typename GroupedSweepsOf<P>::Type;
  using GroupedFactor = typename GroupedFactorOf<P>::Type;
  static constexpr bool sweeps_together = !std::is_same_v<GroupedSweeps, std::monostate>;
  static constexpr bool factors_together = !std::is_same_v<GroupedFactor, std::monostate>;

  void group(const Exec& exec, const MultiBlockGrid& grid, const std::vector<int>& numbers) {
    auto& sweeps = m_sweeps.emplace_back();
    auto& factor = m_factors.emplace_back();
    // All have the same path.
    if (numbers.size() < 2 || !GroupedSweeps::takes(block(numbers[0]).sweeps())) return;
    BlockPacks<GroupedSweeps::vector_length> const packs(grid);
    std::vector<typename GroupedSweeps::Member> members;
    for (int const b : numbers) members.push_back({block(b).sweeps(), packs.first(b)});
    sweeps.emplace(exec, members);
    if constexpr (factors_together) factor.emplace(exec, members);
  }

  std::vector<P> m_blocks;
  std::vector<std::vector<int>> m_numbers;
  /// Of each rank, where its grid blocks are run together.
  std::vector<std::optional<GroupedSweeps>> m_sweeps;
  std::vector<std::optional<GroupedFactor>> m_factors;
};

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
