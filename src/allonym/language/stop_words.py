"""The English words that say little about a text's subject.

The list is our own. scikit-learn's was the guide, less its nouns and adjectives that do carry meaning
(`bill`, `system`, `fire` and the like), and with the pieces that `allonym.language.words.words` makes of
contractions: `ca` and `n't` of *can't*, `'ll` of *we'll*.
"""

from __future__ import annotations

_DETERMINERS_AND_PRONOUNS = """
a an the this that these those such same other others another each every either neither both all any some no
none nothing nobody noone anyone anybody anything someone somebody something everyone everybody everything
few fewer fewest little less least many much more most several enough own whole else i me my mine myself we
us our ours ourselves you your yours yourself yourselves thou thee thy he him his himself she her hers
herself it its itself they them their theirs themselves themself em thine thyself ye one ones oneself who
whom whose whoever whomever which whichever what whatever
"""

_PREPOSITIONS_AND_CONJUNCTIONS = """
about above across after against along alongside amid amidst among amongst around as at atop before behind
below beneath beside besides between beyond by despite down during except for from in inside into like near
of off on onto out outside over per since than through throughout thru till to toward towards under
underneath unlike until unto up upon via versus vs with within without and but or nor if unless because
although though while whilst whereas whether so yet either according due regarding concerning instead
"""

_AUXILIARIES_AND_LIGHT_VERBS = """
am is are was were be been being have has had having do does did done doing can cannot could may might must
shall should will would ought hath hast doth dost shalt wilt become becomes became becoming seem seems
seemed seeming get gets got gotten getting go goes going gone went let lets letting make makes made making
put puts putting take takes took taken taking give gives gave given giving keep keeps kept keeping gonna
gotta wanna
"""

_ADVERBS_AND_CONNECTIVES = """
again ago ahead almost alone already also altogether always anyhow anyway anyways apart aside away back
elsewhere especially etc even eventually ever forth further furthermore hardly hence here hereafter hereby
herein hereupon hereinafter how however indeed just largely lastly later latter latterly former formerly
likewise mainly maybe meanwhile merely moreover mostly namely nearly never nevertheless next nonetheless not
now nowhere often once only otherwise perhaps please probably quite rather really scarcely seldom simply
somehow sometime sometimes somewhat somewhere soon still then thence there thereafter thereby therefore
therein thereupon thus together too twice usually very well when whence whenever where whereafter whereby
wherein whereupon wherever whither why afterward afterwards beforehand anywhere everywhere hitherto
notwithstanding yes no oh ok okay eg ie e g viz inc ltd co re
"""

_NUMBER_WORDS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred first third last
"""

# What `words` makes of contractions: the endings, and the stems that are no words of their own. The
# *ai* of *ain't* is left out: far more often it is artificial intelligence.
_CLITICS = """
n't 's 're 've 'll 'd 'm ca wo sha y'all
"""

# Contractions typed without their apostrophe, less those that are other words (*id*, *ill*, *well*, *were*).
_BARE_CONTRACTIONS = """
aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt shouldnt wasnt
werent wont wouldnt im ive youre youve youd youll hes shes theyre theyve theyd theyll weve thats theres
whats
"""

STOP_WORDS: frozenset[str] = frozenset(
    " ".join(
        (
            _DETERMINERS_AND_PRONOUNS,
            _PREPOSITIONS_AND_CONJUNCTIONS,
            _AUXILIARIES_AND_LIGHT_VERBS,
            _ADVERBS_AND_CONNECTIVES,
            _NUMBER_WORDS,
            _CLITICS,
            _BARE_CONTRACTIONS,
        )
    ).split()
)
