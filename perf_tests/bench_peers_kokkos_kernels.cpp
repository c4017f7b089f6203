// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal beside the batched building blocks of Kokkos Kernels (LU, trsm and gemm, trsv and gemv on SIMD
// vector types), put together as in K. Kim's paper: packs of lines in parallel, in place, the same interleaved layout,
// the same systems, both in one run and both verified by their residual. On host execution spaces a thread has a pack
// and calls the functions for one thread; elsewhere a team has a pack and calls those for teams, with internal vectors
// of two doubles, or a thread has an internal vector of the pack and calls those for one thread.

#include "support/cache.hpp"
#include "support/harness.hpp"
#include "support/line_problem.hpp"
#include "support/suites.hpp"

#include <benchmark/benchmark.h>
#include <KokkosBatched_Gemm_Decl.hpp>
#include <KokkosBatched_Gemm_Serial_Impl.hpp>
#include <KokkosBatched_Gemm_Team_Impl.hpp>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_LU_Serial_Impl.hpp>
#include <KokkosBatched_LU_Team_Impl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>
#include <KokkosBatched_Trsm_Serial_Impl.hpp>
#include <KokkosBatched_Trsm_Team_Impl.hpp>
#include <KokkosBatched_Trsv_Decl.hpp>
#include <KokkosBatched_Trsv_Serial_Impl.hpp>
#include <KokkosBatched_Trsv_Team_Impl.hpp>
#include <KokkosBatched_Vector.hpp>
#include <KokkosBlas2_serial_gemv.hpp>
#include <KokkosBlas2_team_gemv.hpp>
#include <Kokkos_Core.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {
namespace {

namespace kb = KokkosBatched;
using NoTranspose = kb::Trans::NoTranspose;
constexpr int lower = 0, diagonal = 1, upper = 2;

/// The views of Kokkos Kernels for an execution space: of internal vectors.
template <class Exec>
struct Peer {
  static constexpr int width = line_vector_length_v<double, Exec>;
  static constexpr int internal = internal_vector_length_v<double, Exec>;
  static constexpr int vectors = width / internal;
  using Lanes = kb::Vector<kb::SIMD<double>, internal>;
  /// (pack, position, block, r, c, v), and (pack, position, c, v): v is the internal vector in the pack.
  using Blocks = Kokkos::View<Lanes******, Kokkos::LayoutRight, Exec>;
  using Vectors = Kokkos::View<Lanes****, Kokkos::LayoutRight, Exec>;
};

/// The functions of Kokkos Kernels for one thread.
template <class Level3, class Level2>
struct OneThread {
  struct Member {
    KOKKOS_FUNCTION void team_barrier() const {}
  };
  template <class Body>
  KOKKOS_FUNCTION static void for_each(const Member&, int count, const Body& body) {
    for (int e = 0; e < count; ++e) body(e);
  }
  template <class A>
  KOKKOS_FUNCTION static void lu(const Member&, const A& a) {
    kb::SerialLU<Level3>::invoke(a);
  }
  /// B <- L^-1 B.
  template <class A, class B>
  KOKKOS_FUNCTION static void lower_left(const Member&, const A& a, const B& b) {
    kb::SerialTrsm<kb::Side::Left, kb::Uplo::Lower, NoTranspose, kb::Diag::Unit, Level3>::invoke(1.0, a, b);
  }
  /// C <- C U^-1.
  template <class A, class C>
  KOKKOS_FUNCTION static void upper_right(const Member&, const A& a, const C& c) {
    kb::SerialTrsm<kb::Side::Right, kb::Uplo::Upper, NoTranspose, kb::Diag::NonUnit, Level3>::invoke(1.0, a, c);
  }
  /// D <- D - C B.
  template <class C, class B, class D>
  KOKKOS_FUNCTION static void gemm(const Member&, const C& c, const B& b, const D& d) {
    kb::SerialGemm<NoTranspose, NoTranspose, Level3>::invoke(-1.0, c, b, 1.0, d);
  }
  /// y <- y - A x.
  template <class A, class X, class Y>
  KOKKOS_FUNCTION static void gemv(const Member&, const A& a, const X& x, const Y& y) {
    KokkosBlas::SerialGemv<NoTranspose, Level2>::invoke(-1.0, a, x, 1.0, y);
  }
  /// x <- L^-1 x, x <- U^-1 x.
  template <class A, class X>
  KOKKOS_FUNCTION static void lower_solve(const Member&, const A& a, const X& x) {
    kb::SerialTrsv<kb::Uplo::Lower, NoTranspose, kb::Diag::Unit, Level2>::invoke(1.0, a, x);
  }
  template <class A, class X>
  KOKKOS_FUNCTION static void upper_solve(const Member&, const A& a, const X& x) {
    kb::SerialTrsv<kb::Uplo::Upper, NoTranspose, kb::Diag::NonUnit, Level2>::invoke(1.0, a, x);
  }
  template <class Exec, class Kernel>
  static void run(const char* name, const Exec& exec, int packs, int, const Kernel& kernel) {
    constexpr int vectors = Peer<Exec>::vectors;
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec>(exec, 0, packs * vectors),
        KOKKOS_LAMBDA(int item) { kernel(Member{}, item / vectors, item % vectors); });
  }
};

