// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"

// Vectors, matrices and preconditioners of one's own, which have what the concepts ask for and nothing else.
namespace hyperplane::test {
namespace own {

/// As little as has data() and size().
template <class Exec>
struct Values {
  using View = Kokkos::View<double*, typename Exec::memory_space>;
  View m_view;
  double* data() const { return m_view.data(); }
  std::size_t size() const { return m_view.size(); }
};

template <class Exec>
class Vector {
 public:
  using execution_space = Exec;
  using scalar_type = double;

  Vector(const Exec& exec, std::int64_t points)
      : m_values{typename Values<Exec>::View(Kokkos::view_alloc(exec, "own::Vector"), points)} {}
  std::int64_t points() const { return static_cast<std::int64_t>(m_values.size()); }
  const Values<Exec>& flat() const { return m_values; }

 private:
  Values<Exec> m_values;
};

/// Another one, whose domain is a class of its own.
struct Rows {
  int m_count;
  friend bool operator==(const Rows& a, const Rows& b) { return a.m_count == b.m_count; }
  friend std::string to_string(const Rows& rows) { return std::to_string(rows.m_count); }
};
template <class Exec>
class OnRows {
 public:
  using execution_space = Exec;
  using scalar_type = double;

  OnRows(const Exec& exec, const Rows& rows) : m_values(exec, rows.m_count) {}
  Rows grid() const { return {static_cast<int>(m_values.points())}; }
  const Values<Exec>& flat() const { return m_values.flat(); }

 private:
  Vector<Exec> m_values;
};

/// -2, 3.5 and -1 on the diagonals.
struct Convection {};
template <class AnyVector>
void apply(const typename AnyVector::execution_space& exec, const Convection&, const AnyVector& x, const AnyVector& y) {
  using Exec = typename AnyVector::execution_space;
  auto const size = static_cast<int>(x.flat().size());
  auto* const from = x.flat().data();
  auto* const to = y.flat().data();
  Kokkos::parallel_for(
      "own::apply", Kokkos::RangePolicy<Exec>(exec, 0, size), KOKKOS_LAMBDA(int i) {
        to[i] = 3.5 * from[i] - (i > 0 ? 2.0 * from[i - 1] : 0.0) - (i + 1 < size ? from[i + 1] : 0.0);
      });
}

struct Diagonal {
  template <class AnyVector>
  void solve(const typename AnyVector::execution_space& exec, const AnyVector& r, const AnyVector& z) const {
    using Exec = typename AnyVector::execution_space;
    auto* const from = r.flat().data();
    auto* const to = z.flat().data();
    Kokkos::parallel_for(
        "own::solve", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(r.flat().size())),
        KOKKOS_LAMBDA(int i) { to[i] = from[i] / 3.5; });
  }
};

}  // namespace own

namespace {

static_assert(KrylovVector<own::Vector<Kokkos::DefaultExecutionSpace>>);
static_assert(KrylovVector<own::OnRows<Kokkos::DefaultExecutionSpace>>);
static_assert(LinearOperator<own::Convection, own::Vector<Kokkos::DefaultExecutionSpace>>);
static_assert(Preconditioner<own::Diagonal, own::Vector<Kokkos::DefaultExecutionSpace>>);

template <class Exec>
class KrylovVectorTest : public ::testing::Test {
 public:
  template <class Method, class Vector, class Domain, class Precond>
  static void solve(const Domain& domain, const Domain& other, const Precond& m) {
    Exec const exec;
    own::Convection const a;
    Vector const solution(exec, domain), b(exec, domain), x(exec, domain), short_one(exec, other);
    using Host = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using Device = Kokkos::View<double*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto const size = solution.flat().size();
    std::vector<double> expected(size), found(size);
    for (std::size_t e = 0; e < size; ++e) expected[e] = 1.0 + static_cast<double>(e % 7);
    Kokkos::deep_copy(exec, Device(solution.flat().data(), size), Host(expected.data(), size));
    apply(exec, a, solution, b);
    Method const method(exec, domain, {.tolerance = 1e-12, .max_iterations = 2000});
    auto const result = method.solve(exec, a, m, b, x);
    EXPECT_TRUE(result.converged()) << result.message();
    Kokkos::deep_copy(exec, Host(found.data(), size), Device(x.flat().data(), size));
    exec.fence();
    for (std::size_t e = 0; e < size; ++e) ASSERT_NEAR(found[e], expected[e], 1e-8);
    EXPECT_THROW(method.solve(exec, a, m, b, short_one), Error);
  }

  template <class Vector, class Domain>
  static void solve_with_every_method(const Domain& domain, const Domain& other) {
    solve<Richardson<Vector>, Vector>(domain, other, own::Diagonal{});
    solve<BiCgStab<Vector>, Vector>(domain, other, own::Diagonal{});
    solve<BiCgStab<Vector>, Vector>(domain, other, IdentityPreconditioner{});
    solve<Fgmres<Vector>, Vector>(domain, other, own::Diagonal{});
    solve<CompressedBasisFgmres<Vector>, Vector>(domain, other, own::Diagonal{});
    solve<Fgcrodr<Vector>, Vector>(domain, other, own::Diagonal{});
  }
};
TYPED_TEST_SUITE(KrylovVectorTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(KrylovVectorTest, what_the_concept_asks_for_is_enough) {
  this->template solve_with_every_method<own::Vector<TypeParam>>(std::int64_t{101}, std::int64_t{100});
}

TYPED_TEST(KrylovVectorTest, a_domain_of_ones_own) {
  this->template solve_with_every_method<own::OnRows<TypeParam>>(own::Rows{77}, own::Rows{78});
}

}  // namespace
}  // namespace hyperplane::test
