"""Words, terms, lemmas and bigrams: exact examples first, then properties of any string."""

from __future__ import annotations

import hashlib
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allonym.errors import ParameterError
from allonym.language import words as text_module
from allonym.language.stop_words import STOP_WORDS
from allonym.language.words import digest, is_number, lemma, letter_bigrams, terms, words

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
# Short pieces in which the rules meet far more often than in characters drawn at large.
KNOTTY_TEXT = st.lists(
    st.sampled_from(
        [
            *("ll", "\ud800", "\udc00"),
            *"'’`´nNtTsSda12,.-_ \0\n\u200b\u200d\ufe0f\u20e3\u0301\u0323\u0344\u093f",
            *"\U00011040\uff9eİΣ漢のカéﬁ½②Ⅷ፩ﷺ한\u1100\u1161\U0001f600",
        ]
    ),
    max_size=40,
).map("".join)
TEXT = ANY_TEXT | KNOTTY_TEXT

# The first call loads the dictionary and builds the character classes; later ones take microseconds.
NO_DEADLINE = settings(deadline=None)
MANY_EXAMPLES = settings(deadline=None, max_examples=500)
MORPHOLOGIES = st.sampled_from(["lemma", "lower", "orth"])


class TestWords:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            (" \t\n\u00a0\u3000", []),
            ("The cat sat.", ["The", "cat", "sat"]),
            ("well-known up_to and/or a–b", ["well", "known", "up", "to", "and", "or", "a", "b"]),
            ("naïve cafe\u0301 ﬁne Ａ", ["naïve", "café", "fine", "A"]),
            ("mp3 486dx x86", ["mp3", "486dx", "x86"]),
            ("so\u00adft zero\u200bwidth a\u2060b", ["soft", "zero", "width", "ab"]),
            ("\0a\0b\ud800c\udfff", ["a", "b", "c"]),
        ],
    )
    def test_plain(self, text, expected):
        assert words(text) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("don't", ["do", "n't"]),
            ("DON'T", ["DO", "N'T"]),
            ("can't won't", ["ca", "n't", "wo", "n't"]),
            ("I'd've", ["I", "'d", "'ve"]),
            ("she'll we're I'm it's", ["she", "'ll", "we", "'re", "I", "'m", "it", "'s"]),
            ("don’t don`t don´t don＇t donʼt", ["do", "n't"] * 5),
            ("O'Brien's o'clock rock'n'roll", ["O'Brien", "'s", "o'clock", "rock'n'roll"]),
            ("it'sn't", ["it", "'s", "n't"]),
            ("n't 's 'LL", ["n't", "'s", "'LL"]),
            ("the dogs' tails, 'quoted' and 'd'", ["the", "dogs", "tails", "quoted", "and", "d"]),
            ("6'2 the 90's ''''", ["6", "2", "the", "90", "'s"]),
            ("an'n't don'ts", ["an", "n't", "don'ts"]),
        ],
    )
    def test_apostrophes(self, text, expected):
        assert words(text) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("שלום, עולם! ג׳ורג׳", ["שלום", "עולם", "ג'ורג"]),
            ("مرحبا بالعالم؟", ["مرحبا", "بالعالم"]),
            ("می\u200cروم", ["میروم"]),
            ("हिन्दी में लिखना।", ["हिन्दी", "में", "लिखना"]),
            ("我们是学生。", ["我", "们", "是", "学", "生"]),
            ("日本のカメラ", ["日", "本", "の", "カメラ"]),
            ("ｶﾞﾗｽ", ["ガラス"]),
            ("한국어 문장", ["한국어", "문장"]),
            ("สวัสดีชาวโลก", ["สวัสดีชาวโลก"]),
            ("Привет, м'яч", ["Привет", "м'яч"]),
            ("𞤀𞤣𞤤𞤢𞤥 𑀅\U00011038", ["𞤀𞤣𞤤𞤢𞤥", "𑀅\U00011038"]),
            ("𠀀𠀁", ["𠀀", "𠀁"]),
        ],
    )
    def test_scripts(self, text, expected):
        assert words(text) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("ok 😀👍🏽!", ["ok"]), ("👨‍👩‍👧", []), ("1️⃣ ☎️", ["1"]), ("🇫🇷", []), ("❤️love", ["love"])],
    )
    def test_emoji(self, text, expected):
        assert words(text) == expected

    def test_many_marks_are_cut_to_thirty(self):
        (word,) = words("e" + "\u0323\u0301" * 100)
        assert sum(map(bool, map(unicodedata.combining, word))) <= 30

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_any_string_gives_normal_words_without_white_space(self, text):
        for word in words(text):
            assert word
            assert not any(sign.isspace() or sign == "\0" for sign in word)
            assert unicodedata.is_normalized("NFKC", word)
            word.encode()  # no lone surrogates

    @given(TEXT)
    @settings(MANY_EXAMPLES)
    def test_words_joined_by_blanks_are_the_same_words(self, text):
        found = words(text)
        assert words(" ".join(found)) == found

    @given(TEXT, TEXT)
    @settings(NO_DEADLINE)
    def test_texts_apart_do_not_touch_each_other(self, first, second):
        assert words(f"{first}\n{second}") == words(first) + words(second)

    @given(st.text(st.sampled_from("aZ09'.,-_ `\n"), max_size=30))
    @settings(NO_DEADLINE)
    def test_the_fast_pattern_agrees_with_the_general_one(self, text):
        assert words(text) == words(text + " ж")[:-1]


