"""One catalog file to one checked record, with errors that name file, line and field."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.lines import LineIndex
from vlbench.catalog.places import is_plain_id
from vlbench.catalog.profile import PromptProfile
from vlbench.errors import CatalogError
from vlbench.types import Record

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MAX_BYTES = 1_000_000
_TOML_POSITION = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
# No path, header or address can hold one.
_NUL = "a text must not hold the character U+0000"
_TOO_LARGE = "a whole number must fit into 64 bits, as TOML has it"

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one file. `field` is dotted, empty for the file as a whole."""

    path: Path
    line: int
    field: str
    text: str

    def __str__(self) -> str:
        field = f"{self.field}: " if self.field else ""
        return f"{self.path}:{self.line}: {field}{self.text}"


class BrokenFile(CatalogError):
    """A catalog file with everything that is wrong in it."""

    def __init__(self, problems: list[Problem]) -> None:
        more = len(problems) - 1
        rest = f" (and {more} more in this file)" if more else ""
        said = f"{problems[0]}{rest}"
        stop = "" if said.endswith("?") else "."
        super().__init__(f"{said}{stop} Correct the file, then run the command again.")
        self.problems = tuple(problems)


def read_provider(path: Path) -> ProviderEntry:
    """The entry in `path`, whose name without ".toml" is its id. Raises `BrokenFile`."""
    text, table = _read_table(_named_plainly(path))
    if "id" in table:
        raise _broken(path, LineIndex(text).line(("id",)), "id", "not a field: the file's name is the id")
    return _checked(ProviderEntry, path, text, {"id": path.stem, **table})


def read_profile(path: Path) -> PromptProfile:
    """The profile in `path`, which must be named `<benchmark>-<name>.toml`. Raises `BrokenFile`."""
    text, table = _read_table(_named_plainly(path))
    profile = _checked(PromptProfile, path, text, table)
    if profile.id != path.stem:
        line = LineIndex(text).line(("name",))
        raise _broken(path, line, "name", f"the file must be named {profile.id}.toml, or this changed")
    return profile


def read_record(model: type[RecordT], path: Path) -> RecordT:
    """A record from any TOML file of the user, such as a run file. Raises `BrokenFile`."""
    text, table = _read_table(path)
    return _checked(model, path, text, table)


def line_in(path: Path, *field: str) -> int:
    """The line of a field of a file that was read without errors."""
    return LineIndex(path.read_text(encoding="utf-8-sig")).line(field)


def _named_plainly(path: Path) -> Path:
    if not is_plain_id(path.stem):
        raise _broken(path, 1, "", 'the name must be small letters, digits, ".", "_" and "-" only')
    return path


def _read_table(path: Path) -> tuple[str, dict[str, object]]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise _broken(path, 1, "", f"larger than {_MAX_BYTES:,} bytes, which no catalog file is")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _broken(path, 1, "", "not a text in UTF-8") from None
    except OSError as error:
        raise _broken(path, 1, "", f"cannot be read ({error.strerror})") from None
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        position = _TOML_POSITION.search(str(error))
        line = int(position[1]) if position and position[1] else text.count("\n") + 1
        reason = _TOML_POSITION.sub("", str(error))
        raise _broken(path, line, "", f"not valid TOML: {reason}") from None
    except RecursionError:
        raise _broken(path, 1, "", "nested too deeply for a catalog file") from None
    except ValueError:  # Python's own, of more than 4,300 digits
        raise _broken(path, 1, "", _TOO_LARGE) from None
    unfit = next(_unfit(table, ()), None)
    if unfit is not None:
        place, why = unfit
        raise _broken(path, LineIndex(text).line(place), ".".join(map(str, place)), why)
    return text, table


def _unfit(value: object, place: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Where in a value at `place` something stands that no field can take, and what."""
    if isinstance(value, str) and "\0" in value:
        yield place, _NUL
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield place, _TOO_LARGE
    elif isinstance(value, dict):
        if any("\0" in name for name in value):
            yield place, _NUL
        for name, inner in value.items():
            yield from _unfit(inner, (*place, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unfit(inner, (*place, number))


def _checked(model: type[RecordT], path: Path, text: str, table: dict[str, object]) -> RecordT:
    try:
        record = model.model_validate(table)
        # Strict JSON takes lists, dates and whole numbers as TOML has them, but no `true` for a number.
        model.model_validate_json(to_json(table, inf_nan_mode="constants"), strict=True)
        return record
    except ValidationError as error:
        # Cut the chain: pydantic's own message repeats the value, which may be a key pasted by mistake.
        index = LineIndex(text)
        problems = [_problem(model, path, index, detail) for detail in error.errors(include_url=False)]
    raise BrokenFile(sorted(problems, key=lambda problem: problem.line)) from None


def _problem(model: type[Record], path: Path, index: LineIndex, detail: ErrorDetails) -> Problem:
    location = detail["loc"]
    field = ".".join(str(part) for part in location)
    kind, message = detail["type"], detail["msg"].removeprefix("Value error, ")
    if kind == "extra_forbidden":
        allowed = _fields_at(model, location[:-1])
        near = difflib.get_close_matches(str(location[-1]), allowed, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"allowed are {', '.join(allowed)}"
        message = f"no such field; {hint}"
    elif kind == "tuple_type":
        message = 'input should be a list, such as ["…"]'
    elif kind == "missing":
        message = "this field is missing"
    return Problem(path, index.line(location), field, message[:1].lower() + message[1:])


def _fields_at(model: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """The names of fields a table may have at `location` inside `model`."""
    annotation: object = model
    for part in location:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(str(part))
            annotation = field.annotation if field else None
        else:  # a key of a dict or a position of a tuple
            annotation = next(iter(_models_in(annotation)), None)
            continue
        if get_origin(annotation) in (Union, UnionType):
            annotation = next(iter(_models_in(annotation)), annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [field.alias or name for name, field in annotation.model_fields.items() if name != "id"]
    return []


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # Any: typing's forms have no common type
    for argument in get_args(annotation):
        if isinstance(argument, type) and issubclass(argument, BaseModel):
            yield argument
        else:
            yield from _models_in(argument)


def _broken(path: Path, line: int, field: str, text: str) -> BrokenFile:
    return BrokenFile([Problem(path, line, field, text)])
