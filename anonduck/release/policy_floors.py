"""The floors of a policy that the classes of a file do not show, and floors that no text of SQL checks."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.config.policy import Policy, policy_of
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.offer.candidates import kept_offer
from anonduck.release.script_text import CHECKED
from anonduck.search.store import read_discovery
from anonduck.workspace import Workspace

OF_OFFERED = "inference_gain"
NEXT = "`project.run(FILE)` chooses among candidates that keep to it, and `project.candidates()` lists what each has"


def refuse_inference(
    workspace: Workspace,
    policy: Policy | None,
    levels: Mapping[str, int] | None,
    inference: Mapping[str, float] | None,
) -> None:
    """Raise RequirementNotMet where a policy bounds `inference_gain`, and what is released is not known to keep to it.

    ``inference`` is that of the candidate which is released; a rule of these ``levels`` is looked up in the offer.
    Without a class nothing is measured: only where no column is released as it is can none be inferred.
    """
    config, limit = workspace.config, None if policy is None else policy.floors.inference_gain
    if policy is None or limit is None:
        return
    if config.class_ is None and (config.sensitive or config.insensitive):
        raise RequirementNotMet(
            f"{policy.file} bounds {OF_OFFERED} for releases to {policy.audience} by {limit:g}, and without a class "
            "nothing says how well columns that are released as they are can be inferred. Name as `class` the one that "
            "nobody should infer, or list all of them under `drop`"
        )
    if config.class_ is None:
        return
    found = _offered(workspace, levels) if inference is None and levels else inference
    bound = f"{policy.file} bounds {OF_OFFERED} for releases to {policy.audience} by {limit:g}"
    if found is None:
        raise RequirementNotMet(
            f"{bound}, and what this release has is not known, as candidates of the offer alone are measured. {NEXT}"
        )
    if found["gain"] > limit:
        raise RequirementNotMet(f"{bound}, and this release has {found['gain']:.3f} +- {found['error']:.3f}. {NEXT}")


def _offered(workspace: Workspace, levels: Mapping[str, int]) -> Mapping[str, float] | None:
    """The inference of the candidate that shows these levels; None where none is in the offer, or none was measured."""
    stored = read_discovery(workspace.database)
    offered = [] if stored is None else kept_offer(workspace, stored)
    for one in offered:
        if one.levels is not None and dict(one.levels) == dict(levels) and one.inference is not None:
            return one.inference
    return None


def refuse_text(workspace: Workspace) -> None:
    """Raise ConfigError where a policy sets floors that a text of a release does not check where it runs.

    What a candidate reveals of the class is known before it is written; all else depends on the records.
    """
    policy = policy_of(workspace.written, workspace.folder)
    floors = {} if policy is None else policy.floors.named
    unchecked = [name for name in floors if name not in (*CHECKED, OF_OFFERED)]
    if policy is not None and unchecked:
        raise ConfigError(
            f"{policy.file} sets floors for releases to {policy.audience} that no text checks where it runs: "
            f"{', '.join(unchecked)}. Release to a file or a table, which is judged by all of them: "
            "`project.release(RULE, FILE)`"
        )
