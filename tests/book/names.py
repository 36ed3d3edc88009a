"""Which declaration each name in a listing means, by libclang's view of the file; where it has none (a name that depends
on a template's parameter), by its spelling, if only one declaration of the repository can be meant.

All headers are parsed once, as one file, and kept as a precompiled header, with which a source takes a fraction of a
second. What was found in a file is kept in .build/book/ until that file or a header below it changes."""
import collections
import hashlib
import json
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import way  # noqa: E402

ARGUMENTS = ["-x", "c++", "-std=c++20", "-I.", "-DGRADUS_REAL=float", "-mavx2", "-mfma", "-Wno-pragma-once-outside-header"]
CACHE = pathlib.Path(".build/book")
KEYWORDS = set("""alignas alignof asm auto bool break case catch char class concept const constexpr consteval constinit
const_cast continue decltype default delete do double dynamic_cast else enum explicit extern false final float for friend goto if
inline int long mutable namespace new noexcept nullptr operator override private protected public reinterpret_cast requires return
short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
typeid typename union unsigned using virtual void volatile while""".split())


def clang():
    """The module clang.cindex, or None; Debian's, if this is not Debian's Python."""
    for place in [None, "/usr/lib/python3/dist-packages"]:
        if place and place not in sys.path:
            sys.path.append(place)
        try:
            from clang import cindex
            cindex.Index.create()
            return cindex
        except Exception:  # no module, or no library
            continue
    return None


# --- what a file includes ---


def included(file, conditional=True):
    """The files of ours that a file names in #include; not those between #if and #endif unless conditional."""
    depth = 0
    for line in way.read_lines(file):
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        if (conditional or depth == 0) and (found := re.match(r'\s*#\s*include "([^"]+)"', line)) and os.path.exists(found[1]):
            yield found[1]


def closure(files, conditional=True):
    """The files, and what they include."""
    seen, waiting = set(), list(files)
    while waiting:
        if (file := waiting.pop()) not in seen:
            seen.add(file)
            waiting += included(file, conditional)
    return seen


def digest(files, *more):
    made = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for text in [*more, *(part for file in sorted(files) for part in (file, *way.read_lines(file)))]:
        made.update(text.encode() + b"\n")
    return made.hexdigest()


class Repository:
    """The declarations of all files, by file and by name."""

    def __init__(self):
        listed = subprocess.run(["git", "ls-files", "*.h", "*.cpp"], capture_output=True, text=True, check=False).stdout
        self.by_file, self.by_name, self.by_last = {}, collections.defaultdict(list), collections.defaultdict(list)
        for file in listed.split():
            self.by_file[file] = way.declarations("\n".join(way.read_lines(file)))
            for d in self.by_file[file]:
                d.file = file
                if d.kind != "forward":
                    self.by_name[d.name].append(d)
                    self.by_last[d.name.split("::")[-1]].append(d)

    def at(self, file, line, spelling):
        """The innermost declaration at a line (from 0) with this name."""
        inside = [d for d in self.by_file.get(file, []) if d.first <= line <= d.last and
                  d.name.split("::")[-1].replace(" ", "") == spelling.replace(" ", "")]
        return max(inside, key=lambda d: (d.first, d.kind != "forward"), default=None)

    def around(self, file, line, spelling):
        """The class of this name around a line: its constructors are a base's."""
        return next((d for d in self.by_file.get(file, []) if d.kind == "class" and d.first <= line <= d.last and
                     d.name.split("::")[-1] == spelling), None)

    def parameters(self, d):
        """A function's parameters without spaces, names of classes in front, and defaults."""
        text = " ".join(way.read_lines(d.file)[d.first:d.last + 1])
        name = re.escape(d.name.split("::")[-1].replace("~", ""))
        found = re.search(name + r"\s*\(", text)
        if not found:
            return ""
        inner = text[found.end():way.closing(way.blanked(text), found.end() - 1)]
        inner = re.sub(r"\s*=\s*(\{\}|[^,]+)", "", inner)
        return re.sub(r"\s|\b\w+::", "", inner)

    def definitions(self, d):
        """Where a declared function is defined: the definitions with its parameters, or all of its name."""
        if d.body or d.kind in ("alias", "variable", "enumerator", "class", "enum"):
            return [d]
        bodies = [b for b in self.by_name[d.name] if b.body and not b.file.startswith("tests/")] or \
                 [b for b in self.by_name[d.name] if b.body]
        same = [b for b in bodies if self.parameters(b) == self.parameters(d)]
        return same or bodies


def parse(file, more=()):
    unit = clang().Index.create().parse(file, args=ARGUMENTS + list(more))
    return unit, [str(d) for d in unit.diagnostics if d.severity >= 3]


