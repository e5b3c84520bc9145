"""Who asks: companies under any spelling, in either language, with their parts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quiz.errors import UnknownName
from quiz.language import Text, say


@dataclass(frozen=True, slots=True)
class Company:
    """`parent` is the id of the company that this one is a part of, or ""."""

    id: str
    name: Text
    parent: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.id, self.name.en, self.name.zh, *self.aliases)


class Companies:
    """All companies by id."""

    def __init__(self, companies: Iterable[Company]) -> None:
        self.by_id = {company.id: company for company in companies}

    def parts(self, company: str) -> frozenset[str]:
        """The id of `company` and those of all its parts, and of theirs."""
        found = {company}
        while True:
            more = {c.id for c in self.by_id.values() if c.parent in found} - found
            if not more:
                return frozenset(found)
            found |= more

    def with_parents(self, companies: Iterable[str]) -> frozenset[str]:
        """`companies` and all that they are parts of."""
        found: set[str] = set()
        for company in companies:
            while company and company not in found:
                found.add(company)
                company = self.by_id[company].parent if company in self.by_id else ""
        return frozenset(found)

    def names(self, asked: Mapping[str, int], language: str) -> list[str]:
        """Names of those who ask, most often first; a company beside a part of it is left to the part."""
        parts = {self.by_id[c].parent for c in asked if c in self.by_id}
        chosen = sorted((c for c in asked if c not in parts), key=lambda c: -asked[c])
        return [self.by_id[c].name.pick(language) if c in self.by_id else c for c in chosen]

    def find(self, spelling: str) -> Company:
        """The company meant by `spelling`: an id, a name or an alias, whole or its beginning, or a part of one.

        Where several begin alike (阿里), the one that the others are parts of. UnknownName with the nearest if none.
        """
        wanted = folded(spelling)
        if wanted:
            tests = (str.__eq__, str.startswith, str.__contains__)
            for test in tests[: 3 if len(wanted) > 1 else 1]:
                hits = [c for c in self.by_id.values() if any(test(folded(s), wanted) for s in c.spellings)]
                heads = [c for c in hits if self.parts(c.id) >= {hit.id for hit in hits}]
                if heads:
                    return heads[0]
                if hits:
                    break
        raise UnknownName(say("deck.unknown_company", name=spelling, near=self._near(wanted)))

    def _near(self, wanted: str) -> str:
        import difflib

        spelled = {folded(s): c.id for c in self.by_id.values() for s in c.spellings if s}
        holding = [spelled[s] for s in spelled if wanted and wanted in s]
        close = [spelled[s] for s in difflib.get_close_matches(wanted, spelled, n=6, cutoff=0.4)]
        return ", ".join(list(dict.fromkeys(holding + close))[:3] or sorted(self.by_id)[:3])


def folded(spelling: str) -> str:
    """Without case, width, spaces and punctuation: ``Byte Dance`` and ``bytedance`` are one."""
    return "".join(c for c in unicodedata.normalize("NFKC", spelling).casefold() if c.isalnum())
