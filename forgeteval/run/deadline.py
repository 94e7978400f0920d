"""The time limit of a store in a process of its own, without the time that its parent spends on replies."""

import time

MOST_REPLYING = 10.0
"""How much of its own limit a store may have its parent spend on replies before they count."""
_FINISHING_S = 2.0
"""How long a message that has begun to come in time may take to come whole."""


class Deadline:
    """A time limit of `seconds` for what happens at `place`."""

    def __init__(self, seconds: float, place: str = "") -> None:
        self.seconds, self.place = seconds, place
        self._end = time.monotonic() + seconds
        self._last = self._end + MOST_REPLYING * seconds
        self._extended = False

    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - time.monotonic())

    def extend_once(self) -> bool:
        """Leave time for the rest of a message; False where that was done before."""
        if self._extended:
            return False
        self._extended = True
        self._end = time.monotonic() + _FINISHING_S
        return True

    def finish(self) -> None:
        """Leave at least so much from now: this process may be what was late."""
        self._end = max(self._end, time.monotonic() + _FINISHING_S)

    def postpone(self, seconds: float) -> None:
        """Leave the time that the parent took, as far as that does not count."""
        self._end = min(self._end + seconds, self._last)
