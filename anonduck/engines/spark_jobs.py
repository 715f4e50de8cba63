"""How far Spark's jobs are: its own counters of tasks, asked while a job runs; a stopped job is cancelled."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from anonduck.engines.protocol import Progress

Answer = TypeVar("Answer")

PAUSE = 0.5
"""Seconds between two questions."""


def followed(session: Any, job: Callable[[], Answer], progress: Progress) -> Answer:
    """The answer of a job; meanwhile ``progress`` is told how many of its tasks are done.

    A session of Spark Connect has no such counters. A job that is interrupted is cancelled in the cluster.
    """
    context = getattr(session, "_sc", None)
    if context is None:
        return job()
    group = f"anonduck-{uuid.uuid4().hex}"
    context.setJobGroup(group, "anonduck", interruptOnCancel=True)
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(context, group, progress, done), daemon=True)
    watcher.start()
    try:
        return job()
    except BaseException:
        with contextlib.suppress(Exception):
            context.cancelJobGroup(group)
        raise
    finally:
        done.set()
        watcher.join()
        for key in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(key, None)


def _watch(context: Any, group: str, progress: Progress, done: threading.Event) -> None:
    while not done.wait(PAUSE):
        with contextlib.suppress(Exception):
            progress(*tasks(context.statusTracker(), group))


def tasks(tracker: Any, group: str) -> tuple[int, int]:
    """How many tasks of a group of jobs are done, and how many there are by now."""
    finished = total = 0
    for job in tracker.getJobIdsForGroup(group):
        stages = tracker.getJobInfo(job)
        for stage in stages.stageIds if stages else ():
            told = tracker.getStageInfo(stage)
            if told is not None:
                finished += told.numCompletedTasks
                total += told.numTasks
    return finished, total
