"""Which English words may stand for one another, and which never: our own lists, for the words that people use most.

A word table knows that two words are used alike, and says so of "hot" and "cold" too. These lists say what it cannot:
groups of words of one meaning, pairs that are opposites, and families whose members exclude each other (a cow is no
horse). WordNet, where it is installed, knows far more synonyms; this needs nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Final

# Groups, with a semicolon between them: any two words of one may stand for each other. A word may be in several.
_SYNONYMS: Final = """
buy purchase acquire; get receive obtain acquire; give hand provide supply offer; send post mail dispatch forward ship;
tell inform notify advise let; say state mention remark note claim; ask request enquire inquire demand; want wish
desire like; need require; begin start commence; end finish conclude stop; stop cease halt quit; fix repair mend
restore; break smash fracture shatter damage; broken faulty defective damaged; fail collapse crash; work function
operate run; help assist aid support; answer reply respond response; refund reimburse reimbursement repay repayment
money; pay payment settle; cost price charge fee; charge bill invoice; big large huge enormous great substantial; small
little tiny minor; quick fast rapid swift speedy; slow sluggish; good great excellent fine nice superb brilliant
outstanding; bad poor awful terrible dreadful horrible appalling; worst terrible; beautiful lovely pretty gorgeous
attractive; nice pleasant lovely agreeable; happy glad pleased delighted content; sad unhappy upset miserable; angry
furious cross mad annoyed livid; annoy irritate bother; scared afraid frightened terrified; frighten scare terrify;
tired exhausted weary; ill sick unwell; illness disease sickness; doctor physician gp; hospital clinic infirmary;
medicine drug medication pill tablet; pain ache hurt; child kid youngster; boy lad; girl lass; man guy bloke gentleman;
woman lady; mother mum mom; father dad; grandmother grandma gran; grandfather grandpa granddad; friend mate pal buddy;
people person folk human; house home; flat apartment; room chamber; lift elevator; car automobile vehicle; lorry truck;
film movie picture; photo photograph picture image; phone telephone mobile; call phone ring telephone contact; website
site page; email mail message; letter message note; parcel package packet; shop store; holiday vacation; luggage
baggage bag suitcase; autumn fall; rubbish garbage trash waste; jumper sweater pullover; trousers pants; queue line;
road street; pavement sidewalk; petrol gas fuel; biscuit cookie; tap faucet; garden yard; job work employment position
post; employer boss; manager boss; worker employee staff; fire dismiss sack; leave depart exit quit; arrive come reach
get; go travel; return come; reach arrive contact; show display demonstrate; see view watch notice spot; look search
seek; search hunt; find discover locate; lose misplace; disappear vanish miss; destroy ruin demolish wreck; ruin spoil;
demolish pull; keep retain hold; save rescue; choose select pick; decide determine; think believe suppose consider;
know realise understand; understand comprehend grasp; remember recall; forget overlook; explain describe clarify;
describe depict; show prove; prove confirm; confirm verify; check examine inspect verify review; examine study
investigate; study learn; learn discover; teach instruct train; pupil student schoolchild; teacher instructor tutor;
lesson class; exam test examination; error mistake fault; problem issue trouble difficulty; difficult hard tough
tricky; easy simple straightforward; important significant crucial vital essential; correct right accurate true; wrong
incorrect mistaken false; wrongly incorrectly; strange odd weird peculiar unusual; usual normal ordinary common; new
recent fresh modern; old ancient elderly aged; rich wealthy; poor needy; cheap inexpensive; expensive costly dear;
empty vacant; full packed crowded; noisy loud; noise sound racket; quiet silent calm peaceful; clean tidy; dirty
filthy; wet damp moist; dry parched; hot boiling; cold chilly freezing; funny amusing humorous comic; moving touching
emotional; boring dull tedious; interesting fascinating; clever smart intelligent bright; stupid silly foolish dumb;
brave courageous; kind friendly generous; rude impolite; polite courteous; honest truthful sincere; short brief; long
lengthy; often frequently regularly; sometimes occasionally; always constantly; soon shortly; immediately instantly
straightaway; suddenly abruptly; almost nearly virtually; about approximately roughly around; completely entirely
totally fully absolutely; mostly mainly largely; indoors inside; outdoors outside; start launch; make create produce
build construct; build construct erect; grow increase rise; increase raise; decrease reduce lower cut; reduce lessen;
improve enhance; change alter modify; replace exchange swap substitute; move shift; carry bear transport; put place
set; take grab seize; throw toss hurl; close shut; shut seal; open unlock; allow permit let; forbid ban prohibit;
reject refuse decline turn; refuse decline deny; accept agree; agree consent; promise pledge guarantee vow; deny
dispute; complain grumble object protest; complaint objection; apologise sorry; thank thanks grateful gratitude; praise
compliment; criticise blame; accuse blame; threaten menace; attack assault; hit strike beat knock; hurt injure harm
wound; injury wound; kill murder; die perish; steal rob; thief burglar robber; police policeman officer cop; lawyer
solicitor attorney barrister; law rule regulation; contract agreement; lease tenancy; rent let; landlord owner; tenant
renter; neighbour neighbor; party celebration; meal dinner lunch; food meal; eat consume dine; drink sip; sleep doze;
walk stroll hike; run sprint; drive ride; talk speak chat; speech talk address; shout yell scream; whisper murmur;
laugh giggle; cry weep; smell odour stink scent; taste flavour; touch feel; feel sense; love adore; like enjoy love;
hate detest loathe; hope wish; fear dread; surprise astonish amaze; confuse puzzle; worry concern; try attempt; succeed
manage; manage cope; win triumph; lose defeat; prize award; gift present; money cash funds; salary wage pay; bank
account; insurance cover; claim request; ticket pass; journey trip voyage tour; travel journey trip; plane aircraft
aeroplane; boat ship vessel ferry; train rail; delay late postpone; late delayed; cancel scrap; book reserve; order
request; delivery shipment; deliver bring; goods item product; item thing article; thing object; amount sum total;
number figure; part piece section; whole entire complete; group band team; band group; leader head chief; chairman
chair; meeting gathering session; discuss debate; plan scheme; idea notion thought; reason cause; cause trigger; result
outcome; goal aim target; method way; tool instrument; machine device appliance; computer laptop pc; screen display
monitor; program software application app; update upgrade; picture drawing; book volume; novel book story; story tale;
author writer; reader audience; song tune; music song; play perform; actor performer; match game; game match; player
competitor; city town; village hamlet; country nation; government state; minister secretary; mayor leader; election
vote poll; war conflict; peace calm; fire blaze; flood inundate; storm tempest; rain shower; snow blizzard; weather
climate; sea ocean; river stream; hill mount; mountain peak; forest wood woods; tree plant; flower bloom blossom; dog
hound puppy; cat kitten; bird fowl; animal creature beast; area region district zone; place spot location site; corner
angle; side edge; top summit peak; bottom base; middle centre; front fore; back rear; beach shore coast; view sight
vista scenery; light lamp; heating heater boiler radiator; boiler heater; kettle pot; cupboard closet wardrobe; sofa
couch settee; carpet rug; bin dustbin; hallway corridor passage hall; cellar basement; attic loft; floor storey; ground
floor; wall partition; fence railing; gate entrance; door entrance; key code; receipt proof; form document application;
document paper; report account; details information; information data; news report; advice guidance tip; rule policy;
right entitlement; duty responsibility; chance opportunity; luck fortune; danger risk hazard; safe secure; dangerous
unsafe risky hazardous; strong powerful; weak feeble; sharp keen; heavy weighty; thin slim slender; fat overweight
obese; young youthful; alive living; dead deceased; alone lonely; free complimentary gratis; busy occupied; ready
prepared; able capable; sure certain confident; clear obvious evident plain; clearly plainly obviously; strict severe
stern; rough coarse; smooth even; worth worthwhile; famous renowned; favourite preferred; prefer favour; recommend
suggest advise; suggest propose; encourage urge; force compel oblige; prevent avoid; avoid dodge; ignore disregard
neglect; treat handle; serve wait; wait await; stay remain; remain continue; continue carry proceed; follow obey; lead
guide; guide leader; follow track; join attach connect; attach enclose include; include contain comprise; cover span;
fill load; pour spill; mix blend stir; cut slice chop; bake cook; cook prepare; wash clean; dry wipe; wear dress;
clothes clothing garment; shoe footwear boot; bloom flower; burn scorch; turn become; become grow; happen occur; appear
emerge seem; seem look; misspell misspelt spell; extract remove; remove take extract; put install; install fit; fit
install suit; own possess; belong own; lend loan; borrow lend; share split; collect gather fetch; gather assemble;
bring fetch; hide conceal; write compose; sign initial; read peruse; print copy; draw sketch; paint colour; half
middle; participate part; attend visit; visit see; meet encounter; greet welcome; marry wed; child son daughter kid;
wife spouse; husband spouse; couple pair; twin pair; owner proprietor; assistant helper; customer client shopper; guest
visitor; passenger traveller; driver motorist; bike bicycle cycle; bus coach; flight plane; path track trail; steep
sheer; bridge crossing; vote ballot; member participant; committee board panel; council authority; company firm
business corporation; factory plant; office bureau; department section; engineer technician; builder contractor;
caretaker janitor; cleaner janitor; postman mailman courier; nurse carer; dentist orthodontist; vet veterinarian;
patient sufferer; therapy treatment; treatment therapy cure; operation surgery procedure; scan xray; appointment
consultation; jab vaccination injection vaccine; necessary needed required need; mumble murmur mutter; acting
performance; clerk official; complain moan; frequent common; soaked wet drenched; huge vast immense; lately recently;
yearly annual; extra additional further; pricey expensive costly; cheap affordable; toddler infant baby; senior
elderly; staff personnel employee worker team; crew team; compensate reimburse compensation refund; complaint
grievance; notify alert warn; warn caution; evidence proof; permit licence permission license; pregnant expecting;
supermarket grocery; bar pub; restaurant eatery; hotel inn; motorway highway; junction intersection crossroads; pram
stroller; nappy diaper; torch flashlight; chemist pharmacy pharmacist; maths math mathematics; mark grade score;
headmaster headteacher principal; lecturer professor; essay paper; homework assignment; veterinarian vet veterinary;
rise climb grow; crash accident collision; collapse fall; shiver tremble; glance look; stare gaze; fetch get; repair
renovation; renovate refurbish; deposit downpayment; landlord landlady owner; roommate flatmate; nearby close near;
distant far; whole full; mend patch; stained spotted; mould mold mildew; rust corrosion; leak drip; blocked clogged
jammed; jam block; dizzy giddy; nausea sickness; fever temperature; rash eczema; swollen inflamed; limp hobble; gossip
rumour; rumour rumor; colour color; odour odor; labour work; pupil child; grateful thankful; hurry rush; urgent
pressing; calm relaxed; nervous anxious; anxious worried; proud arrogant; jealous envious; lazy idle; weird bizarre;
horrible nasty; disgusting revolting; tasty delicious; hungry starving; thirsty parched; enormous massive giant;
wonderful marvellous fantastic great amazing; awful lousy; damage harm; punish fine; penalty fine; trial lawsuit case;
sue prosecute; confess admit; admit acknowledge; conceal cover; reveal disclose; publish release; announce declare;
declare state; mention cite; quote cite; translate render; copy duplicate; delete erase remove; store save; password
passcode; broken dead; internet web online; post publish; picture painting; sculpture statue; concert gig; orchestra
band; singer vocalist; choir chorus
"""

_OPPOSITES: Final = """
hot cold; warm cool; warm cold; good bad; better worse; best worst; big small; large small; cheap expensive; old new;
old young; fast slow; quick slow; early late; open closed; open close; open shut; happy unhappy; happy sad; easy
difficult; easy hard; light heavy; light dark; rich poor; strong weak; long short; tall short; high low; wide narrow;
thick thin; clean dirty; wet dry; sweet dry; sweet sour; sweet bitter; loud quiet; noisy quiet; noisy silent; full
empty; safe dangerous; safe unsafe; right wrong; right left; correct incorrect; correct wrong; true false; win lose;
winner loser; raise lower; rise fall; increase decrease; increase reduce; buy sell; lend borrow; give take; send
receive; come go; arrive leave; arrive depart; start stop; start finish; begin end; accept reject; accept refuse; accept
decline; agree disagree; allow forbid; allow ban; allow prevent; permit forbid; love hate; like dislike; like hate;
praise criticise; remember forget; find lose; pass fail; succeed fail; success failure; push pull; for against; with
without; before after; above below; over under; inside outside; indoors outdoors; up down; on off; in out; front back;
first last; top bottom; near far; more less; most least; more fewer; many few; all none; always never; everybody nobody;
everyone nobody; day night; morning evening; summer winter; male female; man woman; boy girl; husband wife; mother
father; son daughter; brother sister; uncle aunt; king queen; alive dead; live die; birth death; war peace; friend
enemy; public private; guilty innocent; legal illegal; polite rude; polite impolite; kind unkind; kind cruel; friendly
unfriendly; friendly hostile; honest dishonest; patient impatient; possible impossible; likely unlikely; fair unfair;
lucky unlucky; able unable; satisfied dissatisfied; comfortable uncomfortable; pleasant unpleasant; necessary
unnecessary; reliable unreliable; responsible irresponsible; careful careless; useful useless; hopeful hopeless; healthy
ill; healthy sick; well ill; awake asleep; sober drunk; hard soft; smooth rough; sharp blunt; tight loose; deep shallow;
fresh stale; fresh rotten; raw cooked; boring interesting; brave cowardly; calm nervous; clever stupid; smart stupid;
beautiful ugly; pretty ugly; modern ancient; major minor; positive negative; profit loss; income expense; employ
dismiss; hire fire; import export; include exclude; join leave; lock unlock; plug unplug; load unload; dress undress;
cover uncover; connect disconnect; appear disappear; build destroy; create destroy; attack defend; admit deny; ask
answer; question answer; question reply; laugh cry; sit stand; fill empty; improve worsen; expand shrink; grow shrink;
float sink; freeze melt; heat cool; tie untie; teach learn; land sea; heaven hell; city countryside; teacher pupil;
teacher student; doctor patient; landlord tenant; buyer seller; employer employee; parent child; customer seller; guest
host; lawyer client; plaintiff defendant; victim culprit; victim attacker; approve disapprove; trust distrust; obey
disobey; encourage discourage; entrance exit; arrival departure; maximum minimum; upper lower; north south; east west;
northern southern; eastern western; single married; married divorced; single double; former latter; previous next; past
future; real fake; natural artificial; permanent temporary; general specific; simple complicated; simple complex; lively
dull; bright dull; bright dark; excellent terrible; excellent awful; great awful; great terrible; superb terrible;
wonderful terrible; wonderful awful; tidy messy; packed empty; crowded empty; busy quiet; cancel confirm; support
oppose; favour oppose; loosen tighten; strengthen weaken; lengthen shorten; widen narrow; gain lose; earn spend; save
spend; save waste; attend miss; catch miss; hit miss; ally enemy; worthwhile worthless; generous mean; gentle rough;
quietly loudly; slowly quickly; slowly fast; well badly
"""

# Members of one family exclude each other, unless a group above says that two are the same.
_FAMILIES: Final = """
red blue green yellow black white brown grey gray orange purple pink violet beige silver gold; mother father sister
brother son daughter wife husband aunt uncle cousin nephew niece grandmother grandfather grandson granddaughter;
girlfriend boyfriend stepmother stepfather mother-in-law neighbour colleague friend mum dad; dog cat horse cow pig sheep
goat rabbit hamster bird parrot fish chicken duck goose mouse rat fox wolf bear deer donkey snake spider; head neck
shoulder arm elbow wrist hand finger thumb chest back stomach hip leg knee ankle foot toe eye ear nose mouth tooth
tongue chin skin heart lung liver kidney throat; kitchen bathroom bedroom attic cellar garage garden hallway balcony
terrace lounge toilet shed dining-room nursery; doctor nurse dentist teacher lawyer judge plumber electrician builder
carpenter baker butcher driver pilot waiter waitress chef cook farmer soldier policeman fireman; engineer mechanic
painter postman secretary accountant cleaner caretaker pharmacist vet surgeon therapist professor librarian journalist
banker cashier porter; wood metal steel iron copper plastic glass paper leather cotton wool silk linen rubber stone
brick concrete gold silver ceramic nylon; bread butter cheese milk egg meat fish chicken beef pork lamb rice pasta soup
salad cake biscuit chocolate sugar salt pepper flour onion garlic tomato potato carrot apple banana lemon pear grape
strawberry; coffee tea water juice beer wine milk whisky cider lemonade; car bus train bicycle bike motorbike tram ferry
plane van taxi lorry boat ship helicopter scooter; table chair bed sofa wardrobe desk shelf cupboard carpet curtain lamp
mirror cushion mattress stool bench rug; spring summer autumn winter; north south east west; morning afternoon evening
night noon; breakfast lunch dinner supper; shirt trousers dress skirt coat jacket jumper scarf hat glove sock shoe boot
belt tie umbrella; church school hospital library museum bank station airport hotel restaurant pub theatre cinema prison
court mosque temple castle factory farm office university; wedding funeral birthday christening anniversary; window door
wall floor roof ceiling stairs chimney; piano guitar violin drum flute trumpet cello organ; football tennis cricket
rugby golf hockey basketball swimming chess boxing; english french german spanish italian dutch polish russian chinese
japanese arabic turkish portuguese greek; second minute hour day week month year decade century; asthma diabetes cancer
flu pneumonia migraine epilepsy arthritis measles depression; fridge oven kettle toaster dishwasher washing-machine
microwave freezer boiler heater; rose tulip daisy lily oak pine birch willow
"""


@cache
def _groups(listed: str) -> dict[str, frozenset[int]]:
    """Return the numbers of the groups of each word."""
    groups_of: dict[str, set[int]] = {}
    for number, group in enumerate(listed.split(";")):
        for word in group.split():
            groups_of.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups_of.items()}


def _together(listed: str, first: str, second: str) -> bool:
    groups = _groups(listed)
    return first in groups and second in groups and not groups[first].isdisjoint(groups[second])


def synonyms(first: str, second: str) -> bool:
    """Tell whether a list has both words, in dictionary form and lower case, in one group.

    Examples:
        >>> synonyms("buy", "purchase"), synonyms("hot", "cold")
        (True, False)
    """
    return _together(_SYNONYMS, first, second)


def opposites(first: str, second: str) -> bool:
    """Tell whether two words are a pair of opposites, by the list or by a prefix that denies ("kind", "unkind").

    Examples:
        >>> opposites("hot", "cold"), opposites("reliable", "unreliable"), opposites("iron", "on")
        (True, True, False)
    """
    if first != second and _together(_OPPOSITES, first, second):
        return True
    short, long = sorted((first, second), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in ("un", "in", "im", "dis", "ir", "non"))


def exclusive(first: str, second: str) -> bool:
    """Tell whether two words are different members of one family, such as two colours.

    Examples:
        >>> exclusive("red", "blue"), exclusive("sofa", "couch")
        (True, False)
    """
    return first != second and _together(_FAMILIES, first, second) and not synonyms(first, second)
