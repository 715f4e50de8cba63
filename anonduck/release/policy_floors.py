"""What is required that the classes of a file do not show, and floors that no text of SQL checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonduck.config.config import Config
from anonduck.config.policy import Policy, policy_of
from anonduck.config.requirement import OF_CANDIDATES
from anonduck.errors import ConfigError, RequirementNotMet
from anonduck.offer.candidates import Candidate, kept_offer
from anonduck.offer.choice import missed
from anonduck.release.plan import ReleaseSettings
from anonduck.release.script_text import CHECKED
from anonduck.rules.rounding import DIGITS
from anonduck.search.store import read_discovery
from anonduck.workspace import Workspace

OF_OFFERED = "inference_gain"
NEXT = "`anonduck run -o FILE` chooses among candidates that keep to it, and `anonduck frontier` lists what each has"


def judge_choice(
    workspace: Workspace,
    wanted: Config,
    policy: Policy | None,
    levels: Mapping[str, int] | None,
    settings: ReleaseSettings,
) -> list[dict[str, Any]]:
    """What is required of what is chosen, with what a release has of it, as lines of requirements.

    That is required of every release, however it came about (``OF_CANDIDATES``): of a candidate by what the offer
    measured, of a rule by these ``levels`` also by the source. What neither shows is not met: raises
    RequirementNotMet.
    """
    required = wanted.requirement
    if not settings.judges_choice:
        return []
    one = settings.offered or (_offered(workspace, levels) if levels else None)
    _refuse_inference(workspace, policy, None if one is None else one.inference)
    asked = [name for name in OF_CANDIDATES if getattr(required, name) is not None]
    if not asked:
        return []
    one = one or (None if levels is None else _measured(workspace, levels))
    if one is None:
        raise RequirementNotMet(not_shown({name: f"{name} ({getattr(required, name):g} required)" for name in asked}))
    found = missed(one, required)
    unknown = {name: found[name] for name in asked if name in found and name == OF_OFFERED and one.inference is None}
    under = [found[name] for name in asked if name in found and name not in unknown]
    if under:
        raise RequirementNotMet(f"the release misses what the config requires of it: {', '.join(under)}. {NEXT}")
    if unknown:
        raise RequirementNotMet(not_shown(unknown))
    return [_line(name, getattr(required, name), one) for name in asked]


def _line(name: str, required: float, one: Candidate) -> dict[str, Any]:
    """A requirement of what is chosen, which a candidate meets."""
    has = {
        OF_OFFERED: (one.inference or {}).get("gain"),
        "min_columns": len(one.columns),
        "max_loss": round(1 - one.detail, DIGITS),
        "min_gain": one.information_gain or 0.0,
    }
    at_most = name in (OF_OFFERED, "max_loss")
    return {"name": name, "required": required, "reached": has[name], "met": True, "at_most": at_most}


def not_shown(asked: Mapping[str, str]) -> str:
    """That requirements of what is chosen are not known to be met by a release, and what tells."""
    return (
        f"not shown, and so not met: {', '.join(asked.values())}. It is measured of the candidates that a "
        f"search offers, and this release is none. {NEXT}"
    )


def _measured(workspace: Workspace, levels: Mapping[str, int]) -> Candidate | None:
    """What a rule comes to on the source of the project; None where that stays in an engine."""
    from anonduck.offer.offer import measured_rule

    return None if workspace.config.engine.elsewhere else measured_rule(workspace, levels, {})


def _refuse_inference(workspace: Workspace, policy: Policy | None, found: Mapping[str, float] | None) -> None:
    """Raise RequirementNotMet where a policy bounds `inference_gain`, and what is released is not known to keep to it.

    ``found`` is that of the candidate which is released.
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
    bound = f"{policy.file} bounds {OF_OFFERED} for releases to {policy.audience} by {limit:g}"
    if found is None:
        raise RequirementNotMet(
            f"{bound}, and what this release has is not known, as candidates of the offer alone are measured. {NEXT}"
        )
    if found["gain"] > limit:
        raise RequirementNotMet(f"{bound}, and this release has {found['gain']:.3f} +- {found['error']:.3f}. {NEXT}")


def _offered(workspace: Workspace, levels: Mapping[str, int]) -> Candidate | None:
    """The candidate that shows these levels; None where none is in the offer."""
    stored = read_discovery(workspace.database)
    offered = [] if stored is None else kept_offer(workspace, stored)
    for one in offered:
        if one.levels is not None and dict(one.levels) == dict(levels):
            return one
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
            "`anonduck release RULE -o FILE`"
        )