# Each would take minutes to hours were any step quadratic; the tests state what comes out, not how fast.
@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("'", 0),
        ("a", 1),
        ("a'", 1),
        ("'s", 100_000),
        ("n't", 100_000),
        ("1,", 1),
        ("1'", 100_000),
        ("\u0301", 0),
        ("\u0301\u0323", 0),
        ("e\u0323\u0301\u0323", 1),
        ("\u0f73\u0301", 0),
        ("\uff9e\u0334", 0),
        ("\u0344", 0),
        ("漢", 100_000),
        ("\U0001e900", 1),
        ("\u200d", 0),
        ("\ud800", 0),
        ("\U0001f600", 0),
        ("- ", 0),
    ],
)
def test_a_long_line_of_anything(unit, count):
    line = unit * 100_000
    assert len(words(line)) == count
    assert len(terms(line, morphology="lemma", keep_numbers=True, keep_stop_words=True)) == count
    assert lemma(line)
    assert letter_bigrams(line)


class TestCharacterClasses:
    def test_letters_digits_and_marks_of_all_of_unicode(self):
        everything = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
        normal = [chr(code) for code in everything if unicodedata.is_normalized("NFKC", chr(code))]
        ignored = text_module._INVISIBLE
        apostrophes = text_module._APOSTROPHES
        kept = [sign for sign in normal if not ignored.match(sign) and not apostrophes.match(sign)]
        expected = [sign for sign in kept if unicodedata.category(sign)[0] in "LN"]
        assert words(" ".join(kept)) == expected

    def test_no_mark_lies_beyond_those_scanned(self):
        beyond = range(text_module._LAST_MARK + 1, sys.maxunicode + 1)
        marks = [sign for sign in map(chr, beyond) if unicodedata.category(sign)[0] == "M"]
        assert all(text_module._INVISIBLE.match(sign) for sign in marks)

    def test_only_two_letters_turn_into_marks(self):
        letters = (chr(code) for code in range(0x20000) if unicodedata.category(chr(code))[0] != "M")
        turned = [sign for sign in letters if unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) != 0]
        assert turned == ["\uff9e", "\uff9f"]


class TestNumbers:
    @pytest.mark.parametrize("token", ["0", "42", "1,000.5", "3.14", "3rd", "21ST", "1990s", "٣٤", "፩፪", "ↀ"])
    def test_numbers(self, token):
        assert is_number(token)
        assert words(token) == [token]

    @pytest.mark.parametrize("token", ["", "x", "mp3", "486dx", "one", "'s", "一", "1.", ",1", "3rds", "1 2"])
    def test_others(self, token):
        assert not is_number(token)

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_never_raises(self, token):
        assert is_number(token) in (True, False)


class TestStopWords:
    def test_each_is_one_lower_case_word(self):
        for word in STOP_WORDS:
            assert words(word) == [word] == [word.lower()]

    @pytest.mark.parametrize(
        "text",
        [
            "I can't, won't, shan't, don't, didn't, wouldn't, mustn't",
            "I'm you're he's she'd we've they'll it's that's who's",
            "The OF And to",
        ],
    )
    def test_contractions_vanish_altogether(self, text):
        assert terms(text, morphology="orth") == []

    @pytest.mark.parametrize("word", ["bill", "system", "fire", "interest", "cause", "ai", "id", "ill"])
    def test_words_with_a_meaning_stay(self, word):
        assert word not in STOP_WORDS


