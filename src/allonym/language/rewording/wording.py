"""Other words of the same meaning and form: "utilised" is "used", "a physician" is "a doctor".

Only pairs whose usual senses agree and that take the same words behind them. A form that is another part of speech as
well is changed only where its neighbours say which it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from allonym.language.public_style import words as public_words
from allonym.language.rewording.clauses import DETERMINERS, FINITE, SUBJECTS
from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.inflection import verb_forms
from allonym.language.rewording.lists import listed

# The plain word first, then those that become it; a word with a sign for equality goes both ways.
_VERBS: Final = """
use utilise utilize; buy purchase; start commence initiate =begin; end terminate; try attempt endeavour endeavor;
help assist; get obtain acquire procure; need require; tell inform notify; live reside dwell; leave depart; show
demonstrate exhibit; change modify alter; understand comprehend; hide conceal; build construct; stop cease halt; ask
enquire inquire; allow permit; expect anticipate; keep retain; choose select pick; send transmit dispatch; hate detest
loathe despise; love adore; repair mend; shout yell scream holler; cry weep sob; marry wed; die perish; achieve
accomplish; explain clarify elucidate; correct rectify; examine scrutinise scrutinize inspect; cross traverse; argue
quarrel bicker; laugh chuckle giggle; smile grin; look glance gaze peer; walk stroll trudge saunter wander; remember
recollect recall; want crave; eat devour gobble munch; talk converse chat chatter natter; repay reimburse; find
discover; check verify; assess evaluate; move relocate; waste squander; surprise astonish astound amaze; anger
infuriate enrage; annoy irritate vex; frighten terrify scare; confuse bewilder baffle perplex; throw hurl fling toss
chuck; grab snatch; hold grasp clutch; destroy demolish wreck; break shatter fracture; increase augment; improve
enhance ameliorate; happen occur; complain moan grumble whine; reply respond; own possess; mention cite; ban prohibit;
reduce lessen; appear emerge; describe depict portray; finish complete; begin =start;
close =shut; consider ponder contemplate; say state;
see perceive behold; sit perch; fall tumble plummet; run sprint dash; rest repose; sleep slumber doze; read
peruse; hit smack whack; pull tug yank; push shove; work toil labour; rise
ascend; stay remain; meet encounter; wait linger; avoid evade; blame reproach; scold chide rebuke
reprimand; praise commend laud; insult affront; beg implore beseech plead; mock ridicule deride; boast brag
"""
_NOUNS: Final = """
film movie flick; child kid youngster; mistake error blunder; answer reply response; story tale anecdote yarn; car
automobile; parcel package; doctor physician medic; illness sickness ailment malady; chance opportunity; danger hazard
peril; help assistance aid; result outcome upshot; woman lady; man guy bloke chap fellow dude; friend mate pal buddy
chum; house residence dwelling abode; shop store; smell odour odor stench stink whiff; idea notion concept; staff
personnel; customer client patron; photo photograph snapshot pic; phone telephone; bike bicycle; law legislation;
company corporation firm; teacher instructor tutor; pupil student; need requirement; amount sum quantity; lawyer
attorney solicitor; mother mum mom mummy mommy; father dad daddy; grandmother granny grandma gran nan; grandfather
grandpa grandad granddad; girl lass; boy lad; person individual; sofa couch settee; fridge refrigerator; television
telly; baby infant; job occupation; aim objective; part portion segment; piece fragment chunk morsel; area locality
vicinity; anger fury rage wrath; sadness sorrow grief; fear dread; noise din racket hubbub; argument quarrel squabble
spat; meal repast; money cash dosh; police cops; town burg; pavement sidewalk; rubbish garbage trash junk; holiday
vacation; present gift; comment remark; beginning start commencement; colleague coworker co-worker workmate; book
tome; letter missive epistle; look glance; walk stroll; wish desire; trip journey voyage; meeting gathering; pile
heap; stomach tummy belly; clothes garments; shoe footwear; enemy foe; fight brawl scuffle; trick ruse ploy; proof
evidence; reason rationale motive; way manner; goal target; rule regulation; feeling sentiment
"""
_ADJECTIVES: Final = """
big large sizeable sizable; huge enormous gigantic massive immense colossal humongous ginormous vast; small tiny
minuscule diminutive teeny; great excellent superb brilliant fantastic marvellous marvelous terrific magnificent
splendid fabulous awesome stupendous; wonderful glorious sublime; terrible awful dreadful horrible appalling atrocious
horrendous ghastly abysmal hideous horrid dire; beautiful gorgeous stunning exquisite; nice lovely delightful
charming; happy glad pleased delighted thrilled overjoyed ecstatic elated chuffed cheerful joyful; angry furious livid
irate; tired exhausted weary knackered drained; ill unwell; funny amusing humorous comical hilarious; boring tedious
dreary monotonous mundane; interesting fascinating intriguing; clever intelligent; stupid silly foolish dumb daft;
strange odd weird peculiar bizarre; important significant crucial vital essential paramount; difficult tricky
challenging arduous; easy straightforward effortless; quick rapid swift speedy; cheap inexpensive affordable;
expensive costly pricey; wrong incorrect erroneous; famous renowned; whole entire; enough sufficient ample; many
numerous countless umpteen; clear obvious evident; faulty defective; rude impolite discourteous; dangerous hazardous
unsafe perilous; empty vacant; rich wealthy affluent; poor impoverished needy; extra additional; disgusting revolting
repulsive; exciting thrilling gripping; useless worthless futile; polite courteous; yearly annual; modern
contemporary; old elderly ancient; brave courageous; shy timid bashful; honest sincere candid truthful; sad gloomy
miserable sorrowful melancholy; frightened terrified petrified scared; worried anxious; cold chilly frosty nippy; hot
scorching sweltering; wet damp moist soggy sodden; quiet silent hushed; loud noisy deafening; dirty filthy grubby
mucky; clean spotless; hungry starving ravenous peckish; kind benevolent; calm serene tranquil placid; stubborn
obstinate; busy hectic; usual customary habitual; correct accurate; possible feasible viable; complete utter; real
genuine authentic; upset distraught; embarrassed mortified; crazy insane bonkers barmy; thin slender slim; shiny
gleaming glossy; rough coarse; plain unadorned; noticeable conspicuous; understandable comprehensible
"""
_ADVERBS: Final = """
quickly swiftly rapidly speedily hastily; often frequently; sometimes occasionally; always constantly continually
perpetually; almost nearly practically virtually; about approximately roughly; only merely solely; mostly mainly
largely primarily chiefly predominantly; suddenly abruptly; soon shortly presently; badly poorly; clearly plainly
evidently; unfortunately sadly regrettably alas; fortunately luckily thankfully; later afterwards subsequently; easily
effortlessly; wrongly incorrectly; completely entirely wholly totally utterly; certainly undoubtedly doubtless
definitely; rarely seldom; hardly scarcely barely; quietly silently; loudly noisily; angrily furiously; carefully
cautiously gingerly; slowly sluggishly leisurely; probably presumably; recently lately; immediately instantly
straightaway forthwith; again anew; now currently; exactly precisely; together jointly; mistakenly erroneously;
secretly covertly surreptitiously; openly overtly; deliberately purposely intentionally; truly genuinely; usually
typically generally normally
"""
_PLURALS: Final = {
    "child": "children",
    "man": "men",
    "woman": "women",
    "lady": "ladies",
    "person": "people",
    "staff": "staff",
}
_ONE_FORM: Final = listed(
    """
