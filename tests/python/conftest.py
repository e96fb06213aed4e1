"""What tests of several parts share."""

import contextlib
import signal
import sys
import threading
import time

import pytest


class StopError(Exception):
    """What the handler of a signal raises."""


@pytest.fixture
def stopping():
    """A context in which StopError is raised by a signal, once this thread waits in a function."""

    @contextlib.contextmanager
    def stop_in(function):
        def stop(*_):
            raise StopError

        def send():
            last, times = None, 0
            while times < 10 and not over.is_set():  # where it stays, it waits
                frame = sys._current_frames()[main]
                at = (frame.f_code.co_name, frame.f_lasti)
                times = times + 1 if at == last and at[0] == function else 0
                last = at
                time.sleep(0.02)
            if not over.is_set():
                signal.pthread_kill(main, signal.SIGUSR1)

        main, over = threading.get_ident(), threading.Event()
        before = signal.signal(signal.SIGUSR1, stop)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            with pytest.raises(StopError):
                try:
                    yield
                finally:
                    over.set()
                    sender.join()
        finally:
            signal.signal(signal.SIGUSR1, before)

    return stop_in
