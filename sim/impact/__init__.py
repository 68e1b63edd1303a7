"""An engine of our own: event-driven rigid-body impacts of one convex body on fixed planes.

It checks the soft engines by a different law (exact flight and time of impact, Stronge's restitution, Coulomb friction)
and makes references of high precision. Nothing compiled is loaded before the first throw.
"""

from .body import Body as Body
from .body import cuboid as cuboid
from .body import cylinder as cylinder
from .body import polyhedron as polyhedron
from .records import FAILURES as FAILURES
from .records import Rules as Rules
from .throws import Result as Result
from .throws import Touch as Touch
from .throws import replay as replay
from .throws import rules_for as rules_for
from .throws import throw as throw
