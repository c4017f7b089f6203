#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where a file has more than 300 lines or a C++ function more than 60, and the table in CONTRIBUTING.md does not say
why; and where the table has one that is shorter. Functions are found by the layout that clang-format gives them: the brace
that closes one stands where its declaration begins. Called by `run test`."""

import re
import sys
from pathlib import Path

repository = Path(__file__).resolve().parent.parent
contributing = repository / "CONTRIBUTING.md"
folders = ("include", "src", "tools", "executables", "examples", "perf_tests", "unit_tests", "scripts")
file_limit, function_limit = 300, 60
cpp = {".hpp", ".cpp", ".h", ".c", ".cu"}
other = {".f90", ".py"}
# What a scope begins with; everything else with braces in a scope is a function or a value.
scope = re.compile(r"(inline )?(namespace|class|struct|union|enum)\b|extern  *{")


def read_reasons():
    """{file or "file: function"} of the table, whose rows begin with `| `path` |` or `| `path`: `function` |`."""
    listed = {}
    for line in contributing.read_text().splitlines():
        row = re.match(r"\| `([^`]+\.\w+)`(?:: `([^`]+)`)? \| (.+) \|$", line)
        if row:
            listed[row.group(1) + (f": {row.group(2)}" if row.group(2) else "")] = row.group(3)
    return listed


def without_text(source):
    """The source with comments and literals blanked, lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found.group(0)), source, flags=re.DOTALL)


def indent(line):
    return len(line) - len(line.lstrip())


def without_template(declaration):
    """The declaration without `template <...>` and what it requires."""
    while declaration.startswith("template"):
        depth = brackets = 0
        for at, character in enumerate(declaration):
            brackets += {"(": 1, ")": -1}.get(character, 0)
            depth += {"<": 1, ">": -1}.get(character, 0) if brackets == 0 else 0
            if character == ">" and depth == 0:
                break
        declaration = declaration[at + 1 :].strip()
    return re.sub(r"^requires\b.*?(?=\b(class|struct|union) )", "", declaration)


def function_name(declaration):
    """What stands before the first bracket of arguments: "Owner::name", or TEST(suite, name) in whole."""
    declaration = re.sub(r"__launch_bounds__\(.*?\) ", "", declaration)
    test = re.match(r"\w*TEST\w*\([^)]*\)", declaration)
    if test:
        return test.group(0)
    name = re.search(r"(operator ?[^\s\w(]+|operator\(\)|[~\w:]+) ?\(", declaration)
    return name.group(1) if name else declaration.split("{")[0].strip()


def functions(source):
    """(name, number of lines) of each function, and of each value in braces of several lines, outside of functions."""
    lines = without_text(source).splitlines()
    begin = 0  # of a declaration
    at = 0
    while at < len(lines):
        line = lines[at]
        text = line.strip()
        if not text or text.startswith("#") or re.match(r"(public|private|protected):$|}", text):
            at += 1
            begin = at
            continue
        if not text.endswith("{"):
            if text.endswith((";", "}")):
                begin = at + 1
            at += 1
            continue
        declaration = without_template(" ".join(part.strip() for part in lines[begin : at + 1]))
        if scope.match(declaration):
            at += 1
            begin = at
            continue
        first = lines[begin]
        end = at + 1
        while end < len(lines) and not (lines[end].strip().startswith("}") and indent(lines[end]) <= indent(first)):
            end += 1
        yield function_name(declaration), end - begin + 1
        at = begin = end + 1


def main():
    long = {}
    for path in sorted(path for folder in folders for path in (repository / folder).rglob("*")):
        if path.suffix not in cpp | other or not path.is_file():
            continue
        name = path.relative_to(repository).as_posix()
        source = path.read_text()
        lines = source.count("\n")
        if lines > file_limit:
            long[name] = f"{name} has {lines} lines, more than {file_limit}"
        if path.suffix in cpp:
            for function, lines in functions(source):
                if lines > function_limit:
                    long[f"{name}: {function}"] = f"{name}: {function} has {lines} lines, more than {function_limit}"
    listed = read_reasons()
    wrong = [f"{text}; CONTRIBUTING.md does not say why" for name, text in long.items() if name not in listed]
    wrong += [f"CONTRIBUTING.md lists {name}, which is not too long" for name in listed if name not in long]
    for line in wrong:
        print(f"check_sizes.py: error: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
