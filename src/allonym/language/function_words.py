"""The word lists of WritePrints: function words, and the spellings that give a writer away. All are our own.

Words are in lower case, with the plain apostrophe. A changed list changes what a feature means, so a new list gets a
new name, and trained attackers keep theirs.
"""

from __future__ import annotations

# Pronouns, determiners, prepositions, conjunctions, auxiliaries, connectives, contractions in one piece, and the small
# talk that fills sentences. The list of stop words was the start; what WritePrints counts as misspelt is not in it.
_FUNCTION_WORDS = """
a aboard about above absent according across actually after afterward afterwards again against ago ah ahead ain't
all almost alone along alongside already alright also although altogether always am amid amidst among amongst an and
another any anybody anyhow anyone anything anyway anyways anywhere apart are aren't around as aside at atop away aye
back barring basically be became because become becomes becoming been before beforehand behind being below beneath
beside besides between beyond bit both but by can can't cannot certainly clearly concerning considering could
could've couldn't definitely despite did didn't do does doesn't doing don't done down due during each eg eh eight
eighteen eighty either eleven else elsewhere enough especially etc even eventually ever every everybody everyone
everything everywhere except excepting excluding failing few fewer fewest fifteen fifty finally first five following
for former formerly forth forty four fourteen from further furthermore gave generally get gets getting give given
gives giving go goes going gone gonna got gotta gotten had hadn't hardly has hasn't have haven't having he he'd
he'll he's hello hence her here here's hereafter hereby herein hereto heretofore hereupon hers herself hey hi him
himself his hitherto hmm honestly how how's however huh hundred i i'd i'll i'm i've ie if in including indeed inside
instead into is isn't it it'd it'll it's its itself just keep keeping keeps kept largely last lastly later latter
latterly least less lest let let's lets letting like likewise literally little lot lots made mainly make makes
making many may maybe me meanwhile merely might might've mightn't mine minus more moreover most mostly much must
must've mustn't my myself nah namely near nearly needn't neither never nevertheless next nine nineteen ninety no
nobody none nonetheless noone nope nor not nothing notwithstanding now nowhere o'clock obviously of off often oh ok
okay on once one ones oneself only onto opposite or other others otherwise ought our ours ourselves out outside over
own past pending per perhaps please plus possibly probably provided put puts putting quite rather really regarding
round same save scarcely seem seemed seeming seems seldom seven seventeen seventy several shall shan't she she'd
she'll she's should should've shouldn't simply since six sixteen sixty so some somebody somehow someone something
sometime sometimes somewhat somewhere soon still such supposing surely take taken takes taking ten than that that'd
that'll that's the their theirs them themselves then thence there there'd there'll there's thereafter thereby
therefore therein thereof thereto thereupon therewith these they they'd they'll they're they've third thirteen
thirty this those though three through throughout thru thus till to together too took totally touching toward
towards truly twelve twenty twice two ugh under underneath unless unlike until unto up upon us usually versus very
via vs wanna was wasn't we we'd we'll we're we've well went were weren't what what'll what's whatever whatsoever
when when's whence whenever where where's whereafter whereas whereby wherefore wherein whereof whereupon wherever
whether which whichever while whilst whither who who'd who'll who's whoever whole whom whomever whose whosoever why
why's will with within without won't worth would would've wouldn't wow y'all yeah yep yes yet you you'd you'll
you're you've your yours yourself yourselves
"""

