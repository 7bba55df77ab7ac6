"""What a usual misspelling is meant to be: our own list, of words that are wrong in British and American English alike.

Where the two spell the word in two ways, either may stand here: `spelling` knows both.
"""

from __future__ import annotations

from functools import cache
from typing import Final

# The misspelling, and after a blank what was meant.
_MEANT: Final = """
absense absence; absolutly absolutely; acceptible acceptable; accidently accidentally; accomodate accommodate;
accomodation accommodation; accross across; acheive achieve; acheived achieved; acheiving achieving; acknowlege
acknowledge; acording according; acquaintence acquaintance; acquited acquitted; adress address; adressed addressed;
adresses addresses; advertisment advertisement; agression aggression; agressive aggressive; allready already;
alltogether altogether; alot a lot; altho although; alwasy always; alwyas always; amature amateur; amoung among;
analagous analogous; anual annual; anwser answer; anyonne anyone; aparent apparent; aparently apparently; apolagize
apologize; apparant apparent; apparantly apparently; appearence appearance; appologize apologize; aquaintance
acquaintance; aquire acquire; aquired acquired; aquit acquit; arguement argument; arguements arguments; assasinate
assassinate; asside aside; assistent assistant; athelete athlete; athiest atheist; athiests atheists; attatch attach;
attatched attached; auxillary auxiliary; awfull awful; basicly basically; beacuse because; beautifull beautiful;
becasue because; becomeing becoming; becuase because; begining beginning; beleive believe; beleived believed; beleiver
believer; beleives believes; belive believe; benificial beneficial; benifit benefit; boundry boundary; breif brief;
breifly briefly; brillant brilliant; buisness business; bussiness business; calender calendar; camoflage camouflage;
carefull careful; carribean Caribbean; catagory category; catergory category; cemetary cemetery; certian certain;
changable changeable; charachter character; cheif chief; choosen chosen; cieling ceiling; colledge college; collegue
colleague; comming coming; commitee committee; committment commitment; comparision comparison; compatability
compatibility; competant competent; competetive competitive; completly completely; concensus consensus; concious
conscious; congradulate congratulate; consciencious conscientious; consistant consistent; contraversial controversial;
contraversy controversy; controll control; convienent convenient; convinient convenient; correspondance
correspondence; cotroversial controversial; critisism criticism; critisize criticize; curently currently; curiousity
curiosity; decieve deceive; decieved deceived; decison decision; definate definite; definately definitely; definatly
definitely; definitly definitely; defintely definitely; desireable desirable; desparate desperate; develope develop;
developement development; diffrence difference; diffrent different; dilemna dilemma; disapear disappear; disapeared
disappeared; disapoint disappoint; disapointed disappointed; disasterous disastrous; disatisfied dissatisfied;
discription description; dissapear disappear; dissapoint disappoint; dissapointed disappointed; embarass embarrass;
embarassed embarrassed; embarassing embarrassing; embarras embarrass; eminate emanate; enviroment environment;
enviromental environmental; equiped equipped; equivalant equivalent; equivelent equivalent; esle else; especialy
especially; espescially especially; excede exceed; excellant excellent; excercise exercise; exept except; exersize
exercise; existance existence; existant existent; expecially especially; experiance experience; explaination
explanation; extention extension; extream extreme; extremly extremely; facinating fascinating; familar familiar;
fasinating fascinating; febuary February; finaly finally; firey fiery; flourescent fluorescent; forein foreign;
foriegn foreign; fourty forty; foward forward; freind friend; freinds friends; fufill fulfill; fullfill fulfil; futher
further; garantee guarantee; garauntee guarantee; gaurantee guarantee; gaurd guard; gaurentee guarantee; generaly
generally; govenment government; goverment government; govermental governmental; grammer grammar; greatful grateful;
guage gauge; guarentee guarantee; guidence guidance; happend happened; happyness happiness; harrass harass;
harrassment harassment; heighth height; heirarchy hierarchy; heros heroes; hieght height; higer higher; higly highly;
hopefull hopeful; humerous humorous; hygene hygiene; hypocracy hypocrisy; idenity identity; ignorence ignorance;
imediate immediate; imediately immediately; immediatly immediately; immitate imitate; incidently incidentally;
independance independence; independant independent; indispensible indispensable; infact in fact; innoculate inoculate;
inteligence intelligence; intelligance intelligence; interesed interested; interferance interference; interupt
interrupt; intresting interesting; irregardless regardless; irrelevent irrelevant; irresistable irresistible;
knowledgable knowledgeable; knowlege knowledge; labled labelled; laguage language; langauge language; lenght length;
liason liaison; libary library; liberry library; lisence licence; litterally literally; maintainance maintenance;
maintenence maintenance; managment management; manuever manoeuvre; marrage marriage; mathmatics mathematics; medcine
medicine; medeval medieval; milennium millennium; millenium millennium; minature miniature; miniscule minuscule;
mischievious mischievous; mispell misspell; mispelled misspelled; mispelling misspelling; misspel misspell; monestary
monastery; morgage mortgage; mountian mountain; naturaly naturally; neccesary necessary; neccessarily necessarily;
neccessary necessary; necesary necessary; necessery necessary; neice niece; nessecary necessary; nieghbor neighbor;
nineth ninth; noticable noticeable; noticably noticeably; nowdays nowadays; nucular nuclear; ocasion occasion;
occasionaly occasionally; occassion occasion; occassional occasional; occassionally occasionally; occurance
occurrence; occured occurred; occurence occurrence; occurences occurrences; occuring occurring; occurr occur; offical
official; omited omitted; oportunity opportunity; opperation operation; oppertunity opportunity; oppinion opinion;
oppurtunity opportunity; orginal original; orginally originally; originaly originally; orignal original; paralel
parallel; parallell parallel; parliment parliament; particulary particularly; passtime pastime; pavillion pavilion;
peice piece; peices pieces; peolpe people; percieve perceive; percieved perceived; perfer prefer; performence
performance; permanant permanent; permenant permanent; perseverence perseverance; persistant persistent; personaly
personally; personel personnel; persue pursue; persuing pursuing; pharoah pharaoh; playwrite playwright; poeple
people; politican politician; posession possession; posible possible; possable possible; possesion possession;
possibilty possibility; potatos potatoes; potray portray; practicly practically; preceed precede; preceeding
preceding; prefered preferred; prefering preferring; preperation preparation; presance presence; presidental
presidential; presure pressure; privelege privilege; priviledge privilege; priviledged privileged; privledge
privilege; probabaly probably; probablly probably; probaly probably; probem problem; proccess process; profesional
professional; professer professor; proffesional professional; promiss promise; pronounciation pronunciation; proove
prove; prooved proved; psuedo pseudo; publically publicly; publicaly publicly; pursuade persuade; quanity quantity;
questionaire questionnaire; quizes quizzes; readible readable; realy really; reccomend recommend; reccommend
recommend; recieve receive; recieved received; reciever receiver; recieves receives; recieving receiving; recogize
recognize; recomend recommend; recomended recommended; rediculous ridiculous; referance reference; refered referred;
refering referring; refrence reference; relavent relevant; relevence relevance; relevent relevant; religous religious;
rember remember; remeber remember; repitition repetition; representive representative; resistence resistance; responce
response; responsability responsibility; restaraunt restaurant; restuarant restaurant; ridiculus ridiculous; rythm
rhythm; rythym rhythm; sacrafice sacrifice; sacreligious sacrilegious; safty safety; satisfyed satisfied; scedule
schedule; secratary secretary; secretery secretary; seige siege; sence sense; sentance sentence; seperate separate;
seperated separated; seperately separately; seperation separation; sergent sergeant; severly severely; shedule
schedule; shoudl should; similarily similarly; similiar similar; simpley simply; simular similar; sincerly sincerely;
sofware software; somthing something; speach speech; specifed specified; specificaly specifically; sponser sponsor;
stategy strategy; stoped stopped; strenght strength; strenth strength; stricly strictly; succede succeed; succeded
succeeded; succesful successful; succesfully successfully; successfull successful; sucess success; sucessful
successful; suficient sufficient; supercede supersede; supose suppose; suposed supposed; supress suppress; suprise
surprise; suprised surprised; suprising surprising; suround surround; surveilance surveillance; suspicous suspicious;
sylable syllable; synonomous synonymous; technicly technically; tecnical technical; teh the; tempature temperature;
temperture temperature; tendancy tendency; theif thief; theirselves themselves; themselfs themselves; thier their;
thign thing; thigns things; thougth thought; threshhold threshold; tomatos tomatoes; tommorow tomorrow; tommorrow
tomorrow; tounge tongue; transfered transferred; transfering transferring; truely truly; tryed tried; twelth twelfth;
tyrany tyranny; undoubtably undoubtedly; unecessary unnecessary; unforseen unforeseen; unfortunatly unfortunately;
unneccessary unnecessary; untill until; usally usually; usefull useful; usualy usually; usualyl usually; vaccum
vacuum; vaccuum vacuum; vacumn vacuum; vegatable vegetable; vehical vehicle; vengance vengeance; villian villain;
violance violence; visable visible; wednsday Wednesday; wellcome welcome; wendsday Wednesday; wensday Wednesday; whcih
which; whereever wherever; wherre where; wich which; wieght weight; wierd weird; withdrawl withdrawal; withold
withhold; writen write; writting writing; wroking working; yatch yacht; yeild yield; yoru your; youself yourself; yuo
you
"""


@cache
def meant() -> dict[str, str]:
    """Return what each misspelling in lower case is meant to be.

    Examples:
        >>> meant()["definately"], meant()["alot"]
        ('definitely', 'a lot')
    """
    pairs = (" ".join(entry.split()).partition(" ") for entry in _MEANT.split(";"))
    return {wrong: right for wrong, _, right in pairs}
