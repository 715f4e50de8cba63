"""How far Spark's jobs are: its own counters of tasks, asked while a job runs; a stopped job is cancelled."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from anonduck.engines.protocol import Progress
from anonduck.engines.spark_errors import unlogged

Answer = TypeVar("Answer")

PAUSE = 0.25
"""Seconds between two questions."""


def followed(session: Any, job: Callable[[], Answer], progress: Progress) -> Answer:
    """The answer of a job; meanwhile ``progress`` is told how many of its tasks are done.

    The job runs in a thread of its own, so that whoever is told may stop it: it is then cancelled in the cluster. A
    session of Spark Connect has no such counters, and waits.
    """
    context = getattr(session, "_sc", None)
    if context is None:
        return job()
    group = f"anonduck-{uuid.uuid4().hex}"
    answer: Future[Answer] = Future()
    thread = _started(context, group, job, answer)
    try:
        while thread.is_alive():
            thread.join(PAUSE)
            progress(*tasks(context.statusTracker(), group))
    except BaseException:
        context.cancelJobGroup(group)
        thread.join()
        raise
    return answer.result()


def _started(context: Any, group: str, job: Callable[[], Answer], answer: Future[Answer]) -> threading.Thread:
    """A thread that runs a job under the name of a group, with all else that Spark was told in this thread."""
    from pyspark import InheritableThread

    def run() -> None:
        try:
            with unlogged():
                context.setJobGroup(group, "anonduck", interruptOnCancel=True)
                answer.set_result(job())
        except BaseException as error:  # whoever waits raises it
            answer.set_exception(error)

    thread: threading.Thread = InheritableThread(target=run, name=group)
    thread.start()
    return thread


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