# Wrong in American and in British English alike, and hardly ever another word that a text could mean.
_MISSPELLINGS = """
absense absolutly acceptible accidently accomodate accomodation accross acheive acheived acheiving acknowlege
acording acquaintence acquited adress adressed adresses advertisment agression agressive allready alltogether alot
altho alwasy alwyas amature amoung analagous anual anwser anyonne aparent aparently apolagize apparant apparantly
appearence appologize aquaintance aquire aquired aquit arguement arguements assasinate asside assistent athelete
athiest athiests attatch attatched auxillary awfull basicly beacuse beautifull becasue becomeing becuase begining
beleive beleived beleiver beleives belive benificial benifit boundry breif breifly brillant buisness bussiness
calender camoflage carefull carribean catagory catergory cemetary certian changable charachter cheif choosen cieling
colledge collegue comming commitee committment comparision compatability competant competetive completly concensus
concious congradulate consciencious consistant contraversial contraversy controll convienent convinient
correspondance cotroversial critisism critisize curently curiousity decieve decieved decison definate definately
definatly definitly defintely desireable desparate develope developement diffrence diffrent dilemna disapear
disapeared disapoint disapointed disasterous disatisfied discription dissapear dissapoint dissapointed embarass
embarassed embarassing embarras eminate enviroment enviromental equiped equivalant equivelent esle especialy
espescially excede excellant excercise exept exersize existance existant expecially experiance explaination
extention extream extremly facinating familar fasinating febuary finaly firey flourescent forein foriegn fourty
foward freind freinds fufill fullfill futher garantee garauntee gaurantee gaurd gaurentee generaly govenment
goverment govermental grammer greatful guage guarentee guidence happend happyness harrass harrassment heighth
heirarchy heros hieght higer higly hopefull humerous hygene hypocracy idenity ignorence imediate imediately
immediatly immitate incidently independance independant indispensible infact innoculate inteligence intelligance
interesed interferance interupt intresting irregardless irrelevent irresistable knowledgable knowlege labled laguage
langauge lenght liason libary liberry lisence litterally maintainance maintenence managment manuever marrage
mathmatics medcine medeval milennium millenium minature miniscule mischievious mispell mispelled mispelling misspel
monestary morgage mountian naturaly neccesary neccessarily neccessary necesary necessery neice nessecary nieghbor
nineth noticable noticably nowdays nucular ocasion occasionaly occassion occassional occassionally occurance occured
occurence occurences occuring occurr offical omited oportunity opperation oppertunity oppinion oppurtunity orginal
orginally originaly orignal paralel parallell parliment particulary passtime pavillion peice peices peolpe percieve
percieved perfer performence permanant permenant perseverence persistant personaly personel persue persuing pharoah
playwrite poeple politican posession posible possable possesion possibilty potatos potray practicly preceed
preceeding prefered prefering preperation presance presidental presure privelege priviledge priviledged privledge
probabaly probablly probaly probem proccess profesional professer proffesional promiss pronounciation proove prooved
psuedo publically publicaly pursuade quanity questionaire quizes readible realy reccomend reccommend recieve
recieved reciever recieves recieving recogize recomend recomended rediculous referance refered refering refrence
relavent relevence relevent religous rember remeber repitition representive resistence responce responsability
restaraunt restuarant ridiculus rythm rythym sacrafice sacreligious safty satisfyed scedule secratary secretery
seige sence sentance seperate seperated seperately seperation sergent severly shedule shoudl similarily similiar
simpley simular sincerly sofware somthing speach specifed specificaly sponser stategy stoped strenght strenth
stricly succede succeded succesful succesfully successfull sucess sucessful suficient supercede supose suposed
supress suprise suprised suprising suround surveilance suspicous sylable synonomous technicly tecnical teh tempature
temperture tendancy theif theirselves themselfs thier thign thigns thougth threshhold throught tomatos tommorow
tommorrow tounge transfered transfering truely tryed twelth tyrany undoubtably unecessary unforseen unfortunatly
unneccessary untill usally usefull usualy usualyl vaccum vaccuum vacumn vegatable vehical vengance villian violance
visable wednsday wellcome wendsday wensday whcih whereever wherre wich wieght wierd withdrawl withold writen
writting wroking yatch yeild yoru youself yuo
"""

# Contractions typed without their apostrophe, less those that are other words (*id*, *ill*, *well*, *were*, *its*).
_MISSING_APOSTROPHES = """
aint arent cant couldnt couldve didnt doesnt dont hadnt hasnt havent hes im isnt itll ive mightnt mustnt neednt
oclock shes shouldnt shouldve thats theres theyd theyll theyre theyve wasnt werent weve whats whos wont wouldnt
wouldve yall youd youll youre youve
"""

