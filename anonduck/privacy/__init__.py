"""Privacy models and risks: what each is called, how it is measured in SQL, and what can be required of a release.

Nothing here knows how a release was made: the relations that are read come from a released file alone.
"""

from anonduck.privacy.asking import Asked, Reached, ask
from anonduck.privacy.definition import Argument, Model
from anonduck.privacy.measuring import Measured, measure
from anonduck.privacy.models import MODELS
from anonduck.privacy.suppressing import suppress

__all__ = ["MODELS", "Argument", "Asked", "Measured", "Model", "Reached", "ask", "measure", "suppress"]
