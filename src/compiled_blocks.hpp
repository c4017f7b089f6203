// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include <memory>
#include <vector>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// A MultiBlock<BlockIlu0> that is compiled with the rest of its block size.
template <int n, ExecutionSpace Exec>
class SizedBlocks : public TypedBlocks<Exec> {
 public:
  using Plan = MultiBlock<BlockIlu0<double, n, Exec>>;
  using Matrix = MultiBlockStencil7<double, n, Exec>;
  using Vector = typename Plan::Vector;
  virtual void factor(const Exec& exec, const Matrix& a) = 0;
  virtual void solve(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual typename Plan::Failure first_failure(const Exec& exec) const = 0;
};

template <int n, ExecutionSpace Exec>
class HeldBlocks final : public SizedBlocks<n, Exec> {
 public:
  using Base = SizedBlocks<n, Exec>;
  template <class... Arguments>
  explicit HeldBlocks(const Exec& exec, const MultiBlockGrid& grid, const Arguments&... arguments)
      : m_held(exec, grid, arguments...) {}

  void factor(const Exec& exec, const typename Base::Matrix& a) override { m_held.factor(exec, a); }
  void solve(const Exec& exec, const typename Base::Vector& rhs, const typename Base::Vector& x) const override {
    m_held.solve(exec, rhs, x);
  }
  typename Base::Plan::Failure first_failure(const Exec& exec) const override { return m_held.first_failure(exec); }

 private:
  typename Base::Plan m_held;
};

/// What is compiled for a block size with the face of MultiBlock, for DistributedMultiBlock: nothing of BILU(0) is
/// compiled where it is used.
template <int groups, int n, ExecutionSpace Exec>
class CompiledBlocks {
 public:
  using Sized = SizedBlocks<n, Exec>;
  using Plan = typename Sized::Plan;
  using scalar_type = double;
  using execution_space = Exec;
  static constexpr int block_size = n;
  static constexpr bool can_be_coloured = Plan::can_be_coloured;
  using Options = typename Plan::Options;
  using Vector = typename Plan::Vector;

  CompiledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options)
      : CompiledBlocks(exec, grid, options, {}, nullptr) {}
  CompiledBlocks(const Exec& exec, const MultiBlockGrid& grid, const Options& options, const std::vector<int>& colours,
                 const std::shared_ptr<typename Plan::RemoteColours>& remote)
      : m_blocks(sized_factory<groups, Exec>(n).make_blocks(exec, grid, options, colours, remote)) {}

  static std::vector<int> checked_colours(const MultiBlockGrid& grid, const Options& options) {
    return Plan::checked_colours(grid, options);
  }
  void factor(const Exec& exec, const typename Sized::Matrix& a) { blocks().factor(exec, a); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { blocks().solve(exec, rhs, x); }
  typename Plan::Failure first_failure(const Exec& exec) const { return blocks().first_failure(exec); }

 private:
  Sized& blocks() const { return static_cast<Sized&>(*m_blocks); }

  std::shared_ptr<TypedBlocks<Exec>> m_blocks;
};

}  // namespace hyperplane::run_time
