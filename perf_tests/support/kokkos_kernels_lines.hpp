// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kokkos_kernels_functions.hpp"
#include "line_problem.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

/// Block tridiagonal systems by the batched functions of Kokkos Kernels.
namespace hyperplane::perf {

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

template <int n, class Exec>
struct PeerAssemble {
  std::int64_t m_count;
  typename Peer<Exec>::Blocks m_given;
  typename Peer<Exec>::Vectors m_rhs;

  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    using Of = Peer<Exec>;
    test::RandomLines const of{n};
    auto const length = static_cast<int>(m_given.extent(1));
    auto const line = point / length;
    int const p = static_cast<int>(point % length);
    int const pack = static_cast<int>(line / Of::width), lane = static_cast<int>(line % Of::width);
    int const v = lane / Of::internal, l = lane % Of::internal;
    for (int r = 0; r < n; ++r) {
      for (int block = 0; block < 3; ++block) {
        for (int c = 0; c < n; ++c) {
          double const unit = block == diagonal && r == c ? 1.0 : 0.0;
          m_given(pack, p, block, r, c, v)[l] =
              line < m_count ? of.coefficient(point, static_cast<LineBlock>(block), r, c) : unit;
        }
      }
      m_rhs(pack, p, r, v)[l] = line < m_count ? of.rhs(point, r) : 0.0;
    }
  }
};

template <int n, class Exec>
struct PeerVerify {
  typename Peer<Exec>::Vectors m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t point, std::int64_t& found) const {
    using Of = Peer<Exec>;
    test::RandomLines const of{n};
    auto const length = static_cast<int>(m_x.extent(1));
    auto const line = point / length;
    int const p = static_cast<int>(point % length);
    int const pack = static_cast<int>(line / Of::width), lane = static_cast<int>(line % Of::width);
    for (int r = 0; r < n; ++r) {
      double sum = of.rhs(point, r);
      for (int block = 0; block < 3; ++block) {
        int const q = p + block - 1;
        if (q < 0 || q >= length) continue;
        for (int c = 0; c < n; ++c) {
          sum -= of.coefficient(point, static_cast<LineBlock>(block), r, c) *
                 m_x(pack, q, c, lane / Of::internal)[lane % Of::internal];
        }
      }
      found += !(Kokkos::abs(sum) <= 1e-12 * n);
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
    std::int64_t const points = std::int64_t{packs()} * Of::width * static_cast<int>(m_a.extent(1));
    Kokkos::parallel_for("Peer::assemble", Kokkos::RangePolicy<Exec>(exec, 0, points),
                         PeerAssemble<n, Exec>{m_count, m_given, m_b});
  }

  void verify(const Exec& exec) const {
    std::int64_t wrong = 0;
    auto const points = m_count * static_cast<std::int64_t>(m_a.extent(1));
    Kokkos::parallel_reduce("Peer::verify", Kokkos::RangePolicy<Exec>(exec, 0, points), PeerVerify<n, Exec>{m_x},
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

}  // namespace hyperplane::perf