def resolve_source(job):
    file, ranges = job
    try:
        unit, errors = parse(file, ["-include-pch", str(CACHE / "headers.pch")])
    except clang().TranslationUnitLoadError:  # headers.pch is another libclang's
        errors = ["headers.pch"]
    if errors:  # or a name of one of the headers that the file does not include
        unit, errors = parse(file)
    return resolve_file(unit, errors, file, ranges)


def resolve_file(unit, errors, file, ranges):
    """(file, [(line, column, spelling, file and line and spelling of the declaration)], all from 0, the names left over,
    errors) for the lines of the ranges."""
    cindex = clang()
    found, left = [], []
    kinds = cindex.CursorKind
    none = {kinds.PARM_DECL, kinds.TEMPLATE_TYPE_PARAMETER, kinds.TEMPLATE_NON_TYPE_PARAMETER,
            kinds.TEMPLATE_TEMPLATE_PARAMETER, kinds.NAMESPACE, kinds.NAMESPACE_ALIAS, kinds.LABEL_STMT}
    functions = {kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR, kinds.CONVERSION_FUNCTION,
                 kinds.FUNCTION_TEMPLATE}
    lib = cindex.conf.lib
    lib.clang_getOverloadedDecl.restype = cindex.Cursor
    source, text = unit.get_file(file), "\n".join(way.read_lines(file))

    def ours(cursor):
        return cursor is not None and cursor.location.file and not os.path.relpath(cursor.location.file.name).startswith("..")

    def overloads(cursor, offset):
        count = lib.clang_getNumOverloadedDecls(cursor)
        decls = []
        for i in range(count):
            decl = lib.clang_getOverloadedDecl(cursor, i)
            decl._tu = unit
            decls.append(decl)
        call = re.compile(r"\w+\s*(?:<[^;(]*>)?\s*\(").match(text, offset)
        if not call or not decls:
            return decls
        close, given, depth = way.closing(text, call.end() - 1), 0, 0
        inner = text[call.end():close]
        if inner.strip():
            given = 1
            for c in inner:
                depth += (c in "([{") - (c in ")]}")
                given += c == "," and depth == 0
        fitting = []
        for decl in decls:
            parameters = [c for c in decl.get_children() if c.kind == kinds.PARM_DECL]
            tokens = [" ".join(t.spelling for t in p.get_tokens()) for p in parameters]
            least, pack = sum("=" not in t for t in tokens), any("..." in t for t in tokens)
            if least - pack <= given and (given <= len(parameters) or pack):
                fitting.append(decl)
        return fitting or decls

    def target(cursor, token):
        """What a name refers to, and whether the compiler knows; (None, True): something that is not ours."""
        ref = cursor if cursor.kind == kinds.OVERLOADED_DECL_REF else cursor.referenced
        if ref is not None and ref.kind == kinds.OVERLOADED_DECL_REF:
            return next((d for d in overloads(ref, token.location.offset) if ours(d)), None), True
        return ref, ref is not None

    def named(ref, spelling):
        return ref.spelling.split("<")[0] == spelling

    def extent(begin, end):
        at = [cindex.SourceLocation.from_position(unit, source, line + 1, 1) for line in (begin, end)]
        return cindex.SourceRange.from_locations(*at)

    for begin, end in ranges:
        for token in unit.get_tokens(extent=extent(begin, end)):
            spelling, line = token.spelling, token.location.line - 1
            if token.kind != cindex.TokenKind.IDENTIFIER or not begin <= line < end:
                continue
            if re.match(r"\s*#", way.read_lines(file)[line]):
                continue
            column = token.location.column - 1
            cursor = cindex.Cursor.from_location(unit, token.location)
            ref, known = target(cursor, token)
            if not known or ref is not None and not named(ref, spelling) and ref.kind != kinds.CONSTRUCTOR:
                # A type in a cast, or a template's name in what it makes: the cursor is the expression's.
                inner = [c for c in cursor.walk_preorder() if c.location == token.location and c.kind != cursor.kind]
                inner = [target(c, token) for c in inner]
                ref, known = next(((r, k) for r, k in inner if k and (r is None or named(r, spelling))), (None, False))
            if not known:
                left.append((line, column, spelling))
                continue
            if ref is None or ref.kind in none or not ours(ref):
                continue
            # Names of a function's inside: variables, aliases, bindings.
            parent = ref.semantic_parent
            if ref.kind == kinds.UNEXPOSED_DECL or parent is not None and parent.kind in functions:
                continue
            if ref.kind in (kinds.CLASS_DECL, kinds.STRUCT_DECL, kinds.ENUM_DECL, kinds.CLASS_TEMPLATE):
                ref = ref.get_definition() or ref
            else:
                ref = ref.canonical
            if not ours(ref):
                continue
            name, scope = ref.spelling.split("<")[0], ref.semantic_parent
            while scope is not None and scope.kind != kinds.TRANSLATION_UNIT:
                if scope.spelling and scope.kind not in functions:
                    name = scope.spelling.split("<")[0] + "::" + name
                scope = scope.semantic_parent
            found.append((line, column, spelling, os.path.relpath(ref.location.file.name), ref.location.line - 1, name))
    return file, found, left, errors


