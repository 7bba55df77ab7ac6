"""Small words in one form: contractions written out, one link for each turn, fillers left out, set phrases made plain.

Each rule is a pattern and what everybody writes in its place. A capital at the beginning stays one.
"""

from __future__ import annotations

import re
from typing import Final

from allonym.language.verb_forms import infinitive

_CONTRACTIONS: Final = """
can't = cannot; won't = will not; shan't = shall not; ain't = is not; cannot = cannot; can not = cannot; let's = let us;
y'all = you all; gonna = going to; wanna = want to; gotta = have to; kinda = somewhat; sorta = somewhat; dunno = do not
know; gimme = give me; lemme = let me; 'cause = because; cuz = because; cos = because; coz = because; 'em = them; thru =
through; tho = although; til = until; 'til = until; till = until; ok = all right; okay = all right; alright = all right;
u = you; ur = your; pls = please; plz = please; thx = thanks; btw = by the way; imo = in my opinion; imho = in my
opinion; afaik = as far as I know; asap = as soon as possible; etc. = and so on; e.g. = for example; i.e. = that is;
eg = for example; ie = that is; vs. = against; dont = do not; doesnt = does not; didnt = did not; isnt = is not; arent =
are not; wasnt = was not; werent = were not; hasnt = has not; havent = have not; hadnt = had not; couldnt = could not;
wouldnt = would not; shouldnt = should not; cant = cannot; wont = will not; im = I am; ive = I have; youre = you are;
theyre = they are; thats = that is; whats = what is; theres = there is
"""
# Links and set phrases. Longer ones go first.
_PHRASES: Final = """
in spite of the fact that = although; despite the fact that = although; due to the fact that = because; in view of the
fact that = because; owing to the fact that = because; on account of = because of; owing to = because of; for the
reason that = because; in the event that = if; in the event of = if there is; on condition that = if; provided that =
if; in order to = to; so as to = to; in order that = so that; with a view to = for; prior to = before; previous to =
before; subsequent to = after; following on from = after; at this point in time = now; at the present time = now; at
present = now; at the moment = now; at that point in time = then; in the near future = soon; in due course = later; at
a later date = later; on a regular basis = regularly; on a daily basis = every day; on a weekly basis = every week;
with regard to = about; with regards to = about; in regard to = about; in regards to = about; with respect to = about;
with reference to = about; in relation to = about; in connection with = about; as regards = about; regarding = about;
pertaining to = about; a large number of = many; a great number of = many; a number of = several; a great deal of =
much; a good deal of = much; quite a few = many; quite a lot of = a lot of; lots of = a lot of; plenty of = a lot of;
loads of = a lot of; tons of = a lot of; heaps of = a lot of; a bit of = some; the majority of = most; the vast
majority of = most; a majority of = most; the bulk of = most; in addition to = besides; apart from = except for; aside
from = except for; with the exception of = except for; in the absence of = without; in place of = instead of; in lieu
of = instead of; by means of = by; by virtue of = by; for the purpose of = for; on behalf of = for; in close proximity
to = near; in the vicinity of = near; in excess of = more than; no fewer than = at least; not less than = at least; has
the ability to = can; is in a position to = can; are in a position to = can; make use of = use; makes use of = uses;
made use of = used; making use of = using; take into account = consider; takes into account = considers; took into
account = considered; make a decision = decide; made a decision = decided; is of the opinion that = thinks that; am of
the opinion that = think that; come to the conclusion = conclude; came to the conclusion = concluded; get in touch with
= contact; got in touch with = contacted; put up with = tolerate; find out = learn; found out = learned; turn up =
come; turned up = came; showed up = came; shows up = comes; show up = come; point out = note; pointed out = noted;
points out = notes; ended up = ended; whilst = while; amongst = among; amidst = among; upon = on; towards = toward;
onto = on; unto = to; perhaps = maybe; as a result = so; as a consequence = so; for this reason = so; for that reason =
so; nevertheless = still; nonetheless = still; even so = still; even albeit = although; as though = as if; furthermore
= also; moreover = also; additionally = also; in addition = also; besides that = also; what is more = also; on top of
that = also; likewise = also; similarly = also; for instance = for example; namely = that is; in particular =
especially; particularly = especially; notably = especially; first of all = first; firstly = first; to begin with =
first; in the first place = first; secondly = second; thirdly = third; lastly = finally; at last = finally; eventually
= finally; in the end = finally; in conclusion = finally; to conclude = finally; to sum up = finally; all in all =
overall; on the whole = overall; by and large = overall; in general = generally; as a rule = generally; for the most
part = mostly; nobody = no one; everybody = everyone; somebody = someone; anybody = anyone; each and every = every; the
whole of = all of; any longer = any more; once again = again; once more = again; over and over again = repeatedly; over
and over = repeatedly; time and again = repeatedly; again and again = repeatedly; right away = at once; straight away =
at once; without delay = at once; at the earliest opportunity = as soon as possible; at your earliest convenience = as
soon as possible; all the time = always; every single = every; as far as I am concerned = in my opinion; in my view =
in my opinion; to my mind = in my opinion; from my point of view = in my opinion; I am of the view that = I think that;
I reckon = I think; I guess = I think; I suppose = I think; I feel that = I think that; it goes without saying that = ;
needless to say = ; to be honest = ; to be fair = ; to tell the truth = ; to be frank = ; as a matter of fact = ; in
fact = ; in actual fact = ; as you know = ; as you can see = ; of course = ; by the way = ; at the end of the day = ;
so to speak = ; more or less = about; once upon a time = once; no later than = by; not later than = by; at the latest
by = by
"""
_FILLERS: Final = """
actually basically literally simply honestly frankly truly really very extremely incredibly absolutely totally
completely utterly quite rather fairly just indeed certainly definitely clearly obviously surely naturally essentially
somewhat anyway anyhow
    """.split()  # noqa: SIM905
