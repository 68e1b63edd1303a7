"""Which errors does Quincunx raise, and what does each mean to the person who sees it?"""


class QuincunxError(Exception):
    """A fault that the person at the keyboard can mend; shown as one line, without a traceback."""


class SceneError(QuincunxError):
    """A scene is unknown or wrongly written; the message names it."""


class EngineError(QuincunxError):
    """A rollout failed in a way that is a fault of the set-up; names scene, version, seed and index."""


class PrerequisiteError(QuincunxError):
    """Something that must be installed is missing; the message holds the command that installs it."""


class InputError(QuincunxError):
    """A file, folder or setting given by the user cannot be used; the message says how to mend it."""


def one_line(fault: BaseException) -> str:
    """The kind of an exception and the first line of its message."""
    return ": ".join([type(fault).__name__, *str(fault).splitlines()[:1]])
