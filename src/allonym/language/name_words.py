"""English words that tell what a name names, and words for what somebody is at work.

Small public lists, not gazetteers: they sort names that were found by other means, and miss what they do not list.

Privacy: spends nothing.
"""

from __future__ import annotations

import re
from typing import Final

_ORGANISATIONS_LISTED = """
academy agency airlines airways alliance associates association authority bank board borough brothers bureau cathedral
centre center charity church clinic club co college commission committee company cooperative co-op corp corporation
council court department division federation firm force foundation fund gmbh group guild health holdings hospice
hospital hotel inc industries infirmary institute institution international laboratories laboratory library limited llc
llp ltd ministry mosque museum nhs nursery office organisation organization parish party partners partnership pharmacy
plc police practice press pub records restaurant school service services society solicitors solutions store stores
surgery synagogue systems team technologies theatre theater tribunal trust union university
"""
_PLACES_LISTED = """
airport alley avenue ave bay beach bridge close common corner county court creek crescent district drive estate falls
farm fields forest garden gardens green grove harbour harbor heath heights hill house island islands junction lake lane
market meadow mews moor mount mountain north park peninsula place port quay rd ridge rise river road row sea shire south
square st station strait street terrace tower town valley view village walk ward way west wood woods east
"""
_GROUPS_LISTED = """
african african-american albanian algerian american arab argentinian asian australian austrian bangladeshi baptist
basque belgian bengali black brazilian british buddhist bulgarian buddhists canadian catholic catholics caribbean
chilean chinese christian christians colombian communist congolese conservative croatian cuban czech danish democrat
democrats dutch egyptian english eritrean estonian ethiopian european filipino finnish flemish french german germans
ghanaian greek gujarati gypsy hindu hindus hispanic hungarian icelandic indian indians indonesian iranian iraqi irish
israeli italian italians jamaican japanese jew jewish jews jordanian kenyan korean kurd kurdish kurds latino latvian
lebanese libyan lithuanian lutheran malay malaysian maltese marxist methodist mexican mexicans mormon moroccan muslim
muslims nepali nigerian nigerians norwegian orthodox pakistani palestinian persian peruvian polish poles portuguese
protestant protestants punjabi quaker quakers republican republicans roma romani romanian russian russians scot scots
scottish serb serbian sikh sikhs slovak slovenian somali spanish sudanese swedish swiss syrian syrians tamil thai
tibetan tory tories traveller tunisian turk turkish turks ukrainian urdu vietnamese welsh yemeni zimbabwean
"""
_ROLES_LISTED = """
accountant actuary adjudicator administrator advisor adviser advocate almoner ambassador anaesthetist analyst
apprentice archaeologist architect archivist assessor assistant attorney auditor au-pair bailiff baker barber barista
barrister bishop bookkeeper bursar butcher buyer canon captain cardiologist caretaker carer cashier caterer ceo cfo
chair chairman chairperson chairwoman chancellor chaplain chauffeur chef chemist chief cio cleaner clerk coach
colonel commander commissioner comptroller conductor constable consul consultant controller cook coo coordinator
coroner councillor counsellor curate curator custodian cto dean dentist deputy dermatologist detective developer
dietitian director dispatcher doctor doorman driver economist editor electrician engineer estimator examiner executive
fireman firefighter fitter foreman forewoman forester gardener general geologist governor gp groom groundsman guard
gynaecologist handyman head headmaster headmistress headteacher historian housekeeper housemaster inspector instructor
intern interpreter janitor joiner journalist judge keeper landlady landlord lawyer leader lecturer librarian lieutenant
machinist magistrate major manager marshal matron mayor mechanic mediator midwife minister ministers ministrant monitor
nanny negotiator neurologist notary nurse nutritionist officer ombudsman oncologist operator optician organiser
organist orthodontist owner paediatrician paramedic paralegal partner pastor pathologist pharmacist photographer
physician physicist physiotherapist pilot planner plumber policeman policewoman porter postman postmistress postmaster
prefect president priest principal producer professor programmer prosecutor provost psychiatrist psychologist
publican rabbi radiographer radiologist ranger receptionist recruiter rector registrar rep reporter representative
researcher reverend runner salesman salesperson scientist secretary senator sergeant sexton shepherd sheriff sister
solicitor spokesman spokesperson spokeswoman statistician steward stewardess storekeeper superintendent supervisor
surgeon surveyor tailor teacher technician technologist teller therapist toolmaker trainee trainer translator treasurer
trustee tutor typist umpire underwriter undertaker usher verger vet vicar vice-chancellor vice-president waiter
waitress warden watchman webmaster welder whip
"""
ORGANISATIONS: Final = frozenset(_ORGANISATIONS_LISTED.split())
PLACES: Final = frozenset(_PLACES_LISTED.split())
GROUPS: Final = frozenset(_GROUPS_LISTED.split())
ROLES: Final = frozenset(_ROLES_LISTED.split())

