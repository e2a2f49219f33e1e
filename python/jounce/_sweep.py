"""Sweeps: one computation for many samples of uncertain parameters, on threads or on a Dask cluster."""
from __future__ import annotations

import json
import os
from typing import Any, Callable

from . import _jounce



def _model_text(model: Any) -> tuple[str, dict[str, Any]]:
    """Native JSON and the options of building, of a Model, a Spec, a file or the name of a built-in robot."""
    if isinstance(model, _jounce.Model):
        return model._source()  # type: ignore[attr-defined, no-any-return]
    if not isinstance(model, _jounce.Spec):
        model = _jounce.Spec.load(model)
    return model.to_json(), {}


class Sweep:
    """A job (docs/sweep.md) for a robot. Row i depends on the job, the robot and i alone, bit for bit.

    model: a Model, a Spec, a file or the name of a built-in robot. job: a dict, or the path of a JSON file;
    trajectories that it names are files in its folder (of a dict: the current folder) or below.
    Settings of a Model are not used: the job has its own. Pickles."""

    def __init__(self, model: Any, job: Any) -> None:
        text, options = _model_text(model)
        if isinstance(job, dict):
            source, name = json.dumps(job), "job.json"
        else:
            name = os.fspath(job)
            with open(job, encoding="utf-8") as file:
                source = file.read()
        self._set(text, options, source, os.path.abspath(name))

    def _set(self, *state: Any) -> None:
        self._state = state
        text, options, source, name = state
        self._sweep = _jounce._Sweep(text, source, name, **options)

    def __reduce__(self) -> Any:
        return _restore, self._state

    @property
    def samples(self) -> int:
        """Number of samples."""
        return self._sweep.samples

    @property
    def shards(self) -> int:
        """Number of shards."""
        return self._sweep.shards

    @property
    def columns(self) -> list[str]:
        """Names of the columns of a row: parameters, results, "status"."""
        return self._sweep.columns

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters: the first columns."""
        return self._sweep.columns[:self._sweep.parameters]

    @property
    def channels(self) -> list[str]:
        """Names of the channels of the bands."""
        return self._sweep.channels

    def rows(self, first: int = 0, count: int | None = None) -> Any:
        """The rows of samples first, first + 1, ...: an array (count, columns)."""
        return self._sweep.rows(first, self.samples - first if count is None else count)

    def robot(self, sample: int, path: Any) -> None:
        """Writes the robot of a sample as a native model file."""
        self._sweep.save_robot(sample, path)

    def shard(self, folder: Any, shard: int) -> int:
        """Computes a shard and writes its files; returns its number."""
        self._sweep.shard(folder, shard)
        return shard

    def missing(self, folder: Any) -> list[int]:
        """The shards that are not in the folder, or damaged."""
        return [i for i in range(self.shards) if not self._sweep.is_done(folder, i, True)]

    def run(self, folder: Any, client: Any = None, resume: bool = False, threads: int | None = None,
            progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Computes what is missing in the folder, on threads of this process or on a Dask client's workers,
        which must see the same folder, and reduces. Returns the contents of result.json.

        A folder that holds this sweep already is only used with resume=True. progress(done, shards) is called
        after every shard."""
        folder = os.path.abspath(folder)
        if os.path.exists(os.path.join(folder, "sweep.json")) and not resume:
            raise _jounce.StateError("%s already holds a sweep: give resume=True to continue it" % folder)
        self._sweep.begin(folder)
        missing = self.missing(folder)
        done = self.shards - len(missing)
        for _ in self._on_client(client, folder, missing) if client else self._on_threads(threads, folder, missing):
            done += 1
            if progress:
                progress(done, self.shards)
        self._sweep.reduce(folder)
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
            return json.load(file)  # type: ignore[no-any-return]

    def _on_threads(self, threads: int | None, folder: str, missing: list[int]) -> Any:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        with ThreadPoolExecutor(threads or len(os.sched_getaffinity(0))) as pool:
            futures = [pool.submit(self.shard, folder, i) for i in missing]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:
                for future in futures:
                    future.cancel()

    def _on_client(self, client: Any, folder: str, missing: list[int]) -> Any:
        """One task for each shard. Dask does those of a lost worker again; a shard that was already written is
        written with the same bytes."""
        from distributed import as_completed

        if not missing:
            return
        job = client.scatter(self, broadcast=True)
        futures = [client.submit(_shard, job, folder, i, pure=False) for i in missing]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            client.cancel(futures)


def _restore(*state: Any) -> Sweep:
    sweep_ = Sweep.__new__(Sweep)
    sweep_._set(*state)
    return sweep_


def _shard(job: Sweep, folder: str, shard: int) -> int:
    return job.shard(folder, shard)


def sweep(model: Any, job: Any, folder: Any = None, client: Any = None, resume: bool = False,
          threads: int | None = None, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Sweep(model, job).run(folder, ...): the same files as `jounce sweep`, with equal bits.

    Without a folder: that of a job file is JOB.sweep beside it; of a dict a temporary one, which is removed."""
    import tempfile

    it = Sweep(model, job)
    if folder is None and not isinstance(job, dict):
        folder = os.path.splitext(os.fspath(job))[0] + ".sweep"
    if folder is not None:
        return it.run(folder, client, resume, threads, progress)
    with tempfile.TemporaryDirectory() as temporary:
        return it.run(os.path.join(temporary, "sweep"), client, resume, threads, progress)