/// Those for teams. Threads of a team: so many that the blocks of n x n have about one thread for each of their rows,
/// as Trilinos chooses them.
template <class Level3, class Level2>
struct OneTeam {
  template <class Member, class Body>
  KOKKOS_FUNCTION static void for_each(const Member& member, int count, const Body& body) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), body);
  }
  template <class Member, class A>
  KOKKOS_FUNCTION static void lu(const Member& member, const A& a) {
    kb::TeamLU<Member, Level3>::invoke(member, a);
  }
  /// B <- L^-1 B.
  template <class Member, class A, class B>
  KOKKOS_FUNCTION static void lower_left(const Member& member, const A& a, const B& b) {
    kb::TeamTrsm<Member, kb::Side::Left, kb::Uplo::Lower, NoTranspose, kb::Diag::Unit, Level3>::invoke(member, 1.0, a,
                                                                                                       b);
  }
  /// C <- C U^-1.
  template <class Member, class A, class C>
  KOKKOS_FUNCTION static void upper_right(const Member& member, const A& a, const C& c) {
    kb::TeamTrsm<Member, kb::Side::Right, kb::Uplo::Upper, NoTranspose, kb::Diag::NonUnit, Level3>::invoke(member, 1.0,
                                                                                                           a, c);
  }
  /// D <- D - C B.
  template <class Member, class C, class B, class D>
  KOKKOS_FUNCTION static void gemm(const Member& member, const C& c, const B& b, const D& d) {
    kb::TeamGemm<Member, NoTranspose, NoTranspose, Level3>::invoke(member, -1.0, c, b, 1.0, d);
  }
  /// y <- y - A x.
  template <class Member, class A, class X, class Y>
  KOKKOS_FUNCTION static void gemv(const Member& member, const A& a, const X& x, const Y& y) {
    KokkosBlas::TeamGemv<Member, NoTranspose, Level2>::invoke(member, -1.0, a, x, 1.0, y);
  }
  /// x <- L^-1 x, x <- U^-1 x.
  template <class Member, class A, class X>
  KOKKOS_FUNCTION static void lower_solve(const Member& member, const A& a, const X& x) {
    kb::TeamTrsv<Member, kb::Uplo::Lower, NoTranspose, kb::Diag::Unit, Level2>::invoke(member, 1.0, a, x);
  }
  template <class Member, class A, class X>
  KOKKOS_FUNCTION static void upper_solve(const Member& member, const A& a, const X& x) {
    kb::TeamTrsv<Member, kb::Uplo::Upper, NoTranspose, kb::Diag::NonUnit, Level2>::invoke(member, 1.0, a, x);
  }
  template <class Exec, class Kernel>
  static void run(const char* name, const Exec& exec, int packs, int n, const Kernel& kernel) {
    constexpr int vectors = Peer<Exec>::vectors;
    int const threads = n <= 5 ? 32 : n <= 9 ? 64 : n <= 12 ? 96 : 128;
    using Policy = Kokkos::TeamPolicy<Exec>;
    Kokkos::parallel_for(
        name, Policy(exec, packs, threads / vectors, vectors),
        KOKKOS_LAMBDA(const typename Policy::member_type& member) {
          int const pack = member.league_rank();
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vectors), [&](int v) { kernel(member, pack, v); });
        });
  }
};

