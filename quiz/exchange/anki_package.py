"""Opening an Anki package: a zip in which a SQLite database lies, the newer ones packed once more by Zstandard.

Nothing is unpacked under a name from the archive, and nothing grows above a fixed size, whatever its header says.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from quiz.errors import BadInput
from quiz.exchange.arrival import LARGEST, refuse
from quiz.language import say

# The newest first: beside it an older name holds a note that tells to update Anki.
NAMES = ("collection.anki21b", "collection.anki21", "collection.anki2")
MOST_FILES = 65_000
LARGEST_DIRECTORY = 16_000_000
HIGHEST_RATIO = 200
RATIO_FROM = 20_000_000
CHUNK = 1 << 18
WINDOW = 1 << 27

_END = struct.Struct("<4s4H2LH")


@contextmanager
def database(source: Path) -> Iterator[Path]:
    """The collection's database as a file that is gone afterwards.

    BadInput if `source` is no Anki package, is larger than any deck, or was made to do harm.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="quiz-") as folder:
        target = Path(folder, "collection.db")
        try:
            with source.open("rb") as stream:
                _check_directory(stream, source)
                stream.seek(0)
                with ZipFile(stream) as archive:
                    member = _collection(archive, source)
                    _unpack(archive, member, target, source)
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
            raise refuse(source.name, "no_package") from error
        yield target


def _check_directory(stream: IO[bytes], source: Path) -> None:
    """Refuse before reading it a list of files that is itself too large to be held."""
    size = stream.seek(0, 2)
    if size > LARGEST:
        raise refuse(source.name, "too_large", megabytes=LARGEST // 1_000_000)
    stream.seek(max(0, size - _END.size - 65_535 - 20))
    tail = stream.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _END.size:
        raise refuse(source.name, "no_package")
    _, _, _, _, files, length, _, _ = _END.unpack_from(tail, at)
    # The 64-bit form would let the list be longer than the 32-bit one says.
    if files > MOST_FILES or length > LARGEST_DIRECTORY or b"PK\6\7" in tail[:at][-20:]:
        raise refuse(source.name, "too_many_files", count=MOST_FILES)


def _collection(archive: ZipFile, source: Path) -> ZipInfo:
    files = {member.filename: member for member in archive.infolist()}
    for name in files:
        parts = name.replace("\\", "/").split("/")
        if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in name:
            raise refuse(source.name, "traversal")
    member = next((files[name] for name in NAMES if name in files), None)
    if member is None:
        raise refuse(source.name, "no_collection")
    if member.flag_bits & 1 or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise refuse(source.name, "no_package")
    if member.file_size > LARGEST:
        raise refuse(source.name, "bomb", megabytes=LARGEST // 1_000_000)
    return member


def _unpack(archive: ZipFile, member: ZipInfo, target: Path, source: Path) -> None:
    with archive.open(member) as packed, target.open("wb") as whole:
        stream: IO[bytes] = packed
        if member.filename == NAMES[0]:
            stream = _zstandard(packed, source)
        written = 0
        while True:
            try:
                chunk = stream.read(CHUNK)
            except Exception as error:
                if type(error).__module__.partition(".")[0] in ("zstandard", "zstd"):
                    raise refuse(source.name, "no_package") from error
                raise
            if not chunk:
                return
            written += len(chunk)
            bloated = written > RATIO_FROM and written > HIGHEST_RATIO * max(1, member.compress_size)
            if written > LARGEST or bloated:
                raise refuse(source.name, "bomb", megabytes=LARGEST // 1_000_000)
            whole.write(chunk)


def _zstandard(packed: IO[bytes], source: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError as error:
        raise BadInput(say("data.no_zstandard", path=source.name)) from error
    reader: IO[bytes] = zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(packed)
    return reader
