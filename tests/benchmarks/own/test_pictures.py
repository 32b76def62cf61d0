"""A data file finds its pictures in its own folder, and cannot reach any other file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.media.read import ImageReader


@pytest.fixture
def root(tmp_path: Path, jpeg: Callable[[int], bytes]) -> Path:
    folder = tmp_path / "set"
    (folder / "images" / "deep").mkdir(parents=True)
    (folder / "a.jpg").write_bytes(jpeg(1))
    (folder / "images" / "b.jpg").write_bytes(jpeg(2))
    (folder / "images" / "deep" / "ü, 'c'.jpg").write_bytes(jpeg(3))
    (tmp_path / "secret.jpg").write_bytes(jpeg(4))
    return folder


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("a.jpg", 1),
        ("./images/../a.jpg", 1),
        ("b.jpg", 2),
        ("images/b.jpg", 2),
        ("images\\b.jpg", 2),
        ("deep/ü, 'c'.jpg", 3),
    ],
)
def test_pictures_are_found_from_the_folder_and_from_images(
    root: Path, jpeg: Callable[[int], bytes], text: str, number: int
) -> None:
    folder = PictureFolder(root)
    assert folder.names_one(text)
    with ImageReader() as reader:
        assert reader.span(folder.span(text)) == jpeg(number)


def test_an_absolute_path_inside_the_folder_is_taken(root: Path) -> None:
    assert PictureFolder(root).span(str(root / "a.jpg")).path == str(root / "a.jpg")


@pytest.mark.parametrize(
    "text", ["../secret.jpg", "images/../../secret.jpg", "/etc/passwd", "link.jpg", "out/secret.jpg"]
)
def test_what_lies_outside_is_refused_however_it_is_reached(root: Path, text: str) -> None:
    (root / "link.jpg").symlink_to(root.parent / "secret.jpg")
    (root / "out").symlink_to(root.parent, target_is_directory=True)
    with pytest.raises(ValueError, match="lies outside of"):
        PictureFolder(root).span(text)


def test_a_link_to_a_picture_inside_is_followed(root: Path) -> None:
    (root / "alias.jpg").symlink_to("images/b.jpg")
    assert PictureFolder(root).span("alias.jpg").path == str(root / "images" / "b.jpg")


@pytest.mark.parametrize("text", ["images", ".", "pipe.jpg"])
def test_only_files_are_opened(root: Path, text: str) -> None:
    os.mkfifo(root / "pipe.jpg")
    with pytest.raises(ValueError, match="is not a file"):
        PictureFolder(root).span(text)


@pytest.mark.parametrize("text", ["none.jpg", "circle.jpg", "a.jpg/b.jpg", "x" * 300 + ".jpg", "a\0.jpg"])
def test_what_is_not_there_is_told(root: Path, text: str) -> None:
    (root / "circle.jpg").symlink_to("circle.jpg")
    with pytest.raises(ValueError, match="is not in"):
        PictureFolder(root).span(text)


def test_base64_is_no_path(root: Path) -> None:
    folder = PictureFolder(root)
    assert not folder.names_one("iVBORw0KGgo" * 200)
    assert not folder.names_one("/9j/4AAQSkZJRg==")
    assert not folder.names_one("")
    assert not folder.names_one("two\nlines.jpg")