# American spelling, stroke, British spelling; none where one of the two is common on both sides of the ocean.
_SPELLING_PAIRS = """
acknowledgment/acknowledgement airplane/aeroplane aluminum/aluminium analyze/analyse analyzed/analysed
analyzing/analysing anesthesia/anaesthesia apologize/apologise apologized/apologised armor/armour artifact/artefact
authorize/authorise authorized/authorised behavior/behaviour behaviors/behaviours caliber/calibre canceled/cancelled
canceling/cancelling catalog/catalogue catalogs/catalogues center/centre centered/centred centers/centres
characterize/characterise civilization/civilisation color/colour colored/coloured colors/colours
counselor/counsellor cozy/cosy criticize/criticise criticized/criticised customize/customise defense/defence
emphasize/emphasise emphasized/emphasised encyclopedia/encyclopaedia endeavor/endeavour enroll/enrol
enrollment/enrolment estrogen/oestrogen favor/favour favorable/favourable favorite/favourite favorites/favourites
favors/favours fiber/fibre fibers/fibres flavor/flavour flavors/flavours fulfill/fulfil fulfillment/fulfilment
generalize/generalise gray/grey harbor/harbour hemoglobin/haemoglobin honor/honour honored/honoured honors/honours
humor/humour initialize/initialise installment/instalment jewelry/jewellery judgment/judgement kilometer/kilometre
kilometers/kilometres labeled/labelled labeling/labelling labor/labour liter/litre liters/litres luster/lustre
maneuver/manoeuvre marvelous/marvellous math/maths maximize/maximise memorize/memorise minimize/minimise
modeled/modelled modeling/modelling mom/mum neighbor/neighbour neighborhood/neighbourhood neighbors/neighbours
odor/odour offense/offence optimize/optimise optimized/optimised organization/organisation
organizations/organisations organize/organise organized/organised organizing/organising pajamas/pyjamas
paralyze/paralyse parlor/parlour pediatric/paediatric plow/plough pretense/pretence realize/realise
realized/realised realizes/realises realizing/realising recognize/recognise recognized/recognised
recognizing/recognising rumor/rumour rumors/rumours savior/saviour skeptic/sceptic skeptical/sceptical
skepticism/scepticism skillful/skilful somber/sombre specialize/specialise specialized/specialised specter/spectre
standardize/standardise summarize/summarise summarized/summarised theater/theatre theaters/theatres
traveled/travelled traveler/traveller traveling/travelling utilize/utilise vapor/vapour vigor/vigour woolen/woollen
"""

# Words of old plays, hymns and sea stories, less those that are also usual words of today (*art*, *pray*, *hence*).
_OLD_WORDS = """
afore alack anon aye betwixt canst couldst didst doest dost doth e'en e'er ere forsooth hadst hark hast hath hearken
hither mayhap methinks methought naught nay ne'er nought o'er oft perchance prithee saith shalt shouldst sirrah thee
thine thither thou thy thyself tis twas twere twill twixt unto verily wast whence wherefore whither wilt wouldst yea ye
yonder
"""

FUNCTION_WORDS: tuple[str, ...] = tuple(_FUNCTION_WORDS.split())
MISSPELLINGS: tuple[str, ...] = tuple(_MISSPELLINGS.split())
MISSING_APOSTROPHES: tuple[str, ...] = tuple(_MISSING_APOSTROPHES.split())
OLD_WORDS: tuple[str, ...] = tuple(_OLD_WORDS.split())
AMERICAN_SPELLINGS: tuple[str, ...] = tuple(pair.split("/")[0] for pair in _SPELLING_PAIRS.split())
BRITISH_SPELLINGS: tuple[str, ...] = tuple(pair.split("/")[1] for pair in _SPELLING_PAIRS.split())
