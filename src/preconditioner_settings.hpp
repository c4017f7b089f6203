// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_kind.hpp>

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What preconditioners there are, for everything without templates.
namespace hyperplane::run_time {

/// Matrices and line solvers have the first two.
using hyperplane::StorageKind;

/// Where plans of a preconditioner are compiled.
enum class Part {
  points,         ///< in sizes.hpp, for each block size
  lines,          ///< in line_sizes.hpp, for each block size
  short_factors,  ///< in short_sizes.hpp, for each block size: those whose factors are narrower than their matrix
};

/// The numbers that an option may be.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false;  ///< not the least one itself
  bool below_most = false;   ///< not the greatest one itself
};

enum class OptionType { real, integer, choice, choices, counts };

/// An option of a preconditioner.
struct OptionDescription {
  std::string name;
  std::string summary;
  std::string standard;  ///< what it is where nothing is said
  OptionType type;
  Range range;          ///< of numbers
  std::string choices;  ///< "automatic|portable|slab"; of `choices` letters, several of which may follow one another
  std::string needs;    ///< another option, without which this one says nothing
};

/// The storage of factors that the first matrix chooses; has no StorageKind.
inline constexpr const char* automatic_storage = "automatic";

/// A line of the table of preconditioners, as everything without templates knows it.
struct PreconditionerDescription {
  std::string name;
  std::string summary;
  int largest_block_size;
  std::string storages;  ///< that its factors can have: "double|float|half"
  std::vector<OptionDescription> options;

  bool has_storage(const std::string& storage) const {
    return ("|" + storages + "|").find("|" + storage + "|") != std::string::npos;
  }
};

/// The table. A place in it is the preconditioner's number in C.
std::span<const PreconditionerDescription> preconditioners();
/// The place of the preconditioner that does nothing, and needs no factors.
inline constexpr int identity = 0;
/// The place of a name. Throws Error, which has all names, where there is none.
int find_preconditioner(std::string_view name);
/// The same in a table.
int find_in_table(std::span<const PreconditionerDescription> table, std::string_view name);

/// Throws Error, which names those of a table that have it, where factors of one of its preconditioners cannot be
/// stored so; automatically where there is a fraction.
void require_storage(std::span<const PreconditionerDescription> table, int kind, StorageKind storage,
                     const std::optional<double>& storage_fraction);

/// Options by name, with their values.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

struct PreconditionerSettings {
  int kind = find_preconditioner("bilu0");
  StorageKind storage = StorageKind::double_precision;  ///< of the factors
  OptionTexts options{};                                ///< others are as they are by themselves
  /// Where it is given, the first matrix says what factors are stored in instead: see ChooseStorageOptions::fraction.
  std::optional<double> storage_fraction = {};

  /// That of the matrix.
  StorageKind matrix_storage() const {
    return storage_fraction || is_short(storage) ? StorageKind::double_precision : storage;
  }
};

}  // namespace hyperplane::run_time
