"""British spelling of English words, in all their forms."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_OUR: Final = """
behavior color favor flavor harbor honor humor labor neighbor rumor savior vapor vigor parlor odor armor endeavor
candor clamor fervor rigor tumor splendor valor
    """.split()  # noqa: SIM905
_ISE: Final = """
apolog author categor character civil critic custom emphas final general harmon hospital ideal immun jeopard legal
liberal local maxim memor minim mobil modern monopol neutral normal optim organ penal personal popular priorit random
real recogn revolution scandal scrutin social special stabil standard steril summar symbol sympath synchron terror
traumat util vandal victim visual agon antagon anonym brutal capital colon computer dramat energ fantas glamor
idol itemis moral patron plagiar polar public romant satir stigmat subsid tantal verbal weapon
    """.split()  # noqa: SIM905
# Not here: words whose other spelling is another thing, such as the meter that is read, or a short ton.
_OTHERS: Final = """
center centre; centers centres; centered centred; theater theatre; theaters theatres; liter
litre; liters litres; fiber fibre; fibers fibres; somber sombre; specter spectre; luster lustre; meager meagre; defense
defence; defenses defences; offense offence; offenses offences; pretense pretence; gray grey; grays greys; grayish
greyish; catalog catalogue; catalogs catalogues; dialog dialogue; dialogs dialogues; analog analogue;
traveled travelled; traveling travelling; traveler traveller; travelers travellers;
canceled cancelled; canceling cancelling; labeled labelled; labeling labelling; modeled modelled; modeling modelling;
counseling counselling; counselor counsellor; counselors counsellors; fueled fuelled; leveled levelled; quarreled
quarrelled; signaled signalled; totaled totalled; marvelous marvellous; jewelry jewellery; woolen woollen; fulfill
fulfil; fulfills fulfils; skillful skilful; skillfully skilfully; willful wilful; enroll enrol; enrollment enrolment;
installment instalment; installments instalments; distill distil; analyze analyse; analyzed analysed; analyzes
analyses; analyzing analysing; paralyze paralyse; paralyzed paralysed; aging ageing; acknowledgment acknowledgement;
judgment judgement; judgments judgements; mom mum; moms mums; mommy mummy; pajamas pyjamas; plow plough;
 mustache moustache; skeptical sceptical; skeptic sceptic; skepticism scepticism; aluminum
aluminium; airplane aeroplane; airplanes aeroplanes; cozy cosy; donut doughnut; maneuver manoeuvre; maneuvers
manoeuvres; pediatric paediatric; anesthetic anaesthetic; anesthesia anaesthesia; diarrhea diarrhoea; estrogen
oestrogen; encyclopedia encyclopaedia; archeology archaeology; ax axe; sulfur sulphur; inquiry enquiry; inquiries
enquiries; inquire enquire; inquired enquired; gotten got; favorite favourite; favorites favourites; honorable
honourable; neighborhood neighbourhood; neighborhoods neighbourhoods; neighboring neighbouring; practicing practising;
practiced practised; apologize apologise; percent per cent; vacation holiday; vacations holidays; apartment
flat; apartments flats; elevator lift; elevators lifts; sidewalk pavement; sidewalks pavements; trash rubbish; garbage
rubbish; faucet tap; faucets taps; cookie biscuit; cookies biscuits; movie film; movies films; truck lorry; trucks
lorries; cellphone mobile; pants trousers; sweater jumper; sweaters jumpers; diaper
nappy; diapers nappies; math maths; flashlight torch; gasoline petrol; highway motorway; highways motorways; freeway
motorway; freeways motorways; stroller pram; zipper zip; zucchini courgette;
"""
_ENDINGS: Final = {
    "or": ("", "s", "ed", "ing", "able", "ful", "less", "ite", "y", "er", "ers", "hood", "ly"),
    "iz": ("e", "es", "ed", "ing", "ation", "ations", "er", "ers", "able"),
}
_WORD: Final = re.compile(r"(?<![\w'@./-])[A-Za-z]+(?![\w@/]|\.\w)")


def british(sentence: str) -> str:
    """Return a sentence in British spelling, words that differ included.

    Examples:
        >>> british("The neighbors organized a trip to the movie theater.")
        'The neighbours organised a trip to the film theatre.'
    """
    return _WORD.sub(_spelt, sentence)


def _spelt(match: re.Match[str]) -> str:
    word = match[0]
    new = american_to_british().get(word.lower())
    is_name = not word.islower() and match.start() > 0
    if new is None or is_name or (word.isupper() and len(word) > 1):
        return word
    return new.capitalize() if word[0].isupper() else new


@cache
def american_to_british() -> dict[str, str]:
    """Return the British spelling of each word in American spelling, in lower case, words that differ included."""
    table = {
        old: new for old, _, new in (" ".join(pair.split()).partition(" ") for pair in _OTHERS.split(";")) if old != new
    }
    for stem in _OUR:
        table |= {
            stem + ending: f"{stem[:-2]}our{ending}" for ending in _ENDINGS["or"] if (stem, ending) != ("humor", "ous")
        }
    for stem in _ISE:
        table |= {f"{stem}iz{ending}": f"{stem}is{ending}" for ending in _ENDINGS["iz"]}
    return table
