"""Threads with a data each, the GIL during long calls, and processes that fork."""
import multiprocessing
import threading

import numpy as np
import pytest

import cortenforge as cf


def test_threads_step_their_own_data(humanoid):
    reference = cf.Data(humanoid)
    cf.mj_step(humanoid, reference, 200)
    results = [None] * 4

    def work(i):
        d = cf.Data(humanoid)
        for _ in range(200):
            cf.mj_step(humanoid, d)
        results[i] = d.qpos.copy()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(r, reference.qpos) for r in results)


def test_other_threads_run_during_a_long_call(humanoid):
    d = cf.Data(humanoid)

    def counted():
        count, done = 0, threading.Event()

        def work():
            cf.mj_step(humanoid, d, 3000)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
            done.wait(0.0005)
        thread.join()
        return count

    # a busy machine may keep this thread waiting during a call or two
    assert any(counted() > 5 for _ in range(20))


def test_errors_belong_to_their_thread(humanoid):
    caught = []

    def work():
        d = cf.Data(humanoid)
        for _ in range(50):
            try:
                cf.mj_RungeKutta(humanoid, d, 3)
            except cf.FatalError:
                caught.append(1)
            cf.mj_forward(humanoid, d)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(caught) == 200


def test_views_are_made_by_many_threads_at_once(humanoid):
    d = cf.Data(humanoid)
    names = [n for n in dir(cf.Data) if n.startswith("q")]
    seen = [None] * 4

    def work(i):
        seen[i] = [id(getattr(d, n)) for n in names]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert seen[0] == seen[1] == seen[2] == seen[3]


def child(m, qpos, pipe):
    d = cf.Data(m)
    d.qpos[:] = qpos
    cf.mj_step(m, d, 20)
    pipe.send(d.qpos.copy())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(humanoid, method):
    d = cf.Data(humanoid)
    start = d.qpos.copy()
    cf.mj_step(humanoid, d, 20)
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=child, args=(humanoid, start, there))
    process.start()
    assert here.poll(60)
    assert np.array_equal(here.recv(), d.qpos)
    process.join()
