"""Count how many first starts of a panel answer, each in a new kernel and a new browser: starts.py [STARTS]."""

import sys
import time

import browser
import page
import server

PANEL = ".nbbnn-panel input[type=range]"
MOVED = "document.querySelector('img[alt=\"figure of the panel\"]')?.dataset.values?.startsWith('3')"


def start(lab, limit=240):
    """Return the seconds until the panel of explore.ipynb moves, with those of the kernel's start."""
    with page.Page() as opened:
        begin = time.monotonic()
        opened.open_notebook(lab.address(), "explore")
        try:
            opened.run_cells(range(2))
            opened.wait(f"document.querySelector('{PANEL}')?.disabled === false", limit, "no answer")
            opened.run(f"(slider => {{ slider.value = 3; slider.dispatchEvent(new Event('input')); }})(document.querySelector('{PANEL}')); true")
            opened.wait(MOVED, limit, "no other picture")
            return time.monotonic() - begin
        finally:
            opened.run(f"{page.NOTEBOOK}.sessionContext.shutdown().then(() => true)")


def main(starts=30):
    lab, seconds = server.Server(), []
    lab.start()
    try:
        for number in range(1, starts + 1):
            try:
                seconds.append(start(lab))
                print(f"start {number}: {seconds[-1]:.1f} s", flush=True)
            except browser.TimeOut as late:
                print(f"start {number}: {late}", flush=True)
    finally:
        lab.stop()
    print(f"{len(seconds)} of {starts} answered, within {max(seconds, default=0):.0f} s", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
