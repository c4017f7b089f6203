// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <mpi.h>

#include <source_location>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Throws Error with MPI's text where a function of MPI has failed.
inline void mpi_call(const char* function, int code, std::source_location where = std::source_location::current()) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  fail(std::string(function) + ": " + (length > 0 ? std::string(text) : "error " + std::to_string(code)), where);
}

/// Whether functions of MPI may be called.
inline bool mpi_runs() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
