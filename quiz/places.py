"""Where a learner's files are. `QUIZ_HOME` moves all of them; otherwise each platform's own folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from quiz.errors import BadInput
from quiz.language import say

APPLICATION = "infra-quiz"


@dataclass(frozen=True, slots=True)
class Places:
    database: Path
    settings: Path
    decks: Path
    cache: Path

    @property
    def backups(self) -> Path:
        """Where copies of the record are kept: beside it."""
        return self.database.parent / "backups"


def places(environment: Mapping[str, str]) -> Places:
    """The learner's files under `environment` (QUIZ_HOME, or what platformdirs makes of XDG and the like)."""
    home = environment.get("QUIZ_HOME")
    if home:
        root = user_path(home).absolute()
        return Places(root / "quiz.db", root / "settings.json", root / "decks", root / "cache")
    import platformdirs

    data = Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))
    config = Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))
    cache = Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))
    return Places(data / "quiz.db", config / "settings.json", data / "decks", cache)


def user_path(text: str) -> Path:
    """A path as a person writes it, ~ included. BadInput for the folder of a user that does not exist."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise BadInput(say("cli.no_such_home", path=text)) from error


def on_network(folder: Path, mounts: str) -> bool:
    """Whether `folder` lies on a network file system by `mounts` (the text of /proc/self/mounts).

    SQLite's write-ahead log needs shared memory, which network file systems do not give.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = str(folder) == point or str(folder).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind in NETWORK_FILE_SYSTEMS


NETWORK_FILE_SYSTEMS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "fuse.sshfs", "fuse.rclone", "fuse.glusterfs"}
)
