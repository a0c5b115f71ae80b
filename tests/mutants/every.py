"""All mutants, in the order in which the guards are met."""

from tests.mutants.claims import CLAIMS
from tests.mutants.endings import ENDINGS
from tests.mutants.keeping import KEEPING

EVERY = (*CLAIMS, *ENDINGS, *KEEPING)