police staff personnel money cash dosh rubbish garbage trash junk help assistance aid anger fury rage wrath sadness
sorrow grief legislation hair clothing clothes locks garments evidence proof footwear cops trouble
    """
)
_VERBAL: Final = listed(
    """
to will would can could shall should may might must don't didn't doesn't can't won't couldn't wouldn't shouldn't
cannot i you we they let's please i'll you'll we'll they'll he'll she'll i'd we'd they'd
    """
)
_THIRD: Final = listed("he she it who which that everyone everybody nobody somebody someone")
_BEFORE_PARTICIPLES: Final = listed(
    """
have has had having been be being was were is are am get got i've we've you've they've he's she's it's they're we're
i'm haven't hasn't hadn't wasn't isn't weren't aren't
    """
)
_BETWEEN: Final = listed("never not already just also always ever since been still often")
_PARTICLES: Final = listed("up out off down away against")
_AFTER_NOUNS: Final = listed(
    """
of and who that which is was has had to in on at with for from or but when as would will can could by about because
where while after before than
    """
)
_NOT_LAST: Final = listed("constantly continually perpetually nearly merely solely practically virtually")
_NEVER_BEFORE: Final = {
    "dwell": ("on", "upon"), "dwells": ("on", "upon"), "dwelling": ("on", "upon"), "dwelt": ("on", "upon"),
    "cease": ("to",), "ceases": ("to",), "ceased": ("to",), "ceasing": ("to",), "required": ("to",), "anxious": ("to",),
    "awful": ("lot",), "shortly": ("before",), "odd": ("number", "numbers", "jobs", "job", "one", "ones"),
    "stated": ("in", "on"), "attempt": ("a", "the"), "attempted": ("a", "the"), "approximately": ("the",),
}  # fmt: skip
_NEVER_AFTER: Final = {
    "afterwards": ("shortly", "soon", "long", "immediately", "ever"), "sufficient": ("a", "is", "not"),
    "large": ("by", "at"), "ample": ("an",), "current": ("a",), "evidence": ("in",), "error": ("trial", "and"),
}  # fmt: skip
_WORD: Final = re.compile(r"(?<![\w'’@./-])[A-Za-z]+(?:-[a-z]+)?(?![\w@/'’-]|\.\w)")


class _Form(NamedTuple):
    new: str
    part: str  # "base", "s", "ing", "past", "participle", "one", "many", "adjective" or "adverb"


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield plainer words, and as plain ones where two are."""
    table = _table()
    for match in _WORD.finditer(reader.text):
        word = match[0].lower()
        is_name = not match[0].islower() and not reader.begins(match.start())
        if is_name or word not in table:
            continue
        for form in table[word]:
            if _fits(reader, match, form):
                yield reader.put(match.start(), match.end(), form.new, "wording", "a word of the same meaning")


