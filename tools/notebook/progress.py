"""What a run of a notebook says in a terminal: which cell is at work, how far its training is, and which claims hold."""

import html
import re
import textwrap
import threading

from nbclient import NotebookClient

# The live view of a training has its line of text as an attribute, too.
TRAINING = re.compile(r'class="nbbnn-training"[^>]* data-line="([^"]*)"')

NO_STATEMENT = ("%", "!", "&&", "||", "//", "import", "var (", "package ", '"', ")", "}")


def training_line(message):
    """Return the line of a training's live view in a kernel's message, or None."""
    page = message["content"].get("data", {}).get("text/html", "")
    found = TRAINING.search("".join(page))
    return html.unescape(found.group(1)) if found else None


class WatchedClient(NotebookClient):
    """A client that remembers the latest line of the training at work."""

    training = None

    def process_message(self, msg, cell, cell_index):
        """Look at the message before the client does."""
        self.training = training_line(msg) or self.training
        return super().process_message(msg, cell, cell_index)


class Heartbeat:
    """Calls beat at every interval, in seconds, until the block ends."""

    def __init__(self, beat, interval):
        self.beat, self.interval, self.ended = beat, interval, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        """Beat until the end."""
        while not self.ended.wait(self.interval):
            self.beat()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.ended.set()
        self.thread.join()


def label(notebook, index):
    """Return what a code cell is about: its opening comment, the heading above it, or its first statement."""
    lines = [line.strip() for line in notebook.cells[index].source.splitlines() if line.strip()]
    if lines and lines[0].startswith("// "):
        return short(lines[0].removeprefix("// "))
    telling = [line for line in lines if not line.startswith(NO_STATEMENT)]
    return short(heading(notebook, index) or (telling or lines or [""])[0])


def short(text):
    """Return the text cut at a word where it is too long for a line."""
    return textwrap.shorten(text, 64, placeholder=" ...")


def heading(notebook, index):
    """Return the latest heading above a cell, "" where there is none."""
    for cell in reversed(notebook.cells[:index]):
        if cell.cell_type == "markdown":
            found = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
            if found:
                return found[-1]
    return ""


def claims(notebook):
    """Return the lines about claims that the cells printed."""
    texts = (output.text for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if output.output_type == "stream")
    return [line for text in texts for line in text.splitlines() if line.startswith("claim ")]
