// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host_rows.hpp"
#include "matrix_market.hpp"
#include "preconditioners.hpp"

namespace hyperplane::tools {

inline const std::vector<std::pair<std::string, hyperplane_method>> methods = {{"richardson", HYPERPLANE_RICHARDSON},
                                                                               {"bicgstab", HYPERPLANE_BICGSTAB},
                                                                               {"fgmres", HYPERPLANE_FGMRES},
                                                                               {"fgcrodr", HYPERPLANE_FGCRODR}};
inline const std::vector<std::pair<std::string, hyperplane_storage>> storages = {
    {"double", HYPERPLANE_STORAGE_DOUBLE},   {"float", HYPERPLANE_STORAGE_FLOAT},
    {"half", HYPERPLANE_STORAGE_HALF},       {"bfloat16", HYPERPLANE_STORAGE_BFLOAT16},
    {"quarter", HYPERPLANE_STORAGE_QUARTER}, {"automatic", HYPERPLANE_STORAGE_AUTOMATIC}};

/// What products of the method read A in; "same" as it is stored, which HYPERPLANE_STORAGE_AUTOMATIC stands for.
inline const std::vector<std::pair<std::string, hyperplane_storage>> product_storages = {
    {"same", HYPERPLANE_STORAGE_AUTOMATIC},
    {"float", HYPERPLANE_STORAGE_FLOAT},
    {"half", HYPERPLANE_STORAGE_HALF},
    {"bfloat16", HYPERPLANE_STORAGE_BFLOAT16}};

/// The name of a value in a list of both.
template <class Value>
const std::string& name_of(const std::vector<std::pair<std::string, Value>>& list, Value value) {
  return std::ranges::find(list, value, &std::pair<std::string, Value>::second)->first;
}

/// Those of the library.
inline hyperplane_krylov_options standard_krylov_options() {
  hyperplane_krylov_options options;
  hyperplane_krylov_options_init(&options);
  return options;
}

inline double standard_storage_fraction() {
  hyperplane_preconditioner_options options;
  hyperplane_preconditioner_options_init(&options);
  return options.storage_fraction;
}

struct SolverSettings {
  MatrixKind matrix = MatrixKind::stencil;
  bool transpose = false;  ///< solve A^T x = b
  std::string preconditioner = "bilu0";
  std::vector<PreconditionerOption> options = preconditioner_options();
  hyperplane_storage storage = HYPERPLANE_STORAGE_DOUBLE;
  double storage_fraction = standard_storage_fraction();  ///< of the automatic one
  hyperplane_storage product_storage = HYPERPLANE_STORAGE_AUTOMATIC;
  hyperplane_krylov_options krylov = standard_krylov_options();
  bool is_over_ranks = false;

  /// Products read a copy of A.
  bool narrows() const { return product_storage != HYPERPLANE_STORAGE_AUTOMATIC; }
  /// Factors of at most 16 bits, of a storage that is chosen, of a general matrix, and all over ranks, are those of a
  /// matrix of doubles; so is a copy.
  hyperplane_storage matrix_storage() const {
    bool const is_float =
        storage == HYPERPLANE_STORAGE_FLOAT && matrix == MatrixKind::stencil && !is_over_ranks && !narrows();
    return is_float ? HYPERPLANE_STORAGE_FLOAT : HYPERPLANE_STORAGE_DOUBLE;
  }
};

/// Called with each iteration and its residual norm; true ends the iteration.
using Monitor = std::function<bool(int, double)>;

/// Seconds of the parts of a solve.
struct SolverTimes {
  double setup = 0.0;
  double factor = 0.0;
  double solve = 0.0;
  /// Applications of the preconditioner, a part of solve.
  std::vector<double> preconditioner_solves;
};

/// A system's grid and unknowns at each point.
struct SystemShape {
  Grid grid;
  int block_size;
};

/// A x = b; row = point * n + c.
struct System {
  HostStencil a;
  std::vector<double> b, x;
};

/// The same for a general matrix.
struct RowsSystem {
  HostRows a;
  std::vector<double> b, x;
};

struct SolverReport {
  hyperplane_krylov_result result{};
  std::vector<double> history;
  std::string reason;  ///< of a breakdown, with the cause where that is known
  std::string cause;
  /// Pivots that were replaced, and the point of the first, or -1.
  std::int64_t replaced = 0, first_replaced = -1;
  hyperplane_storage storage = HYPERPLANE_STORAGE_DOUBLE;  ///< of the factors
  SolverTimes times;
  int ranks = 1;
  int concurrency = 1;                ///< of each rank
  bool goes_through_devices = false;  ///< the preconditioner, from that of a rank to that of the next one
};

/// What a system is solved with, in one process or over ranks.
struct SolverObjects {
  hyperplane_context context;
  hyperplane_matrix a;
  hyperplane_vector b, x;
  std::function<hyperplane_preconditioner()> make_preconditioner;
  std::function<hyperplane_krylov(const hyperplane_krylov_options&)> make_krylov;
};
/// Factors and solves, from the x that is given. `setup` is the time that it took to make the objects. Throws Error
/// where the factors are of no use.
SolverReport solve_with(const SolverObjects& objects, const SolverSettings& settings, double setup,
                        const Monitor& monitor);

/// Solves the system on the backend, from the x that is given. Throws Error where the factors are of no use.
SolverReport solve_system(const std::string& backend, const SolverSettings& settings, System& system,
                          const Monitor& monitor);
SolverReport solve_rows_system(const std::string& backend, const SolverSettings& settings, RowsSystem& system,
                               const Monitor& monitor);

}  // namespace hyperplane::tools
