// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal for n = 1 beside cuSPARSE's gtsv2StridedBatch on the same systems in one run, both verified by their
// residual. gtsv2 factors in every solve, so it is compared with factor and solve together, and with a solve alone.

#include "support/cuda_support.hpp"
#include "support/cusparse_support.hpp"
#include "support/kernel_benchmarks.hpp"
#include "support/line_problem.hpp"
#include "support/suites.hpp"

#include <benchmark/benchmark.h>
#include <cusparse.h>
#include <Kokkos_Core.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::Cuda;
using Values = Kokkos::View<double*, Exec>;

/// The systems of LineProblem<1>, one after the other.
class PeerProblem {
 public:
  PeerProblem(const Exec& exec, std::int64_t count, int length, const BlockTridiagonalOptions&)
      : m_count(static_cast<int>(count)),
        m_length(length),
        m_lower("lower", count * length),
        m_diagonal("diagonal", count * length),
        m_upper("upper", count * length),
        m_b("b", count * length),
        m_x("x", count * length) {
    check_cusparse(cusparseCreate(&m_handle));
    check_cusparse(cusparseSetStream(m_handle, exec.cuda_stream()));
    std::size_t bytes = 0;
    check_cusparse(cusparseDgtsv2StridedBatch_bufferSizeExt(m_handle, m_length, m_lower.data(), m_diagonal.data(),
                                                            m_upper.data(), m_x.data(), m_count, m_length, &bytes));
    m_work = Kokkos::View<char*, Exec>("work", bytes);
    assemble(exec);
    solve(exec);
    verify(exec);
  }
  PeerProblem(const PeerProblem&) = delete;
  PeerProblem& operator=(const PeerProblem&) = delete;
  ~PeerProblem() { cusparseDestroy(m_handle); }

  /// gtsv2 overwrites its right-hand side.
  void solve(const Exec& exec) const {
    check_cuda(cudaMemcpyAsync(m_x.data(), m_b.data(), m_x.size() * sizeof(double), cudaMemcpyDeviceToDevice,
                               exec.cuda_stream()));
    check_cusparse(cusparseDgtsv2StridedBatch(m_handle, m_length, m_lower.data(), m_diagonal.data(), m_upper.data(),
                                              m_x.data(), m_count, m_length, m_work.data()));
  }

  void assemble(const Exec& exec) const {
    test::RandomLines const of{1};
    int const length = m_length;
    auto const lower = m_lower, diagonal = m_diagonal, upper = m_upper, b = m_b;
    Kokkos::parallel_for(
        "Peer::assemble", Kokkos::RangePolicy<Exec>(exec, 0, m_x.size()), KOKKOS_LAMBDA(std::int64_t point) {
          lower(point) = point % length > 0 ? of.coefficient(point, LineBlock::lower, 0, 0) : 0.0;
          diagonal(point) = of.coefficient(point, LineBlock::diagonal, 0, 0);
          upper(point) = point % length < length - 1 ? of.coefficient(point, LineBlock::upper, 0, 0) : 0.0;
          b(point) = of.rhs(point, 0);
        });
  }

  void verify(const Exec& exec) const {
    int const length = m_length;
    auto const lower = m_lower, diagonal = m_diagonal, upper = m_upper, b = m_b, x = m_x;
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce(
        "Peer::verify", Kokkos::RangePolicy<Exec>(exec, 0, m_x.size()),
        KOKKOS_LAMBDA(std::int64_t point, std::int64_t& count) {
          double sum = b(point) - diagonal(point) * x(point);
          if (point % length > 0) sum -= lower(point) * x(point - 1);
          if (point % length < length - 1) sum -= upper(point) * x(point + 1);
          count += !(Kokkos::abs(sum) <= 1e-12);
        },
        wrong);
    if (wrong != 0) throw std::runtime_error("gtsv2StridedBatch: a residual is too large");
  }

 private:
  cusparseHandle_t m_handle = nullptr;
  int m_count;
  int m_length;
  Values m_lower, m_diagonal, m_upper, m_b, m_x;
  Kokkos::View<char*, Exec> m_work;
};

class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    using Own = LineProblem<1, Exec, double>;
    auto const grid = m_benchmarks.settings().smoke ? Grid(5, 7, 9) : Grid(128, 128, 128);
    auto const both = line_factor_cost<double, double>(1) + line_solve_cost<double>(1);
    register_case<Own>(grid, "line_factor_and_solve/Hyperplane", both, [](Own& p, const Exec& e) {
      p.factor(e);
      p.solve(e);
    });
    register_case<Own>(grid, "line_solve/Hyperplane", line_solve_cost<double>(1),
                       [](Own& p, const Exec& e) { p.solve(e); });
    register_case<PeerProblem>(grid, "line_factor_and_solve/gtsv2StridedBatch", both,
                               [](PeerProblem& p, const Exec& e) { p.solve(e); });
  }

 private:
  template <class Problem>
  void register_case(const Grid& grid, const std::string& what, const Cost& cost, void (*run)(Problem&, const Exec&)) {
    auto const key = what + "/Cuda/double/n=1/" + to_string(grid);
    m_benchmarks.add<Problem>(
        key, key, grid.size(), cost,
        [=, exec = m_benchmarks.exec()] {
          return std::make_shared<Problem>(exec, std::int64_t{grid.ni()} * grid.nj(), grid.nk(),
                                           BlockTridiagonalOptions{});
        },
        run);
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::Suite>(argc, argv); }
