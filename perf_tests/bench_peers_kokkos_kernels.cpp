// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal beside the batched building blocks of Kokkos Kernels (LU, trsm and gemm, trsv and gemv on SIMD
// vector types), put together as in K. Kim's paper: one line pack after the other, in place, the same interleaved
// layout, the same systems, both in one run and both verified by their residual. On host execution spaces, where Kokkos
// Kernels' vector types and ours are the same registers.

#include "support/cache.hpp"
#include "support/harness.hpp"
#include "support/line_problem.hpp"

#include <benchmark/benchmark.h>
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Serial_Impl.hpp>
#include <KokkosBatched_Vector.hpp>
#include <KokkosBlas2_serial_gemv.hpp>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

namespace kb = KokkosBatched;
using Exec = Kokkos::DefaultHostExecutionSpace;
constexpr int width = line_vector_length_v<double, Exec>;
using Lanes = kb::Vector<kb::SIMD<double>, width>;
/// (pack, position, block, r, c), and (pack, position, c).
using Blocks = Kokkos::View<Lanes*****, Kokkos::LayoutRight, Exec>;
using Vectors = Kokkos::View<Lanes***, Kokkos::LayoutRight, Exec>;
constexpr int lower = 0, diagonal = 1, upper = 2;

/// L U = A in place, U <- L^-1 U, L <- L U^-1, and the next diagonal less their product.
template <class Algorithm>
struct PeerFactor {
  Blocks m_given;
  Blocks m_a;

  void operator()(int pack) const {
    auto const all = Kokkos::ALL();
    auto const length = static_cast<int>(m_a.extent(1));
    auto const entries = m_a.stride(1);
    auto const copy = [&](int p) {
      const Lanes* const from = &m_given(pack, p, 0, 0, 0);
      Lanes* const to = &m_a(pack, p, 0, 0, 0);
      for (std::size_t e = 0; e < entries; ++e) to[e] = from[e];
    };
    copy(0);
    for (int p = 0; p < length; ++p) {
      auto const a = Kokkos::subview(m_a, pack, p, diagonal, all, all);
      kb::SerialLU<Algorithm>::invoke(a);
      if (p + 1 == length) break;
      copy(p + 1);
      auto const b = Kokkos::subview(m_a, pack, p, upper, all, all);
      auto const c = Kokkos::subview(m_a, pack, p + 1, lower, all, all);
      auto const next = Kokkos::subview(m_a, pack, p + 1, diagonal, all, all);
      kb::SerialTrsm<kb::Side::Left, kb::Uplo::Lower, kb::Trans::NoTranspose, kb::Diag::Unit, Algorithm>::invoke(1.0, a,
                                                                                                                 b);
      kb::SerialTrsm<kb::Side::Right, kb::Uplo::Upper, kb::Trans::NoTranspose, kb::Diag::NonUnit, Algorithm>::invoke(
          1.0, a, c);
      kb::SerialGemm<kb::Trans::NoTranspose, kb::Trans::NoTranspose, Algorithm>::invoke(-1.0, c, b, 1.0, next);
    }
  }
};

template <class Algorithm>
struct PeerSolve {
  Blocks m_a;
  Vectors m_b;
  Vectors m_x;

  void operator()(int pack) const {
    auto const all = Kokkos::ALL();
    auto const length = static_cast<int>(m_a.extent(1));
    auto const n = static_cast<int>(m_a.extent(3));
    auto const block = [&](int p, int which) { return Kokkos::subview(m_a, pack, p, which, all, all); };
    auto const x = [&](int p) { return Kokkos::subview(m_x, pack, p, all); };
    using Gemv = KokkosBlas::SerialGemv<kb::Trans::NoTranspose, Algorithm>;
    for (int p = 0; p < length; ++p) {
      for (int c = 0; c < n; ++c) m_x(pack, p, c) = m_b(pack, p, c);
      if (p > 0) Gemv::invoke(-1.0, block(p, lower), x(p - 1), 1.0, x(p));
      kb::SerialTrsv<kb::Uplo::Lower, kb::Trans::NoTranspose, kb::Diag::Unit, Algorithm>::invoke(
          1.0, block(p, diagonal), x(p));
    }
    for (int p = length - 1; p >= 0; --p) {
      if (p + 1 < length) Gemv::invoke(-1.0, block(p, upper), x(p + 1), 1.0, x(p));
      kb::SerialTrsv<kb::Uplo::Upper, kb::Trans::NoTranspose, kb::Diag::NonUnit, Algorithm>::invoke(
          1.0, block(p, diagonal), x(p));
    }
  }
};

/// The systems of LineProblem, in the views of Kokkos Kernels.
template <int n, class Algorithm, class VectorAlgorithm>
class PeerProblem {
 public:
  PeerProblem(const Exec& exec, std::int64_t count, int length)
      : m_count(count),
        m_given(allocate("given", count, length)),
        m_a(allocate("factors", count, length)),
        m_b("b", m_a.extent(0), length, n),
        m_x("x", m_a.extent(0), length, n) {
    assemble(exec);
    factor(exec);
    solve(exec);
    verify();
  }

