// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <string>
#include <vector>

namespace hyperplane::tools {

/// An option of preconditioners on the command line.
struct PreconditionerOption {
  std::string flag;                           ///< "--line-direction"
  hyperplane_option_description description;  ///< of the first preconditioner that has it
  std::vector<std::string> owners;            ///< the preconditioners that have it
  std::string text;                           ///< what was given, in the library's form; empty: nothing

  /// "line_direction"
  std::string key() const;
  /// Whether it is a list of letters, of which the command line takes one, or `alternating` for all in turn.
  bool is_list() const { return description.type == HYPERPLANE_OPTION_CHOICES; }
};

/// What the command line says for one direction after the other.
inline constexpr const char* alternating = "alternating";

/// The names of all preconditioners, the one that is best for most first. That of the identity is "none".
std::vector<std::string> preconditioner_names();
/// What they are: "block ILU(0), ..., block Jacobi or none".
std::string preconditioner_summaries();
hyperplane_preconditioner_description describe_preconditioner(const std::string& name);
/// All options of all preconditioners, without those that a single solve has no use for.
std::vector<PreconditionerOption> preconditioner_options();

/// "Of lines and ssor: relaxation, more than 0 and less than 2"
std::string help_of(const PreconditionerOption& option);
/// Whether the value of a number is in its range.
bool is_in_range(const hyperplane_option_description& option, double value);
/// "more than 0 and less than 2"
std::string range_of(const hyperplane_option_description& option);

/// A preconditioner as hyperplane_preconditioner_create_named() makes it.
struct NamedPreconditioner {
  std::string name;
  std::string options;
};
/// Of the options those that were given, and that the preconditioner has.
NamedPreconditioner make_named(const std::string& name, const std::vector<PreconditionerOption>& options,
                               hyperplane_storage storage);

}  // namespace hyperplane::tools
