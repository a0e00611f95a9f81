"""The only place where timers are created."""

from PySide6.QtCore import QObject, Qt, QTimer


def timer(parent: QObject, interval_ms: int, *, single_shot: bool = False, precise: bool = False) -> QTimer:
    """Create a stopped timer.

    ``QTimer(interval=...)`` must not be used, since PySide6 derives the setter's name from the keyword by the rules of
    the user's language, and in Turkish and Azeri the capital of "i" is "İ".

    Parameters
    ----------
    interval_ms
        Milliseconds until a timeout; 0 for the next turn of the event loop.
    single_shot
        Whether the timer stops after its first timeout.
    precise
        Whether timeouts must be accurate to a millisecond; by default within 5 % of the interval.
    """
    made = QTimer(parent)
    made.setInterval(interval_ms)
    made.setSingleShot(single_shot)
    made.setTimerType(Qt.TimerType.PreciseTimer if precise else Qt.TimerType.CoarseTimer)
    return made
