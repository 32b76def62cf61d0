"""Where catalog files are looked for: the workspace, the user's configuration, the shipped catalog."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vlbench.errors import CatalogError

Kind = Literal["providers", "prompts"]
Owner = Literal["workspace", "user", "shipped"]

_PLAIN_ID = re.compile(r"[a-z0-9][a-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Place:
    """One directory that holds `providers/` and `prompts/`, and who wrote them."""

    owner: Owner
    root: Path

    def file(self, kind: Kind, entry_id: str) -> Path | None:
        """The file of one entry; None when this place has none."""
        path = self.root / kind / f"{entry_id}.toml"
        return path if is_plain_id(entry_id) and path.is_file() else None

    def files(self, kind: Kind) -> list[Path]:
        """Every TOML file of one kind, in order of names; hidden ones are an editor's or a system's."""
        folder = self.root / kind
        if not folder.is_dir():
            return []
        return sorted(p for p in folder.glob("*.toml") if p.is_file() and not p.name.startswith("."))


def is_plain_id(text: str) -> bool:
    """Whether `text` can be a file's name everywhere: small letters, digits, ".", "_" and "-"."""
    return _PLAIN_ID.fullmatch(text) is not None


def search_path(workspace: Path, user: Path | None = None) -> tuple[Place, ...]:
    """The places in order of precedence.

    `user` is the user's configuration directory, the platform's unless given. A workspace that is the
    checkout this program runs from is the shipped catalog itself.
    """
    shipped = shipped_root()
    places = [Place("user", user or _user_directory()), Place("shipped", shipped)]
    if workspace.resolve() != shipped:
        places.insert(0, Place("workspace", workspace))
    return tuple(places)


def shipped_root() -> Path:
    """The catalog that came with the program: inside an installed package, beside it in a checkout.

    Beside the package only with a `pyproject.toml` that names vlbench: in `site-packages`, a folder
    `providers` belongs to someone else.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "_catalog"
    if installed.is_dir():
        return installed
    if _names_vlbench(package.parent / "pyproject.toml"):
        return package.parent
    raise CatalogError(
        f"The shipped catalog is missing: neither {installed} nor a checkout around {package} was found. "
        "Install vlbench again."
    )


def _names_vlbench(pyproject: Path) -> bool:
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False
    return isinstance(project, dict) and project.get("name") == "vlbench"


def _user_directory() -> Path:
    import platformdirs

    return platformdirs.user_config_path("vlbench", appauthor=False)
