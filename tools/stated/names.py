"""Short names for paths in result files and what is often made of them, so that a marker in a page stays short.

A name may begin with another one. `gender.meteor` is then `a4nt.json#measured[setting=blog-gender]….meteor`.
"""

from __future__ import annotations

import re

_TEN = "erae.json#grounds.imdb62-10.rows[name={}]"
_TABLE_1 = "erae.json#table_1[method={}]"
_NEWSGROUPS = "laplace.json#rows[corpus=20 newsgroups][method={}][epsilon={}]"
_SCENARIOS = {"any_5": "Top 5/Any", "any_10": "Top 10/Any", "multi_5": "Top 5/Multi", "multi_10": "Top 10/Multi"}
_MEASURED = "a4nt.json#measured[setting={}][name={}][way={}]"

NAMES = {
    # ER-AE, ten reviewers
    "ten_original": _TEN.format("original"),
    "ten_two_set": _TEN.format("ER-AE, two-set (the paper's), ε = 3"),
    "ten_groups": _TEN.format("ER-AE, public groups (ours), loss 11.4 a word"),
    "ten_plain_3": _TEN.format("ER-AE, plain clauses (ours), 3 clauses"),
    # ER-AE, table 1
    "t1_original": _TABLE_1.format("Original"),
    "t1_random": _TABLE_1.format("Random-R"),
    "t1_syntf": _TABLE_1.format("SynTF as text"),
    "t1_aedp": _TABLE_1.format("AE-DP, the paper's network"),
    "t1_certain": _TABLE_1.format("A network certain of its words"),
    "t1_reward": _TABLE_1.format("ER-AE, the paper's network and reward"),
    "t1_two_set": _TABLE_1.format("ER-AE, two-set"),
    "t1_groups": _TABLE_1.format("ER-AE, subset of groups"),
    "t1_groups_9": _TABLE_1.format("ER-AE, subset of groups, loss 9.3"),
    "t3": "erae.json#tables_2_and_3",
    # words moved by noise
    "news_original": "laplace.json#rows[corpus=20 newsgroups][method=original]",
    "news_laplace_8": _NEWSGROUPS.format("laplace", 8),
    "news_laplace_60": _NEWSGROUPS.format("laplace", 60),
    "news_exponential_8": _NEWSGROUPS.format("exponential", 8),
    "news_syntf": "laplace.json#rows[corpus=20 newsgroups][method=syntf][worst_loss_per_word≈13.6]",
    "loss_exponential_8": "laplace.json#losses[method=exponential][epsilon=8]",
    # SynTF on 20 newsgroups
    "news": "syntf.json#original",
    "news_learned": "syntf.json#original_without_reference",
    "scrubbed": "syntf.json#scrubbed",
    "optimum": "syntf.json#settings[table=optimum]",
    "sweep_epsilon": "syntf.json#settings[table=epsilon]",
    "sweep_spelling": "syntf.json#settings[table=spelling_weight]",
    "lower": "syntf.json#settings[table=morphology][morphology=lower]",
    "weka": "syntf.json#weka",
    "learned_6": "syntf.json#settings[rating=utility][loss_per_word=6]",
    "learned_25": "syntf.json#settings[rating=utility][loss_per_word=25.4]",
    **{
        f"ruled_{short}": f"syntf.json#grounds.newsgroups20-10.rows[name={name}]"
        for short, name in (
            ("news", "original"),
            ("optimum", "SynTF, ε = 47.5"),
            ("learned_6", "SynTF, learned rating (ours), loss 6 a word"),
            ("learned_25", "SynTF, learned rating (ours), loss 25.4 a word"),
        )
    },
    # A4NT
    "age": _MEASURED.format("blog-age", "a4nt-age", "balanced"),
    "age_drawn": _MEASURED.format("blog-age", "a4nt-age", "drawn"),
    "gender": _MEASURED.format("blog-gender", "a4nt-gender", "balanced"),
    "gender_drawn": _MEASURED.format("blog-gender", "a4nt-gender", "drawn"),
    "speech": _MEASURED.format("speech", "a4nt-speech", "balanced"),
    "neutral": _MEASURED.format("blog-age", "a4nt-age-neutral", "balanced"),
    "attention": _MEASURED.format("blog-age", "age-transformer-CycML+Lang+Near_a", "drawn"),
    "lstms": _MEASURED.format("blog-age", "age-editor-CycML+Lang+Near_l", "drawn"),
    "six_age": _MEASURED.format("blog-age", "six-editor-CycML+Lang+Near_a", "drawn"),
    "six_gender": _MEASURED.format("blog-gender", "six-editor-CycML+Lang+Near_a", "drawn"),
    "six": _MEASURED.format("blog-six", "six-editor-CycML+Lang+Near_a", "drawn"),
    **{
        f"{setting}_{recipe.replace('+', '_')}": _MEASURED.format(corpus, f"{setting}-paper-{recipe}", "likeliest")
        for setting, corpus in (("age", "blog-age"), ("gender", "blog-gender"), ("speech", "speech"))
        for recipe in ("FBsem", "CycML", "CycML+Lang", "autoencoder")
    },
    **{
        f"originals_{setting}": f"a4nt.json#originals[setting={corpus}]"
        for setting, corpus in (("age", "blog-age"), ("gender", "blog-gender"), ("speech", "speech"))
    },
    **{
        f"attacker_{setting}": f"a4nt.json#attackers[setting={corpus}][attacker=lstm]"
        for setting, corpus in (
            ("age", "blog-age"),
            ("gender", "blog-gender"),
            ("speech", "speech"),
            ("six", "blog-six"),
        )
    },
}

# The document F1 of the LSTM, as `age_static`, `age_adaptive`, and of every attacker, as `age_all_adaptive`.
NAMES |= {
    f"{model}_{kind}": f"{model}.attacks[attacker=lstm].{kind}.document.f1"
    for model in list(NAMES)
    if NAMES[model].startswith("a4nt.json#measured")
    for kind in ("static", "adaptive")
}
NAMES |= {
    f"{model}_all_{kind}": f"{model}.attacks[*].{kind}.document.f1"
    for model in ("age", "gender", "speech", "neutral")
    for kind in ("static", "adaptive")
}

# SynTF: topic F1, attack F1 of the best attacker of its paper's protocol, and by how much use is ahead of attack
# (shares of what originals give).
_SYNTF = ("news", "news_learned", "scrubbed", "optimum", "lower", "learned_6", "learned_25")
NAMES |= {f"{row}_topic": f"max({row}.utility[*].f1_weighted)" for row in _SYNTF}
NAMES |= {
    f"{row}_{short}": f"max({row}.attack[{scenario}][*].f1_weighted)"
    for row in _SYNTF
    if row != "news_learned"
    for short, scenario in _SCENARIOS.items()
}
NAMES |= {
    f"{row}_{short}_gain": f"{row}_topic / {originals}_topic - {row}_{short} / news_{short}"
    for row, originals in (("optimum", "news"), ("lower", "news"), ("learned_6", "news_learned"))
    for short in _SCENARIOS
}
# The paper's own attacker: WritePrints with parts of speech.
NAMES |= {
    f"{row}_writeprints": f"max({row}.attack[Top 10/Any][writeprints-svm with parts of speech].f1_weighted, "
    f"{row}.attack[Top 10/Any][writeprints-bayes with parts of speech].f1_weighted)"
    for row in ("news", "optimum", "scrubbed")
}


def expanded(path: str) -> str:
    """Return a path without names."""
    while "#" not in path and (first := re.split(r"[.\[]", path, maxsplit=1)[0]) in NAMES:
        path = NAMES[first] + path[len(first) :]
    return path