def _fits(reader: SentenceReader, match: re.Match[str], form: _Form) -> bool:
    """Tell whether the neighbours of a word make it the part of speech that is meant."""
    word, before, after = match[0].lower(), reader.word_before(match.start()), reader.word_after(match.end())
    if after in _NEVER_BEFORE.get(word, ()) or before in _NEVER_AFTER.get(word, ()):
        return False
    if form.part in ("base", "s", "ing", "past", "participle"):
        return after not in _PARTICLES and _is_verb(form.part, before)
    if form.part in ("one", "many"):
        if before in _VERBAL or before in SUBJECTS or before in FINITE:
            return False
        if form.part == "many":
            return after not in DETERMINERS and (before in DETERMINERS or word not in _verbal_forms())
        return (before in DETERMINERS or before.endswith("'s")) and (after == "" or after in _AFTER_NOUNS)
    return after not in DETERMINERS if form.part == "adjective" else bool(after) or word not in _NOT_LAST


def _is_verb(part: str, before: str) -> bool:
    if part == "base":
        return before in _VERBAL
    if part == "s":
        return before in _THIRD
    if before in DETERMINERS - _THIRD:
        return False
    if part == "participle":
        return before in _BEFORE_PARTICIPLES
    return part == "ing" or before not in _BEFORE_PARTICIPLES | _BETWEEN


@cache
def _verbal_forms() -> frozenset[str]:
    """Return plurals that are a form of a verb as well: "starts", "looks"."""
    return frozenset(
        form for plain, other in _pairs(_NOUNS) for form, part in (*_verb(plain), *_verb(other)) if part == "s"
    )


@cache
def _table() -> dict[str, tuple[_Form, ...]]:
    """Return what each form may become."""
    table: dict[str, list[_Form]] = {}
    kinds: tuple[tuple[str, Callable[[str], list[tuple[str, str]]]], ...] = (
        (_VERBS, _verb), (_NOUNS, _noun), (_ADJECTIVES, _adjective), (_ADVERBS, _adverb),
    )  # fmt: skip
    for groups, forms in kinds:
        for plain, other in _pairs(groups):
            for (old, part), (new, _) in zip(forms(other), forms(plain), strict=True):
                if old and new and old != new:
                    table.setdefault(old, []).append(_Form(new, part))
    return {old: tuple(dict.fromkeys(new)) for old, new in table.items()}


def _pairs(groups: str) -> Iterator[tuple[str, str]]:
    for group in groups.split(";"):
        plain, *others = group.split()
        for other in others:
            if other.endswith("?"):
                continue
            yield plain, other.lstrip("=")
            if other.startswith("="):
                yield other.lstrip("="), plain


def _adjective(word: str) -> list[tuple[str, str]]:
    return [(word, "adjective")]


def _adverb(word: str) -> list[tuple[str, str]]:
    return [(word, "adverb")]


def _noun(word: str) -> list[tuple[str, str]]:
    if word in _ONE_FORM:
        return [(word, "many"), ("", "many")]
    return [(word, "one"), (_PLURALS.get(word) or public_words.with_s(word), "many")]


def _verb(verb: str) -> list[tuple[str, str]]:
    return [(form, part) for form, part in verb_forms(verb)]
