// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

#include <filesystem>

namespace implicit_flow {

/// Encodings of a PLOT3D grid file. All of them: 3-D, single block, "whole" (all x, then all y, then all z; i fastest),
/// no iblank, native byte order, double precision in binary files that are written.
///
/// P. P. Walatka, P. G. Buning, L. Pierce and P. A. Elson, "PLOT3D User's Manual", NASA TM-101067, 1990.
enum class Plot3dFormat {
  ascii,  ///< text: I J K, then the coordinates, separated by white space, commas or ends of line; n*value repeats
  unformatted,  ///< Fortran unformatted: two records, each between 4-byte lengths
  stream,       ///< plain binary: three 4-byte integers, then the coordinates
};

/// Reads a grid; the encoding is found from the contents, single and double precision are told apart by the size. A
/// file that says it holds one block (a leading 1) is read as well. Throws hyperplane::Error with the file and the
/// place (line, or byte) for everything that is not such a grid: malformed, truncated, trailing data, non-finite
/// coordinates, several blocks, fewer than two vertices along a direction.
Mesh read_plot3d(const std::filesystem::path& file);

/// Writes a grid, without loss (ASCII with 17 digits). Throws hyperplane::Error if the file cannot be written.
void write_plot3d(const std::filesystem::path& file, const Mesh& mesh, Plot3dFormat format);

}  // namespace implicit_flow
