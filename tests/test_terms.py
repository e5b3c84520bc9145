"""Terms of key points: Latin at word boundaries with hyphens and plurals aside, Chinese anywhere, synonyms shared."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz import registers
from quiz.terms import Glossary, find, find_any, meets, prepare, unmet

DECKS = Path(__file__).parent.parent / "decks"
SHARED = Glossary(registers.load(DECKS, names=("glossary.yaml",)).glossary)


def found(term: str, text: str, glossary: Glossary = SHARED) -> str | None:
    place = find(term, prepare(text), glossary)
    return text[place[0] : place[1]] if place else None


@pytest.mark.parametrize(
    ("term", "text", "words"),
    [
        ("micro-batch", "many microbatches", "microbatches"),
        ("microbatch", "two micro-batches", "micro-batches"),
        ("micro batch", "a micro-batch", "micro-batch"),
        ("micro-batch", "a micro batch", "micro batch"),
        ("data-parallel all-reduce", "the Data Parallel AllReduce", "Data Parallel AllReduce"),
        ("cache", "two caches", "caches"),
        ("caches", "one cache", "cache"),
        ("bias", "biases", "biases"),
        ("latency", "latencies", "latencies"),
        ("matrix", "matrices", "matrices"),
        ("GPU", "eight GPUs", "GPUs"),
        ("interleav", "Interleaving v chunks", "Interleaving"),
        ("replicate", "heads are replicated", "replicated"),
        ("p−1", "(p-1)/m", "p-1"),
        ("p-1", "p − 1 slots", "p − 1"),
        ("18 %", "is 18% or", "18%"),
        ("80 GB", "an 80GB card", "80GB"),
        ("1,024", "1024 apart", "1024"),
        ("10³", "10^3", "10^3"),
        ("2·N", "2×N", "2×N"),
        ("÷ v", "bubble ÷v", "÷v"),
        ("same bubble", "the **same** bubble", "same** bubble"),
        ("has gpipe's bubble", "1F1B has GPipe’s bubble", "has GPipe’s bubble"),
        ("最多留 p", "1F1B 最多留p份", "最多留p"),
        ("气泡", "流水线气泡不变", "气泡"),
        ("ＫＶ", "the KV cache", "KV"),
        ("显存", "it needs less VRAM", "VRAM"),
        ("GPU memory", "把显存用光", "显存"),
        ("saves GPU memory", "this saves HBM", "saves HBM"),
        ("all-to-all", "A2A", "A2A"),
    ],
)
def test_terms_that_a_text_uses(term: str, text: str, words: str) -> None:
    assert found(term, text) == words


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("share", "the shareholder"),
        ("ring", "a string"),
        ("of p", "of ping"),
        ("note", "not"),
        ("plan", "a planet"),
        ("fp", "fp8"),
        ("8 %", "18 %"),
        ("8 %", "1.8 %"),
        ("3", "3.35 TB"),
        ("35", "3.35"),
        ("24", "1,024"),
        ("form", "former"),
        ("p−1", "p1"),
        ("therapist", "the rapist"),
        ("", "anything"),
    ],
)
def test_terms_that_a_text_does_not_use(term: str, text: str) -> None:
    assert found(term, text) is None


def test_terms_are_an_and_of_ors() -> None:
    terms = (("activation", "激活"), ("at most p", "最多 p"))
    assert meets(terms, prepare("激活最多 p 份"))
    assert meets(terms, prepare("at most p activations"))
    assert unmet(terms, prepare("激活")) == (1,)
    assert unmet((), prepare("")) == ()
    assert find_any(("x", "激活"), prepare("留激活")) == (1, 3)


@given(st.text(max_size=40), st.text(max_size=10))
def test_places_lie_in_the_text(text: str, term: str) -> None:
    place = find(term, prepare(text))
    assert place is None or 0 <= place[0] < place[1] <= len(text)


@given(
    st.lists(
        st.sampled_from(["KV", "cache", "micro-batch", "显存", "带宽", "18 %", "p−1", "GPUs"]), min_size=1, max_size=6
    )
)
def test_a_text_uses_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert find(text, prepare(text)) is not None
    assert all(find(word, prepare(text)) for word in words)


def test_the_glossary_is_sound() -> None:
    groups = registers.load(DECKS, names=("glossary.yaml",))
    assert groups.problems == ()
    assert len(groups.glossary.synonyms) >= 250
    words = [word.casefold() for group in groups.glossary.synonyms for word in group]
    assert len(words) == len(set(words))