# Names that are words, too, or pieces of words: in a text without capitals they are taken for the word.
ALSO_WORDS: Final = frozenset(
    """
adam angela carol dame dean diana dolly don donna dorothy ed eve faith frank fred gary grace graham guy harry heather
ian jack jean jim joy ken lily mark martin may mike nick noah nora pat ray robin rose roy ruby ruth sally sandy scott
sue ted tim tom tony vera victor victoria virginia violet will turkey china cuba wales york boston paris reading
bath florida holland finland mexico sydney washington lebanon jordan chad
    """.split()  # noqa: SIM905
)

_WORD: Final = r"[^\W\d_](?:[^\W\d_]|[-&](?=[^\W\d_]))*+"
_ROLE: Final = re.compile(
    r"(?:\b(?:the|our|my|your|his|her|their|its|whose|as|acting|only|same|former|this)[ \n]|[’']s[ ]"
    r"|, ?(?:(?:the|a|an)[ ])?"
    rf"|\()(?P<role>(?:{_WORD}(?:[’']s?)?[ ]){{0,4}}{_WORD})",
    re.IGNORECASE,
)
_OF: Final = re.compile(rf"[ ](?:of|for)[ ](?:the[ ])?(?P<what>{_WORD})(?:[ ](?:and|&)[ ]{_WORD})?")
_NO_MODIFIERS: Final = frozenset(
    """
a about after again all also an and any are as at be because been before but by can could did do does each every for
from had has have he her him his how i if in into is it its just like made make me more most my no nor not of on one or
our out over said says same she should so some such than that the their them then there these they this those to told
too until up very was we were what when where which while who whom whose why will with would you your
    """.split()  # noqa: SIM905
)
_NO_OFFICE: Final = frozenset(
    {"chief", "sister", "minister", "deputy", "general", "major", "head", "canon", "whip", "chair", "guard", "cook"}
)
_ROLE_ENDING: Final = re.compile(r".{3,}(?:ologist|iatrist|iatrician|keeper|master|mistress|smith|warden|maker|worker)")
_NEED_OF: Final = frozenset({"head", "chief", "chair", "deputy"})


def roles(text: str) -> list[tuple[int, int]]:
    """Return where a text names what somebody is at work, such as "our chief accountant" or "head of radiology".

    Only one who is meant in particular: after "the", a possessive, "as" or a comma. "A nurse" and "nurses" may be any.

    Examples:
        >>> text = "I told our chief accountant and the head of radiology, but no nurse."
        >>> [text[start:end] for start, end in roles(text)]
        ['chief accountant', 'head of radiology']
    """
    spans: list[tuple[int, int]] = []
    position = 0
    while match := _ROLE.search(text, position):
        span = _role_in(text, match.start("role"), match.end())
        position = match.start("role") if span is None else span[1]
        if span is not None:
            spans.append(span)
    return spans


def _role_in(text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Return the words from a place on that end in a role, with what it is of; None where there is none."""
    words = list(re.finditer(_WORD, text[start:stop]))
    lowered = [word[0].lower() for word in words]
    first_stop = next((index for index, word in enumerate(lowered) if word in _NO_MODIFIERS), len(words))
    last = max((index for index in range(first_stop) if _is_role(lowered[index])), default=None)
    if last is None:
        return None
    end = start + words[last].end()
    of = _OF.match(text, end)
    if of and of["what"].lower() in _NO_MODIFIERS:
        of = None
    if last == 0 and lowered[0] in _NO_OFFICE and not (of and lowered[0] in _NEED_OF):
        return None
    return start, of.end() if of else end


def _is_role(word: str) -> bool:
    return word in ROLES or _ROLE_ENDING.fullmatch(word) is not None