/// L U = A in place, U <- L^-1 U, L <- L U^-1, and the next diagonal less their product.
template <class Exec, class Way>
struct PeerFactor {
  typename Peer<Exec>::Blocks m_given;
  typename Peer<Exec>::Blocks m_a;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member, int pack, int v) const {
    auto const length = static_cast<int>(m_a.extent(1));
    auto const n = static_cast<int>(m_a.extent(3));
    auto const block = [&](int p, int which) {
      return Kokkos::subview(m_a, pack, p, which, Kokkos::ALL(), Kokkos::ALL(), v);
    };
    auto const copy = [&](int p) {
      constexpr int vectors = Peer<Exec>::vectors;
      auto const* const from = &m_given(pack, p, 0, 0, 0, v);
      auto* const to = &m_a(pack, p, 0, 0, 0, v);
      Way::for_each(member, 3 * n * n, [=](int e) { to[e * vectors] = from[e * vectors]; });
    };
    copy(0);
    member.team_barrier();
    for (int p = 0; p < length; ++p) {
      auto const a = block(p, diagonal);
      if (p + 1 < length) copy(p + 1);
      Way::lu(member, a);
      member.team_barrier();
      if (p + 1 == length) break;
      auto const b = block(p, upper), c = block(p + 1, lower), next = block(p + 1, diagonal);
      Way::lower_left(member, a, b);
      Way::upper_right(member, a, c);
      member.team_barrier();
      Way::gemm(member, c, b, next);
      member.team_barrier();
    }
  }
};

template <class Exec, class Way>
struct PeerSolve {
  typename Peer<Exec>::Blocks m_a;
  typename Peer<Exec>::Vectors m_b;
  typename Peer<Exec>::Vectors m_x;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& member, int pack, int v) const {
    auto const length = static_cast<int>(m_a.extent(1));
    auto const n = static_cast<int>(m_a.extent(3));
    auto const block = [&](int p, int which) {
      return Kokkos::subview(m_a, pack, p, which, Kokkos::ALL(), Kokkos::ALL(), v);
    };
    auto const x = [&](int p) { return Kokkos::subview(m_x, pack, p, Kokkos::ALL(), v); };
    for (int p = 0; p < length; ++p) {
      Way::for_each(member, n, [&](int c) { m_x(pack, p, c, v) = m_b(pack, p, c, v); });
      member.team_barrier();
      if (p > 0) Way::gemv(member, block(p, lower), x(p - 1), x(p));
      member.team_barrier();
      Way::lower_solve(member, block(p, diagonal), x(p));
      member.team_barrier();
    }
    for (int p = length - 1; p >= 0; --p) {
      if (p + 1 < length) Way::gemv(member, block(p, upper), x(p + 1), x(p));
      member.team_barrier();
      Way::upper_solve(member, block(p, diagonal), x(p));
      member.team_barrier();
    }
  }
};

/// The systems of LineProblem, in the views of Kokkos Kernels.
template <int n, class Exec, class Way>
class PeerProblem {
  using Of = Peer<Exec>;
  using Blocks = typename Of::Blocks;
  using Vectors = typename Of::Vectors;

 public:
  PeerProblem(const Exec& exec, std::int64_t count, int length)
      : m_count(count),
        m_given(allocate("given", count, length)),
        m_a(allocate("factors", count, length)),
        m_b("b", m_a.extent(0), length, n, Of::vectors),
        m_x("x", m_a.extent(0), length, n, Of::vectors) {
    assemble(exec);
    factor(exec);
    solve(exec);
    verify(exec);
  }

  void factor(const Exec& exec) const {
    Way::run("Peer::factor", exec, packs(), n, PeerFactor<Exec, Way>{m_given, m_a});
  }
  void solve(const Exec& exec) const { Way::run("Peer::solve", exec, packs(), n, PeerSolve<Exec, Way>{m_a, m_b, m_x}); }

