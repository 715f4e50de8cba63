"""Codes packed into words: bit fields per attribute and level, each with a flag for whether a pair differs there.

The sum of the xor of two records' words and of ones carries into the flags of the codes that are not equal: so a pair's
distance pattern takes a few operations on 64-bit numbers, and patterns are grouped by as few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonduck.statements.expansion import Item
from anonduck.statements.pipeline.column_names import CLASS, code_column

WORD_BITS = 62
CLASS_FIELD = ""  # stands for the class where attributes are named: no column has an empty name


@dataclass(frozen=True)
class CodeField:
    """Where the code of one attribute and level lies: ``bits`` bits of ``word`` below the flag bit at ``flag``."""

    attribute: str
    level: int
    word: int
    flag: int
    bits: int

    @property
    def shift(self) -> int:
        """The lowest bit of the code."""
        return self.flag - self.bits

    @property
    def column(self) -> str:
        """The column of the codes."""
        return CLASS if self.attribute == CLASS_FIELD else code_column(self.attribute, self.level)


@dataclass(frozen=True)
class WordLayout:
    """Fields packed into words; words whose flags lie on different bits share a key: ``keys[i]`` lists its words."""

    fields: tuple[CodeField, ...]
    keys: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> int:
        """How many 64-bit words a record takes."""
        return sum(len(words) for words in self.keys)

    def key_of(self, word: int) -> int:
        """The key that holds the flags of a word."""
        return next(i for i, words in enumerate(self.keys) if word in words)

    def fields_of(self, word: int) -> list[CodeField]:
        """The fields of one word."""
        return [field for field in self.fields if field.word == word]

    def field_of(self, attribute: str, level: int) -> CodeField:
        """The field of an attribute's level."""
        return next(f for f in self.fields if f.attribute == attribute and f.level == level)

    def ones_of(self, word: int) -> int:
        """A word whose codes are all ones: added to another, it carries into the flags of the codes that are not 0."""
        return sum(((1 << field.bits) - 1) << field.shift for field in self.fields_of(word))

    def flags_of(self, word: int) -> int:
        """A word with just its flags set."""
        return sum(1 << field.flag for field in self.fields_of(word))

    # -- as query files list them --------------------------------------------------------------------------------------

    @property
    def listed_words(self) -> list[Item]:
        """The words, each with the columns of codes that lie in it and where."""
        words = [[{"code": f.column, "shift": f.shift} for f in self.fields_of(word)] for word in range(self.words)]
        return [{"fields": fields} for fields in words]

    @property
    def listed_keys(self) -> list[Item]:
        """The keys, each with its words."""
        keys = [[{"word": w, "ones": self.ones_of(w), "flags": self.flags_of(w)} for w in key] for key in self.keys]
        return [{"words": words} for words in keys]

    def listed_flag(self, attribute: str, level: int) -> dict[str, int]:
        """The bit of a pair's keys that says whether it differs at a level of an attribute."""
        field = self.field_of(attribute, level)
        return {"key": self.key_of(field.word), "flag": field.flag}

    @property
    def listed_class(self) -> list[Item]:
        """The bit that says whether a pair differs in class."""
        return [self.listed_flag(CLASS_FIELD, 0)]


def pack(largest_codes: Mapping[tuple[str, int], int]) -> WordLayout:
    """Place a bit field and its flag for each (attribute, level), given the largest code of each.

    At most 62 bits of a word are used. Flags of words that share a key never lie on the same bit, so that the key of a
    pair is the OR of its words' flags: one 64-bit group key instead of one a word.
    """
    widths = {place: max(1, code.bit_length()) for place, code in largest_codes.items()}
    occupied: list[int] = []
    keys: list[list[int]] = []
    flags: list[set[int]] = []
    fields: list[CodeField] = []
    for (attribute, level), bits in sorted(widths.items(), key=lambda item: (-item[1], item[0])):
        spot = _free_spot(occupied, keys, flags, bits) or _new_word(occupied, keys, flags, bits)
        word, flag = spot
        occupied[word] |= _mask(flag, bits)
        flags[next(i for i, words in enumerate(keys) if word in words)].add(flag)
        fields.append(CodeField(attribute, level, word, flag, bits))
    return WordLayout(tuple(fields), tuple(tuple(words) for words in keys))


def _mask(flag: int, bits: int) -> int:
    return ((1 << (bits + 1)) - 1) << (flag - bits)


def _free_spot(occupied: list[int], keys: list[list[int]], flags: list[set[int]], bits: int) -> tuple[int, int] | None:
    for key, words in enumerate(keys):
        for word in words:
            for flag in range(bits, WORD_BITS):
                if flag not in flags[key] and not occupied[word] & _mask(flag, bits):
                    return word, flag
    return None


def _new_word(occupied: list[int], keys: list[list[int]], flags: list[set[int]], bits: int) -> tuple[int, int]:
    occupied.append(0)
    word = len(occupied) - 1
    for key, words in enumerate(keys):
        free = [flag for flag in range(bits, WORD_BITS) if flag not in flags[key]]
        if free:
            words.append(word)
            return word, free[0]
    keys.append([word])
    flags.append(set())
    return word, bits