  void factor(const Exec& exec) const {
    Kokkos::parallel_for("Peer::factor", packs(exec), PeerFactor<Algorithm>{m_given, m_a});
  }
  void solve(const Exec& exec) const {
    Kokkos::parallel_for("Peer::solve", packs(exec), PeerSolve<VectorAlgorithm>{m_a, m_b, m_x});
  }

 private:
  static Blocks allocate(const std::string& name, std::int64_t count, int length) {
    return Blocks(name, (count + width - 1) / width, length, 3, n, n);
  }
  Kokkos::RangePolicy<Exec> packs(const Exec& exec) const { return {exec, 0, static_cast<int>(m_a.extent(0))}; }

  void assemble(const Exec& exec) const {
    LineCoefficients const of{n};
    auto const length = static_cast<int>(m_a.extent(1));
    Kokkos::parallel_for("Peer::assemble", packs(exec), [=, this](int pack) {
      for (int p = 0; p < length; ++p) {
        for (int lane = 0; lane < width; ++lane) {
          auto const line = std::int64_t{pack} * width + lane;
          auto const point = line * length + p;
          for (int r = 0; r < n; ++r) {
            for (int block = 0; block < 3; ++block) {
              for (int c = 0; c < n; ++c) {
                double const unit = block == diagonal && r == c ? 1.0 : 0.0;
                m_given(pack, p, block, r, c)[lane] = line < m_count ? of.entry(point, block, r, c) : unit;
              }
            }
            m_b(pack, p, r)[lane] = line < m_count ? of.rhs(point, r) : 0.0;
          }
        }
      }
    });
    exec.fence();
  }

  void verify() const {
    LineCoefficients const of{n};
    auto const length = static_cast<int>(m_a.extent(1));
    for (std::int64_t point = 0; point < m_count * length; ++point) {
      auto const line = point / length;
      int const p = static_cast<int>(point % length);
      for (int r = 0; r < n; ++r) {
        double sum = of.rhs(point, r);
        for (int block = 0; block < 3; ++block) {
          int const q = p + block - 1;
          if (q < 0 || q >= length) continue;
          for (int c = 0; c < n; ++c) {
            sum -= of.entry(point, block, r, c) * m_x(line / width, q, c)[static_cast<int>(line % width)];
          }
        }
        if (!(std::abs(sum) <= 1e-12 * n)) throw std::runtime_error("Kokkos Kernels: a residual is too large");
      }
    }
  }

  std::int64_t m_count;
  Blocks m_given;
  Blocks m_a;
  Vectors m_b;
  Vectors m_x;
};

class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    auto const large = m_settings.smoke ? Grid(5, 7, 9) : Grid(64, 64, 128);
    auto const small = m_settings.smoke ? Grid(5, 3, 9) : Grid(32, 32, 128);
    register_block_size<3>(large);
    register_block_size<5>(large);
    register_block_size<10>(small);
    register_block_size<15>(small);
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_case<n, LineProblem<n, Exec, double>>(grid, "Hyperplane", BlockTridiagonalOptions{});
    register_case<n, PeerProblem<n, kb::Algo::Level3::Unblocked, kb::Algo::Level2::Unblocked>>(
        grid, "KokkosKernels_unblocked");
    register_case<n, PeerProblem<n, kb::Algo::Level3::Blocked, kb::Algo::Level2::Blocked>>(grid,
                                                                                           "KokkosKernels_blocked");
  }

  template <int n, class Problem, class... Options>
  void register_case(const Grid& grid, const std::string& library, const Options&... options) {
    auto const key =
        library + "/" + std::string(Exec::name()) + "/double/n=" + std::to_string(n) + "/" + to_string(grid);
    auto const add = [&](const std::string& kernel, const Cost& cost, void (*run)(Problem&, const Exec&)) {
      benchmark::RegisterBenchmark(
          (kernel + "/" + key).c_str(),
          [=, this](benchmark::State& state) {
            auto& problem = m_problem.get<Problem>(key, [&] {
              return std::make_shared<Problem>(m_exec, std::int64_t{grid.ni()} * grid.nj(), grid.nk(), options...);
            });
            time_kernel(state, m_exec, *m_stream, grid.size(), cost, [&] { run(problem, m_exec); });
          })
          ->Iterations(m_settings.repetitions)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    };
    add("line_factor", line_factor_cost(n, 8, 8), [](Problem& p, const Exec& e) { p.factor(e); });
    add("line_solve", line_solve_cost(n, 8, 8), [](Problem& p, const Exec& e) { p.solve(e); });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_problem;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  return run_benchmarks(argc, argv, [](const Settings& settings) {
    auto suite = std::make_shared<Suite>(settings);
    suite->register_all();
    return std::static_pointer_cast<void>(suite);
  });
}
