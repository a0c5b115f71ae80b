"""Makes the helpers of this folder importable by name, here and in the children that tests start."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

for place in (str(ROOT), str(HERE)):
    if place not in sys.path:
        sys.path.insert(0, place)