class TestLemma:
    @pytest.mark.parametrize(
        ("word", "expected"),
        [
            ("mice", "mouse"),
            ("Running", "run"),
            ("POSTINGS", "post"),
            ("posting", "post"),
            ("was", "be"),
            ("qwzxv", "qwzxv"),
            ("m", "m"),
            ("486dx", "486dx"),
            ("", ""),
            ("popup", "popup"),
            ("𝓐", "a"),
        ],
    )
    def test_examples(self, word, expected):
        assert lemma(word) == expected

    def test_a_circle_in_the_dictionary_has_one_answer(self):
        assert lemma("bacterium") == lemma("bacteria") == "bacteria"

    def test_long_words_are_lowered_but_not_remembered(self):
        before = text_module._lemma_of_lowered.cache_info().currsize
        assert lemma("A" * 100_000) == "a" * 100_000
        assert text_module._lemma_of_lowered.cache_info().currsize == before

    @given(TEXT | st.from_regex(r"[a-z]{1,6}(ing|ed|s|es|er|ers|ings|est)", fullmatch=True))
    @settings(MANY_EXAMPLES)
    def test_the_lemma_of_a_lemma_is_itself(self, word):
        once = lemma(word)
        assert lemma(once) == once


class TestTerms:
    SENTENCE = "The 3 Mice weren't running from 2,000 CATS' tails in 1993!"

    @pytest.mark.parametrize(
        ("morphology", "expected"),
        [
            ("lemma", ["mouse", "run", "cat", "tail"]),
            ("lower", ["mice", "running", "cats", "tails"]),
            ("orth", ["Mice", "running", "CATS", "tails"]),
        ],
    )
    def test_morphologies(self, morphology, expected):
        assert terms(self.SENTENCE, morphology=morphology) == expected

    def test_stop_words_and_numbers_can_be_kept(self):
        assert terms("The 3 Mice", morphology="lower", keep_stop_words=True) == ["the", "mice"]
        assert terms("The 3RD Mice", morphology="lower", keep_numbers=True) == ["3rd", "mice"]
        assert terms("It was 7", morphology="lemma", keep_stop_words=True, keep_numbers=True) == [
            "it",
            "be",
            "7",
        ]

    def test_what_is_no_stop_word_does_not_become_one(self):
        assert lemma("beings") == "be"
        assert terms("Human beings, Don!", morphology="lemma") == ["human", "beings", "don"]

    def test_other_morphologies_are_refused(self):
        with pytest.raises(ParameterError, match="morphology must be one of lemma, lower, orth, got 'stem'"):
            terms("", morphology="stem")  # type: ignore[arg-type]

    @given(TEXT, MORPHOLOGIES)
    @settings(NO_DEADLINE)
    def test_neither_stop_words_nor_numbers_come_out(self, text, morphology):
        for term in terms(text, morphology=morphology):
            assert term.lower() not in STOP_WORDS
            assert not is_number(term)
            assert words(term) == [term]

    @given(TEXT, MORPHOLOGIES, st.booleans(), st.booleans())
    @settings(MANY_EXAMPLES)
    def test_terms_joined_by_blanks_are_the_same_terms(self, text, morphology, keep_stop_words, keep_numbers):
        def again(text):
            return terms(text, morphology=morphology, keep_stop_words=keep_stop_words, keep_numbers=keep_numbers)

        found = again(text)
        assert again(" ".join(found)) == found

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_all_kept_as_they_are_makes_all_words(self, text):
        assert terms(text, morphology="orth", keep_stop_words=True, keep_numbers=True) == words(text)

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_keeping_more_only_adds(self, text):
        fewer = terms(text, morphology="lower")
        more = iter(terms(text, morphology="lower", keep_stop_words=True, keep_numbers=True))
        assert all(term in more for term in fewer)  # a subsequence


class TestLetterBigrams:
    @pytest.mark.parametrize(
        ("word", "expected"),
        [
            ("", ()),
            ("A", ("a",)),
            ("at", ("at",)),
            ("Banana", ("ba", "an", "na")),
            ("aaaa", ("aa",)),
            ("n't", ("n'", "'t")),
            ("漢", ("漢",)),
        ],
    )
    def test_examples(self, word, expected):
        assert letter_bigrams(word) == expected

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_distinct_pairs_of_neighbours(self, word):
        found = letter_bigrams(word)
        assert len(set(found)) == len(found)
        assert all(len(pair) == min(2, len("".join(found))) for pair in found)
        assert bool(found) == bool(word)


class TestDigest:
    def test_it_is_blake2b_of_the_utf8_bytes(self):
        assert digest("é") == hashlib.blake2b(b"\xc3\xa9", digest_size=32).digest()

    def test_normalisation_does_not_touch_it(self):
        assert len({digest(text) for text in ("é", "e\u0301", "É", "\ud800", "", "\0")}) == 6

    @given(TEXT)
    @settings(NO_DEADLINE)
    def test_any_string_has_one_of_32_bytes(self, text):
        assert len(digest(text)) == 32
