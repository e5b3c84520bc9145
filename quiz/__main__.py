"""Where the program starts: an interrupt that comes while it still loads ends it as quietly as any later one."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from quiz.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
