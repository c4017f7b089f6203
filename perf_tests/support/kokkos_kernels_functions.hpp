// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/line/block_tridiagonal.hpp>

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

/// The batched functions of Kokkos Kernels, for one thread and for teams.
namespace hyperplane::perf {

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
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec>(exec, 0, packs * vectors), Run<vectors, Kernel>{kernel});
  }

  template <int vectors, class Kernel>
  struct Run {
    Kernel m_kernel;

    KOKKOS_FUNCTION void operator()(int item) const { m_kernel(Member{}, item / vectors, item % vectors); }
  };
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
    Kokkos::parallel_for(name, Policy(exec, packs, threads / vectors, vectors), Run<vectors, Kernel>{kernel});
  }

  template <int vectors, class Kernel>
  struct Run {
    Kernel m_kernel;

    template <class Member>
    KOKKOS_FUNCTION void operator()(const Member& member) const {
      int const pack = member.league_rank();
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vectors), [&](int v) { m_kernel(member, pack, v); });
    }
  };
};

}  // namespace hyperplane::perf
