#!/usr/bin/env python3
"""limits.py <root> <limits.txt>: a function has at most 60 lines, a class at most 12 data members. A line
of limits.txt is an exception, `<file> <name> <size> lines|members`. It may shrink and may not grow; an
exception within the limit is an error."""
import os
import re
import subprocess
import sys

try:
    from lizard import analyze_file
    from lizard_languages.clike import CLikeReader
except ImportError:  # ./dev has an environment with it
    dev = subprocess.run([os.path.join(sys.argv[1], "dev"), "python", "tests"],
                         stdout=subprocess.PIPE, text=True)
    if dev.returncode != 0:
        sys.exit(print("limits can't be checked: lizard is not here, nor PyPI"))
    os.execv(dev.stdout.strip(), [dev.stdout.strip(), *sys.argv])

LIMITS = {"lines": 60, "members": 12}
SUFFIXES = (".hpp", ".cpp", ".cuh", ".cu")
ROOMS = ("bench", "c", "cli", "data", "docs", "examples", "files", "include", "ladder", "measure", "python",
         "simt")
# Lizard takes a class for a function where these stand before its brace.
MISREAD = re.compile(r"__attribute__\(\(\w+\(.*?\)\)\)|sizeof\([^()]*\)")
NO_MEMBER = {"using", "typedef", "friend", "static", "template", "enum", "static_assert", "extern"}


def closing(tokens, i):
    """The index of the brace that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j] == "{") - (tokens[j] == "}")
        if depth == 0:
            return j
    return len(tokens)


def members_of(statement):
    """How many data members a statement of a class declares; text within (), <>, {} and [] is gone."""
    flat, depth, calls = [], 0, False
    for i, token in enumerate(statement):
        if token in ("(", "<", "{", "["):
            calls |= token == "(" and depth == 0 and "=" not in flat and statement[i + 1:i + 2] != ["*"]
            depth += 1
        elif token in (")", ">", "}", "]", ">>"):
            depth -= 2 if token == ">>" else 1
        elif depth == 0:
            flat.append(token)
    if calls or len(flat) < 2 or NO_MEMBER & set(flat):
        return 0
    return 1 + flat.count(",")


def class_name(statement):
    """The name of the class or struct whose body follows the statement, or None."""
    if "enum" in statement or not {"class", "struct"} & set(statement):
        return None
    at = max(i for i, token in enumerate(statement) if token in ("class", "struct"))
    head = statement[at + 1:]
    if "=" in head or ("(" in head and "alignas" not in head and ":" not in head):
        return None
    names = [t for t in head[:head.index(":") if ":" in head else None] if t.isidentifier()]
    names = [t for t in names if t not in ("final", "alignas", "sizeof")]
    return names[0] if names else "(unnamed)"


def count_members(tokens, begin, end, name, found):
    """Counts the members of the body tokens[begin:end] of `name`, and of the classes within."""
    statement, count, i = [], 0, begin
    while i < end:
        token = tokens[i]
        if token == "{":
            close = closing(tokens, i)
            inner = class_name(statement)
            if inner or not statement or statement[0] in ("namespace", "inline", "extern", "union"):
                inside = count_members(tokens, i + 1, close, inner, found)
                count += 0 if inner else inside  # of an unnamed union
                statement = [inner] if inner else []  # a declarator may follow
            elif "(" in statement or "enum" in statement:  # a function's body, or what is no member
                statement = []
            i = close
        elif token == ";":
            count += members_of(statement)
            statement = []
        elif token == ":" and statement in (["public"], ["private"], ["protected"]):
            statement = []
        else:
            statement.append(token)
        i += 1
    if name:
        found.append((name, count))
    return count


def findings_of(path, text):
    """(kind, name, size) of what is beyond a limit."""
    for f in analyze_file.analyze_source_code(path + ".cpp", MISREAD.sub("1", text)).function_list:
        if f.length > LIMITS["lines"]:
            yield "lines", f.name.split("::")[-1], f.length
    tokens = [t for t in CLikeReader.generate_tokens(text)
              if not t.isspace() and not t.startswith(("#", "//", "/*"))]
    classes = []
    count_members(tokens, 0, len(tokens), None, classes)
    for name, count in classes:
        if count > LIMITS["members"]:
            yield "members", name, count


def exceptions_in(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                source, name, size, kind = line.split()
                yield (source, name, kind), int(size)


def main():
    root, exceptions = sys.argv[1], dict(exceptions_in(sys.argv[2]))
    list_files = ["git", "-C", root, "ls-files", "-co", "--exclude-standard", *ROOMS]
    files = subprocess.run(list_files, check=True, capture_output=True, text=True).stdout.split()
    found = {}
    for path in files:
        if path.endswith(SUFFIXES) and os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for kind, name, size in findings_of(path, file.read()):
                    found[path, name, kind] = max(size, found.get((path, name, kind), 0))
    failed = False
    for (path, name, kind), size in sorted(found.items()):
        allowed = exceptions.pop((path, name, kind), LIMITS[kind])
        if size != allowed:
            failed = True
            advice = ("divide it" if size > allowed
                      else f"write {size} into tests/house/limits.txt, so that it stays so")
            print(f"{path}: {name} has {size} {kind}, and {allowed} are allowed: {advice}")
    for path, name, kind in exceptions:
        failed = True
        print(f"{path}: {name} is within {LIMITS[kind]} {kind}: take it out of tests/house/limits.txt")
    return failed


if __name__ == "__main__":
    sys.exit(main())
