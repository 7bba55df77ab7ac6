"""A plain letter and odd ones, all written for these tests: what a verdict about a text must tell apart."""

from __future__ import annotations

import re

PLAIN = """\
I wanted to write to you about the meeting last week, because I left before the end and I have been thinking \
about it ever since. When we started the project, everyone agreed that the work should be shared between the \
two offices. That was a good plan, and for the first few months it went well enough. Since the spring, \
though, most of it has landed on three people in our office, and nobody has said a word about changing that.

I don't think anyone meant it to happen. Two people left in April, one of them was never replaced, and the \
rest of us just picked up what was lying around. But it means that I have worked on four of the last five \
weekends, and I know that the others have done the same. We are tired, and we have started to make mistakes. \
Last month we sent the wrong figures to a customer, and it took us most of a day to put it right.

What I would like is simple. Could we look at the list of tasks together and decide which of them can wait \
until the autumn? I would also like to know when the second position will be filled, or whether it will be \
filled at all. If the answer is no, that is fine, but then we have to say so and plan for it.

I am happy to talk about this whenever it suits you. I am in the office every day except Thursday.
"""

CAPITALS = PLAIN.upper()

UNPUNCTUATED = re.sub(r"[^\w\s]", "", PLAIN)

PIRATE = """\
Arrr, gather ye round, ye scurvy bilge rats, an' I'll be tellin' ye the tale o' how ol' Cap'n Redtooth lost \
his hat to the sea! 'Twas a night as black as a kraken's belly, an' the wind were howlin' like a banshee in \
the riggin'. Me an' the lads was below, swillin' grog an' singin', when the cap'n he comes a-stompin' down \
the ladder an' roars, “All hands, ye lubbers! Thar be a galleon off the larboard bow, an' she be ridin' low \
wi' gold!”

Shiver me timbers, how we ran! Ol' Pegleg Tom he tripped o'er his own cutlass, an' the cook he be hidin' in a \
barrel o' biscuit, the yellow-bellied swab. We ran up the black flag an' let fly wi' every cannon we had. \
Boom! Boom! But blow me down, the galleon she were no galleon at all. She were a great grey whale, me \
hearties, an' right vexed she were to be shot at in her sleep! She heaves up her tail, an' she smacks the \
Salty Widow such a wallop that the cap'n goes a-flyin' o'er the side, hat an' all.

Aye, we fished him out by his breeches, but the hat be with Davy Jones to this day. An' that, ye barnacles, be \
why no man aboard dares say the word “whale” in front o' the cap'n. Now fetch me another tankard afore I \
keelhaul the lot o' ye! Yo ho ho!
"""

VERSE = """\
O gentle moon, that from thy silver throne
Dost gaze upon this weary isle of men,
Canst thou not tell whither my love is flown,
Or if mine eyes shall look on her again?
Methinks the very stones do mock my plight,
And every brook doth murmur forth her name;
The nightingale, that sorrows all the night,
Hath taught her tongue to sing of naught but shame.

Hark! Who goes there? Stand, sirrah, and unfold
What business brings thee hither at this hour;
For he that walketh when the bell hath tolled
Is thief, or fool, or else in Cupid's power.
Nay, good my lord, I pray thee, put up thy sword:
I am thy servant's son, and bear a letter writ
By one whose hand thou long hast much adored;
I know not what she saith, nor dare I open it.

Give it me straight! Now by the saints above,
'Tis sealed with wax as crimson as the rose.
Alas, what is this? She doth forswear my love,
And unto him that was my friend she goes.
Then farewell, joy; and farewell, foolish breath!
What is a man, that he should trust a vow?
I'll seek upon the heath a quiet death,
And lay this garland on no living brow.
Yet stay, my soul: perchance the maid hath lied,
Or some base villain forged this wicked scroll.
Ere Phoebus' car shall up the welkin ride
I'll know the truth, or else I'll lose my soul.
"""

GERMAN = """\
Ich wollte Ihnen wegen der Besprechung in der letzten Woche schreiben, denn ich bin vor dem Ende gegangen und \
denke seitdem ständig darüber nach. Als wir mit dem Vorhaben anfingen, waren sich alle einig, dass die Arbeit \
zwischen den beiden Büros geteilt werden sollte. Das war ein guter Plan, und in den ersten Monaten ging es \
auch ganz ordentlich. Seit dem Frühjahr aber ist das meiste bei drei Leuten in unserem Büro hängen geblieben, \
und niemand hat ein Wort davon gesagt, dass sich daran etwas ändern soll.

Ich glaube nicht, dass das jemand so gewollt hat. Im April sind zwei gegangen, eine Stelle wurde nie wieder \
besetzt, und wir anderen haben einfach aufgehoben, was herumlag. Es bedeutet aber, dass ich an vier von fünf \
Wochenenden gearbeitet habe, und ich weiß, dass es den anderen genauso ging. Wir sind müde, und wir fangen \
an, Fehler zu machen. Vorigen Monat haben wir einem Kunden die falschen Zahlen geschickt, und es hat fast \
einen Tag gedauert, das in Ordnung zu bringen.
"""

ODD = {"capitals": CAPITALS, "without punctuation": UNPUNCTUATED, "pirate": PIRATE, "verse": VERSE}
