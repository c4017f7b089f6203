// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane::perf {

/// Bytes that must move to or from memory and floating-point operations, for each grid point.
struct Cost {
  double bytes;
  double flops;

  friend constexpr Cost operator+(const Cost& a, const Cost& b) { return {a.bytes + b.bytes, a.flops + b.flops}; }
};

// The models count every array once in each sweep over it that cannot be avoided, perfect caches otherwise, no padding
// and no line that a write has to fetch first. `storage` and `scalar` are the bytes of one coefficient and of one
// vector entry. A product of an n x n block and a vector counts 2 n^2 operations, of two blocks 2 n^3.

/// x = M^-1 r: lower blocks and d^-1 once forwards, d^-1 U once backwards (7 n^2 coefficients); r read, the
/// intermediate vector written, read again, x written (4 n values).
constexpr Cost solve_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 4.0 * n * scalar, 14.0 * n * n};
}
/// The same where `factors` are the bytes of all coefficients of a point.
constexpr Cost solve_cost_of(int n, double factors, int scalar) { return {factors + 4.0 * n * scalar, 14.0 * n * n}; }

/// Factorization as the plans do it: 7 n^2 coefficients of A read and 7 n^2 values of the factors written, because the
/// plan owns its factors and leaves A as it is. `matrix` and `storage` are the bytes of one value in A and in the
/// factors. Operations: one inverse (2 n^3), three products d^-1 U, three products L (d^-1 U).
constexpr Cost factor_cost(int n, int matrix, int storage) {
  return {7.0 * n * n * (matrix + storage), 14.0 * n * n * n};
}

/// The same work against the least that any factorization moves: A read, d^-1 alone written (8 n^2 values). The
/// stricter measure, as a bound for a method that would use A's own off-diagonal blocks in its solves.
constexpr Cost factor_cost_strict(int n, int matrix, int storage) {
  return {7.0 * n * n * matrix + 1.0 * n * n * storage, 14.0 * n * n * n};
}

/// y = A x: A and x read once, y written.
constexpr Cost apply_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 2.0 * n * scalar, 14.0 * n * n};
}

/// r = b - A x: as apply, and b read.
constexpr Cost residual_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 3.0 * n * scalar, 14.0 * n * n + n};
}

/// x += M^-1 (b - A x): a residual, a solve, an update (two reads and a write).
constexpr Cost correction_cost(int n, int storage, int scalar) {
  return residual_cost(n, storage, scalar) + solve_cost(n, storage, scalar) + Cost{3.0 * n * scalar, 1.0 * n};
}

static_assert(solve_cost(5, 8, 8).bytes == 1560.0);
static_assert(solve_cost(6, 8, 8).bytes == 2208.0);

}  // namespace hyperplane::perf