def by_spelling(repository, file, name):
    """The one declaration that can be meant by a name which the compiler does not resolve, or None. These are types named
    through a using-declaration, and what depends on a template's parameter."""
    spelling, line, column = name
    text = way.read_lines(file)[line]
    before, after = text[:column].rstrip(), text[column + len(spelling):]
    if spelling in KEYWORDS or before.endswith("std::"):
        return None
    candidates = [d for d in repository.by_last[spelling] if not d.file.startswith("tests/") or d.file == file]
    if not before.endswith((".", "->")):
        # A local function has the same looks.
        local = re.search(rf"\bauto[&*]* {spelling} =|typename {spelling}\b|class {spelling}\b[^:{{]*[,>]", "\n".join(way.read_lines(file)))
        kinds = ("class", "enum", "alias") + (("function",) if re.match(r"\s*\(|<", after) else ())
        candidates = [] if local else [d for d in candidates if d.kind in kinds]
    classes = {d.name for d in candidates if d.kind in ("class", "enum")}
    candidates = [d for d in candidates if d.name.rpartition("::")[0] not in classes]  # no constructors
    if len({d.name for d in candidates}) != 1:
        return None
    return next((d for d in candidates if not d.body), candidates[0])


def all_found(ranges):
    """What resolve_file gives for each file, from what is kept as far as nothing has changed."""
    CACHE.mkdir(parents=True, exist_ok=True)
    kept_at = CACHE / "names.json"
    kept = json.loads(kept_at.read_text(encoding="utf-8")) if kept_at.is_file() else {}
    keys = {file: digest(closure([file]), json.dumps(sorted(of_file))) for file, of_file in ranges.items()}
    new = {file: of_file for file, of_file in ranges.items() if kept.get(file, [""])[0] != keys[file]}
    if new:
        headers = {file for file in closure(ranges, conditional=False) if file.endswith(".h")}
        key, compiled, key_at = digest(headers), CACHE / "headers.pch", CACHE / "headers.key"
        in_headers = [job for job in new.items() if job[0] in headers]
        is_old = not compiled.is_file() or not key_at.is_file() or key_at.read_text(encoding="utf-8") != key
        if is_old or in_headers:
            all_headers = CACHE / "headers.h"
            all_headers.write_text("".join(f'#include "{file}"\n' for file in sorted(headers)), encoding="utf-8")
            unit, errors = parse(str(all_headers))
            if is_old:
                key_at.unlink(missing_ok=True)
                unit.save(str(compiled))
                key_at.write_text(key, encoding="utf-8")
        jobs = sorted((job for job in new.items() if job[0] not in headers), key=lambda job: -pathlib.Path(job[0]).stat().st_size)
        with multiprocessing.Pool(min(4, os.cpu_count() or 1)) as pool:
            waiting = pool.map_async(resolve_source, jobs, chunksize=1)
            results = [resolve_file(unit, errors, *job) for job in in_headers] + waiting.get()
        kept.update((result[0], [keys[result[0]], result]) for result in results)
        part = kept_at.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({file: kept[file] for file in ranges}), encoding="utf-8")
        part.replace(kept_at)
    return [kept[file][1] for file in ranges]


def resolve(repository, ranges):
    """({(file, line, column): Declaration}, those by spelling, how many by which means, problems) for {file: [(begin, end)]}."""
    targets, spelled, counts, problems = {}, set(), collections.Counter(), []
    for file, found, left, errors in all_found(ranges):
        problems += [f"{file}: {error}" for error in errors]
        for line, column, spelling, to_file, to_line, name in found:
            d = repository.at(to_file, to_line, name.split("::")[-1]) or repository.around(to_file, to_line, spelling)
            if d is None:  # a name of a class in a function
                counts["local"] += 1
                problems.append(f"{file}:{line + 1}:{column + 1}: {spelling}: {to_file}:{to_line + 1} is no declaration")
                continue
            targets[file, line, column] = d
            counts["libclang"] += 1
        for line, column, spelling in left:
            d = by_spelling(repository, file, (spelling, line, column))
            if d is not None:
                targets[file, line, column] = d
                spelled.add((file, line, column))
                counts["spelling"] += 1
            elif spelling not in KEYWORDS:
                counts["left"] += 1
                problems.append(f"{file}:{line + 1}:{column + 1}: {spelling}: unresolved")
    return targets, spelled, counts, problems


if __name__ == "__main__":  # whether libclang is there
    sys.exit(clang() is None)
