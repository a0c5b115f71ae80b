"""All mutants, in the order in which the guards are met."""

from tests.mutants.asking import ASKING
from tests.mutants.claims import CLAIMS
from tests.mutants.console import CONSOLE
from tests.mutants.endings import ENDINGS
from tests.mutants.keeping import KEEPING
from tests.mutants.keeping_rules import KEEPING_RULES
from tests.mutants.lifetimes import LIFETIMES
from tests.mutants.lost import LOST
from tests.mutants.owing import OWING

EVERY = (*CLAIMS, *ENDINGS, *KEEPING, *KEEPING_RULES, *LIFETIMES, *LOST, *ASKING, *OWING, *CONSOLE)
