"""The zoo from the shell, run in tests/:

python -m models list                          all models with their options
python -m models text gpt [OPTIONS]            the StableHLO of one case
python -m models flags gpt megatron [OPTIONS]  its annotation as options of `tessera partition`
python -m models check [cover] [plans] [MODEL…] Tessera against JAX: all cases, or few that cover every pair; plans: only those that
                                               are planned without annotations (driver.py)
python -m models table [FILE…]                 models x annotations x result of the last check, or of several (copies of build/models.json)

OPTIONS: dtype=bfloat16 scan remat abstract with=ANNOTATION (its shard_map form) and sizes such as layers=4
"""

import sys

from . import driver
from . import zoo  # noqa: F401  (fills MODELS)
from .zoo.common import MODELS, text


def list_models():
    rows = [("model", "dtypes", "scan", "remat", "annotations (* = also by shard_map)")]
    for m in MODELS.values():
        names = [n + ("*" if a.shard_map else "") for n, a in m.annotations.items()]
        yes_no = ["yes" if option else "-" for option in (m.scan, m.remat)]
        rows.append((m.name, " ".join(m.dtypes), *yes_no, " ".join(names)))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        print("  ".join([c.ljust(w) for c, w in zip(row, widths)] + [row[4]]))


def build(name, options):
    """The case, and the annotation of `with=`."""
    chosen = dict(o.split("=") if "=" in o else (o, True) for o in options)
    annotation = MODELS[name].annotations.get(chosen.pop("with", None))
    abstract = chosen.pop("abstract", False)
    chosen = {k: int(v) if isinstance(v, str) and v.isdigit() else v for k, v in chosen.items()}
    case = MODELS[name].build(**{"dtype": MODELS[name].dtypes[0], **chosen})
    return case.abstract() if abstract else case, annotation


def main(words):
    if words == ["list"]:
        list_models()
    elif words[:1] == ["check"]:
        driver.main(words[1:])
    elif words[:1] == ["table"]:
        driver.print_last(words[1:])
    elif words == ["work"]:
        driver.work()
    elif len(words) >= 2 and words[0] == "text" and words[1] in MODELS:
        print(text(*build(words[1], words[2:])))
    elif len(words) >= 3 and words[0] == "flags" and words[1] in MODELS:
        print("\n".join(MODELS[words[1]].annotations[words[2]].flags(build(words[1], words[3:])[0])))
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
