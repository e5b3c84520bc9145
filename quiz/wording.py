"""The words that all cards share, as `glossary.yaml` lists them."""

from __future__ import annotations

from dataclasses import dataclass

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """`synonyms` mean the same, `opposites` are (one side, the other side), `rivals` exclude each other as subjects."""

    synonyms: tuple[Names, ...] = ()
    opposites: tuple[tuple[Names, Names], ...] = ()
    rivals: tuple[Names, ...] = ()

    def __add__(self, other: Wording) -> Wording:
        return Wording(self.synonyms + other.synonyms, self.opposites + other.opposites, self.rivals + other.rivals)
