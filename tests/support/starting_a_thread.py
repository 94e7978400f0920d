"""Starts a thread as soon as it is imported, as some packages do."""

import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