_ENDINGS: Final = (
    (re.compile(r"(?i)(?<=[a-z])n't\b"), " not"),
    (re.compile(r"(?i)\b(I)'m\b"), r"\1 am"),
    (re.compile(r"(?i)(?<=[a-z])'re\b"), " are"),
    (re.compile(r"(?i)(?<=[a-z])'ve\b"), " have"),
    (re.compile(r"(?i)(?<=[a-z])'ll\b"), " will"),
)  # fmt: skip
_HAD_OR_WOULD: Final = re.compile(r"(?i)\b(I|you|he|she|it|we|they|who|that|there)'d\b(?=(?P<next>(?: \w+){0,2}))")
_IS_OR_HAS: Final = re.compile(r"(?i)\b(he|she|it|that|there|what|who|where|how|here)'s\b(?=(?P<next>(?: \w+){0,2}))")
_NEGATED: Final = (
    r"(?<!not )(?<!never )(?<!nor )(?<!no )(?<!only )(?<!so )(?<!too )(?<!as )(?<!how )(?<!would )(?<!had )(?<!\w-)"
)
_DROPPED: Final = re.compile(
    rf"{_NEGATED}\b(?:{'|'.join(_FILLERS)})\b,? (?=[A-Za-z])"
    r"(?!(?:as|so|before|after|because|when|how|what|why|who|if|enough|"
    r"much|many|few|little|well|off|the|a|an|my|your|his|her|our|their|this|that|then|about|over|under|of|and|or|but|to|"
    r"in|on|at|for|with|from|by|than)\b)",
    re.IGNORECASE,
)
_OPENING_FILLER: Final = re.compile(
    rf"^(?:and |but |so )?(?:{'|'.join(_FILLERS)}|well|oh|yes|yeah|hey|look|listen|see|now|then|still)\b, ",
    re.IGNORECASE,
)
_CAUSE: Final = re.compile(
    r"\bdue to(?= (?:the|a|an|my|your|his|her|its|our|their|this|that|these|those|lack|bad)\b)", re.IGNORECASE
)
_CONTRAST: Final = re.compile(
    r"^(?:however|nevertheless|nonetheless|still|yet|even so|that said|having said that|on the other hand|mind you"
    r"|then again)\b,? ",
    re.IGNORECASE,
)
_INNER_CONTRAST: Final = re.compile(r",? however,? ", re.IGNORECASE)
_RESULT: Final = re.compile(
    r"(?:^|(?<=[a-z]) |,? )(?:therefore|thus|hence|consequently|accordingly),? (?=[a-zI])", re.IGNORECASE
)
_JOINED_RESULT: Final = re.compile(r"\band (?:therefore|thus|hence|consequently),? ", re.IGNORECASE)
_WEAK_OPENING: Final = re.compile(r"^(?:and|so|also|plus),? (?=\w)", re.IGNORECASE)
_AGAIN: Final = re.compile(r"\b(\w+) \1\b(?<!that that)(?<!had had)", re.IGNORECASE)
_BETWEEN: Final = frozenset({"never", "not", "always", "already", "just", "only", "also", "ever", "really", "since"})
_AFTER_HAS: Final = frozenset(
    """
been had got gone taken become given stopped started asked said made seen come refused promised decided tried
    """.split()  # noqa: SIM905
)
_SPACES: Final = (
    (re.compile(r"\s+([.,:?])"), r"\1"),
    (re.compile(r"([,.]),+"), r"\1"),
    (re.compile(r",+(?=[.?])"), ""),
    (re.compile(r"\s{2,}"), " "),
)


