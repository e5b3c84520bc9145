"""Every string that a person reads, in English and Chinese: one catalogue, looked up by key.

A key is ``section.name``; each section is a module of this package with a dict ``WORDS``, loaded
when first asked for, so that a command loads only the sentences it can say.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

LANGUAGES = ("en", "zh")


class Text(NamedTuple):
    """One sentence in both languages. A user's own deck may leave one of them empty."""

    en: str
    zh: str

    def pick(self, language: str) -> str:
        """The sentence in `language`, or in the other one where that is all there is."""
        chosen, other = (self.zh, self.en) if language == "zh" else (self.en, self.zh)
        return chosen or other

    def fill(self, **values: Any) -> Text:
        """Both sentences formatted; a value that is a Text takes its own language's words."""
        return Text(_fill(self.en, "en", values), _fill(self.zh, "zh", values))


def _fill(template: str, language: str, values: dict[str, Any]) -> str:
    return template.format(**{k: v.pick(language) if isinstance(v, Text) else v for k, v in values.items()})


def same(words: str) -> Text:
    """What reads alike in both languages: a formula, a name, a number."""
    return Text(words, words)


def say(key: str, **values: Any) -> Text:
    """The catalogue's sentence for `key`, formatted with `values`. KeyError if there is none."""
    text = words(key.partition(".")[0])[key.partition(".")[2]]
    return text.fill(**values) if values else text


def words(section: str) -> dict[str, Text]:
    """The sentences of one section. ModuleNotFoundError if there is no such section."""
    module = importlib.import_module(f"{__name__}.{section}")
    table: dict[str, Text] = module.WORDS
    return table
