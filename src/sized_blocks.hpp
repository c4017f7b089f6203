// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

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

}  // namespace hyperplane::run_time