def _listed(text: str) -> dict[str, str]:
    pairs = (" ".join(rule.split()).partition(" =") for rule in text.split(";"))
    return {old.strip().lower(): new.strip() for old, _, new in pairs}


def _pattern(rules: dict[str, str]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(old) for old in sorted(rules, key=len, reverse=True))
    return re.compile(rf"(?<![\w'-])(?:{alternatives})(?![\w'-])(?!\.\w)", re.IGNORECASE)


_FORMS: Final = tuple((rules, _pattern(rules)) for rules in (_listed(_CONTRACTIONS), _listed(_PHRASES)))


def public(sentence: str) -> str:
    """Return a sentence with its small words in one form.

    Examples:
        >>> public("However, I really can't pay, due to the fact that I'm ill.")
        'But I cannot pay, because I am ill.'
    """
    sentence = sentence.replace("\u2019", "'")
    sentence = _replaced(sentence, *_FORMS[0])
    for pattern, written in _ENDINGS:
        sentence = pattern.sub(written, sentence)
    sentence = _HAD_OR_WOULD.sub(lambda match: f"{match[1]} {'had' if _is_participle(match) else 'would'}", sentence)
    sentence = _IS_OR_HAS.sub(lambda match: f"{match[1]} {'has' if _has(match) else 'is'}", sentence)
    sentence = _WEAK_OPENING.sub("", _OPENING_FILLER.sub("", sentence))
    sentence = _CONTRAST.sub("But ", sentence)
    if _INNER_CONTRAST.search(sentence):
        sentence = "But " + _uncapitalised(_INNER_CONTRAST.sub(" ", sentence, count=1))
    sentence = _JOINED_RESULT.sub("and so ", sentence)
    if _RESULT.search(sentence):
        sentence = "So " + _uncapitalised(_RESULT.sub(" ", sentence, count=1).strip())
    sentence = _replaced(sentence, *_FORMS[1])
    sentence = _CAUSE.sub("because of", sentence)
    sentence = _DROPPED.sub("", sentence)
    sentence = _AGAIN.sub(r"\1", sentence)
    for pattern, written in _SPACES:
        sentence = pattern.sub(written, sentence)
    return sentence.strip(" ,")


def _is_participle(match: re.Match[str]) -> bool:
    """Tell whether what follows "I'd" makes it "I had": "been", "never paid", "better", but not "pay"."""
    following = match["next"].lower().split()
    while following and following[0] in _BETWEEN:
        following = following[1:]
    return bool(following) and (
        following[0] in ("been", "better")
        or (following[0].endswith("ed") and len(following[0]) > 4)
        or _irregular(following[0])
    )


def _has(match: re.Match[str]) -> bool:
    """Tell whether what follows "it's" makes it "it has": few words do surely."""
    following = [word for word in match["next"].lower().split() if word not in _BETWEEN]
    return bool(following) and following[0] in _AFTER_HAS


def _irregular(word: str) -> bool:
    verb = infinitive(word)
    return verb is not None and verb != word


def _replaced(sentence: str, rules: dict[str, str], pattern: re.Pattern[str]) -> str:
    def written(match: re.Match[str]) -> str:
        new = rules[match[0].lower()]
        return new[:1].upper() + new[1:] if match[0][0].isupper() and not match[0].isupper() else new

    return pattern.sub(written, sentence)


def _uncapitalised(sentence: str) -> str:
    first = sentence.partition(" ")[0]
    return sentence if first in ("I", "I'm") or not first.istitle() else sentence[0].lower() + sentence[1:]
