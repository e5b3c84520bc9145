"""What all decks of a folder share: companies, seed questions, synonyms, retired ids. One small YAML file each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from quiz.calculators.base import nearest
from quiz.card import AREAS, ROLES
from quiz.companies import Company, folded
from quiz.language import Text, say
from quiz.problem import Problem, in_order
from quiz.schema import Reader
from quiz.strict_yaml import Mapping, Node, read
from quiz.wording import Wording

REGISTERS = ("companies.yaml", "sources.yaml", "glossary.yaml", "retired.yaml")

Read = TypeVar("Read")
GLOSSARY = ("synonyms", "opposites", "rivals")


@dataclass(frozen=True, slots=True)
class Source:
    """A seed question: its area, who asks it, and for which role ("" if any)."""

    area: str
    companies: tuple[str, ...]
    role: str = ""


@dataclass(frozen=True, slots=True)
class Registers:
    """`retired` maps an id that was given up to the one that took its place, or to "".

    `places` are (file, line, column) of each entry, by path: ``retired.old-id``, ``sources.bank:1``.
    """

    companies: tuple[Company, ...] = ()
    sources: dict[str, Source] = field(default_factory=dict)
    glossary: Wording = field(default_factory=Wording)
    retired: dict[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    places: dict[str, tuple[str, int, int]] = field(default_factory=dict)


def load(folder: Path, *, names: tuple[str, ...] = REGISTERS, shown: str = "") -> Registers:
    """The registers of a deck folder; one that is not there is empty."""
    readers: dict[str, Reader] = {}
    nodes: dict[str, Node] = {}
    problems: list[Problem] = []
    for name in names:
        path, title = folder / name, f"{shown or folder}/{name}"
        if not path.is_file():
            continue
        try:
            document = read(path.read_bytes())
        except OSError as error:
            problems.append(Problem(title, 1, 1, "", "", say("deck.unreadable_file", why=error.strerror or str(error))))
            continue
        reader = Reader(title, document)
        problems += [Problem(title, fault.line, fault.column, "", "", fault.text) for fault in document.faults]
        if document.root is not None:
            readers[name] = reader
            key = name.removesuffix(".yaml")
            if key == "glossary":
                nodes[name] = document.root
                continue
            values = reader.fields(document.root, "", (key,), (key,))
            if key in values:
                nodes[name] = values[key]

    def part(name: str, how: Callable[[Reader, Node], Read]) -> Read | None:
        return how(readers[name], nodes[name]) if name in nodes else None

    companies = part("companies.yaml", _companies) or ()
    sources = part("sources.yaml", _sources) or {}
    glossary = part("glossary.yaml", _glossary) or Wording()
    retired = part("retired.yaml", _retired) or {}
    if companies and sources:
        _askers(readers["sources.yaml"], sources, {company.id for company in companies})
    problems += [problem for reader in readers.values() for problem in reader.problems]
    places = {
        name: (reader.path, span.line, span.column)
        for reader in readers.values()
        for name, span in reader.places.items()
    }
    return Registers(companies, sources, glossary, retired, tuple(in_order(problems)), places)


def _askers(reader: Reader, sources: dict[str, Source], known: set[str]) -> None:
    for name, source in sources.items():
        for company in source.companies:
            if company not in known:
                where = f"sources.{name}.companies"
                near = nearest(company, sorted(known))
                reader.note(reader.places[where], where, say("deck.unknown_company", name=company, near=near))


def _companies(reader: Reader, node: Node) -> tuple[Company, ...]:
    seen: dict[str, Company] = {}
    places: dict[str, str] = {}

    def one(item: Node, where: str) -> Company | None:
        values = reader.fields(item, where, ("id", "en", "zh", "parent", "aliases"), ("id", "en", "zh"))
        name = reader.identifier(values["id"], f"{where}.id") if "id" in values else None
        words = [reader.text(values[key], f"{where}.{key}") if key in values else None for key in ("en", "zh")]
        parent = reader.identifier(values["parent"], f"{where}.parent") if "parent" in values else None
        aliases = reader.distinct(values["aliases"], f"{where}.aliases", reader.text) if "aliases" in values else ()
        if name is None or None in words:
            return None
        if name in seen:
            reader.note(item.span, f"{where}.id", say("deck.twice", value=name))
            return None
        seen[name] = Company(name, Text(words[0] or "", words[1] or ""), parent or "", aliases)
        places[name] = where
        return seen[name]

    companies = reader.list_of(node, "companies", one)
    means: dict[str, str] = {}
    for company in companies:
        where = places[company.id]
        if company.parent and company.parent not in seen:
            near = nearest(company.parent, sorted(seen))
            text = say("deck.unknown_company", name=company.parent, near=near)
            reader.note(reader.places[f"{where}.parent"], f"{where}.parent", text)
        for spelling in company.spellings:
            taken = means.setdefault(folded(spelling), company.id)
            if taken != company.id:
                reader.note(reader.places[where], where, say("lint.alias_clash", alias=spelling, company=taken))
    return companies


def _sources(reader: Reader, node: Node) -> dict[str, Source]:
    sources = {}
    for name, value in _entries(reader, node, "sources"):
        where = f"sources.{name}"
        values = reader.fields(value, where, ("area", "companies", "role"), ("area",))
        area = reader.choice(values["area"], f"{where}.area", AREAS) if "area" in values else None
        companies = (
            reader.distinct(values["companies"], f"{where}.companies", reader.identifier)
            if "companies" in values
            else ()
        )
        role = reader.choice(values["role"], f"{where}.role", ROLES) if "role" in values else None
        if area:
            sources[name] = Source(area, companies, role or "")
    return sources


def _glossary(reader: Reader, node: Node) -> Wording:
    values = reader.fields(node, "", GLOSSARY, ("synonyms",))

    def names(item: Node, where: str) -> tuple[str, ...] | None:
        return reader.distinct(item, where, reader.text) or None

    def sides(item: Node, where: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        both = reader.list_of(item, where, names)
        if len(both) != 2:
            reader.note(item.span, where, say("deck.two_sides"))
            return None
        return both[0], both[1]

    def each(key: str, one: Callable[[Node, str], Read | None]) -> tuple[Read, ...]:
        return reader.list_of(values[key], key, one, may_be_empty=True) if key in values else ()

    return Wording(each("synonyms", names), each("opposites", sides), each("rivals", names))


def _retired(reader: Reader, node: Node) -> dict[str, str]:
    retired = {}
    for name, value in _entries(reader, node, "retired"):
        values = reader.fields(value, f"retired.{name}", ("now", "why"))
        now = reader.identifier(values["now"], f"retired.{name}.now") if "now" in values else None
        retired[name] = now or ""
    return retired


def _entries(reader: Reader, node: Node, where: str) -> list[tuple[str, Node]]:
    known = [key.text for key, _ in node.entries] if isinstance(node, Mapping) else []
    return list(reader.fields(node, where, known).items())