  void assemble(const Exec& exec) const {
    LineCoefficients const of{n};
    auto const length = static_cast<int>(m_a.extent(1));
    auto const given = m_given;
    auto const rhs = m_b;
    auto const count = m_count;
    Kokkos::parallel_for(
        "Peer::assemble", Kokkos::RangePolicy<Exec>(exec, 0, std::int64_t{packs()} * Of::width * length),
        KOKKOS_LAMBDA(std::int64_t point) {
          auto const line = point / length;
          int const p = static_cast<int>(point % length);
          int const pack = static_cast<int>(line / Of::width), lane = static_cast<int>(line % Of::width);
          int const v = lane / Of::internal, l = lane % Of::internal;
          for (int r = 0; r < n; ++r) {
            for (int block = 0; block < 3; ++block) {
              for (int c = 0; c < n; ++c) {
                double const unit = block == diagonal && r == c ? 1.0 : 0.0;
                given(pack, p, block, r, c, v)[l] = line < count ? of.entry(point, block, r, c) : unit;
              }
            }
            rhs(pack, p, r, v)[l] = line < count ? of.rhs(point, r) : 0.0;
          }
        });
  }

  void verify(const Exec& exec) const {
    LineCoefficients const of{n};
    auto const length = static_cast<int>(m_a.extent(1));
    auto const x = m_x;
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce(
        "Peer::verify", Kokkos::RangePolicy<Exec>(exec, 0, m_count * length),
        KOKKOS_LAMBDA(std::int64_t point, std::int64_t& found) {
          auto const line = point / length;
          int const p = static_cast<int>(point % length);
          int const pack = static_cast<int>(line / Of::width), lane = static_cast<int>(line % Of::width);
          for (int r = 0; r < n; ++r) {
            double sum = of.rhs(point, r);
            for (int block = 0; block < 3; ++block) {
              int const q = p + block - 1;
              if (q < 0 || q >= length) continue;
              for (int c = 0; c < n; ++c) {
                sum -= of.entry(point, block, r, c) * x(pack, q, c, lane / Of::internal)[lane % Of::internal];
              }
            }
            found += !(Kokkos::abs(sum) <= 1e-12 * n);
          }
        },
        wrong);
    if (wrong != 0) throw std::runtime_error("Kokkos Kernels: a residual is too large");
  }

 private:
  static Blocks allocate(const std::string& name, std::int64_t count, int length) {
    return Blocks(name, (count + Of::width - 1) / Of::width, length, 3, n, n, Of::vectors);
  }
  int packs() const { return static_cast<int>(m_a.extent(0)); }

  std::int64_t m_count;
  Blocks m_given;
  Blocks m_a;
  Vectors m_b;
  Vectors m_x;
};

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    // The paper's grids on a device, a quarter of them on a host.
    constexpr bool on_host = HostExecutionSpace<Exec>;
    auto const large = m_settings.smoke ? Grid(5, 7, 9) : on_host ? Grid(64, 64, 128) : Grid(128, 128, 128);
    auto const small = m_settings.smoke ? Grid(5, 3, 9) : on_host ? Grid(32, 32, 128) : Grid(64, 64, 128);
    register_block_size<3>(large);
    register_block_size<5>(large);
    register_block_size<10>(small);
    register_block_size<15>(small);
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_case<n, LineProblem<n, Exec, double>>(grid, "Hyperplane", BlockTridiagonalOptions{});
    using Unblocked = OneThread<kb::Algo::Level3::Unblocked, kb::Algo::Level2::Unblocked>;
    using Blocked = OneThread<kb::Algo::Level3::Blocked, kb::Algo::Level2::Blocked>;
    register_case<n, PeerProblem<n, Exec, Unblocked>>(grid, "KokkosKernels_unblocked");
    register_case<n, PeerProblem<n, Exec, Blocked>>(grid, "KokkosKernels_blocked");
    if constexpr (!HostExecutionSpace<Exec>) {
      using TeamUnblocked = OneTeam<kb::Algo::Level3::Unblocked, kb::Algo::Level2::Unblocked>;
      // The blocked trsv for teams takes vectors of stride 1 alone (4.5.1).
      using TeamBlocked = OneTeam<kb::Algo::Level3::Blocked, kb::Algo::Level2::Unblocked>;
      register_case<n, PeerProblem<n, Exec, TeamUnblocked>>(grid, "KokkosKernels_team_unblocked");
      register_case<n, PeerProblem<n, Exec, TeamBlocked>>(grid, "KokkosKernels_team_blocked");
    }
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

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::Suite>(argc, argv); }
