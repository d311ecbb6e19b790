"""Drive a headless Chromium through its debugging protocol.

The protocol is JSON over a web socket, whose client comes with JupyterLab, so that a test in a real browser needs
neither Node nor a driver.
"""

import atexit
import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

QUIET = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-allow-origins=* --remote-debugging-port=0"
).split()

ADDRESS = "127.0.0.1"

ANSWER = 240  # seconds in which the browser has to answer, however busy the machine is

KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "End": 35}  # virtual codes of the keys that tests press


def program():
    """Return the path of a Chromium on this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class TimeOut(Exception):
    """Something that was waited for did not happen."""


class Browser:
    """A Chromium with one tab, with a folder of its own that disappears with it."""

    def __init__(self, width=1280, height=900, scale=1.5):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.size, self.scale = (width, height), scale
        place = [f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen([program(), *QUIET, *place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket, self.number = None, 0
        atexit.register(self.close)  # also when a person interrupts the tests
        try:
            self.port, self.tab = self._first_tab()
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self):
        """Connect with the tab and give it its size."""
        self.socket = websocket.create_connection(f"ws://{ADDRESS}:{self.port}/devtools/page/{self.tab}", timeout=120)
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(*self.size)

    def resize(self, width, height):
        """Give the page another size, in its own pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=self.scale, mobile=False)

    def reopen(self):
        """Close the tab, and go on in an empty one."""
        closed, self.tab = self.tab, self.call("Target.createTarget", url="about:blank")["targetId"]
        self.call("Target.closeTarget", targetId=closed)
        self.socket.close()
        self._connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End Chromium, as often as one likes."""
        if self.socket:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def _first_tab(self):
        """Return the port at which Chromium answers, which is of its choice, and the identifier of its tab."""
        port_file = pathlib.Path(self.folder.name) / "DevToolsActivePort"
        wait_until(port_file.exists, 30, "Chromium did not start")
        wait_until(lambda: "\n" in port_file.read_text(), 5, "Chromium did not name its port")
        port, browser = port_file.read_text().splitlines()[:2]
        connection = websocket.create_connection(f"ws://{ADDRESS}:{port}{browser}", timeout=30)
        connection.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
        targets = json.loads(connection.recv())["result"]["targetInfos"]
        connection.close()
        return port, next(target["targetId"] for target in targets if target["type"] == "page")

    def call(self, method, **parameters):
        """Call a method of the protocol and return its result; events that come in between are dropped.

        Events may go on forever while a promise isn't kept, such as that of a kernel that doesn't come back.
        """
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        deadline = time.monotonic() + ANSWER
        while True:
            left = deadline - time.monotonic()
            try:
                if left <= 0:
                    raise websocket.WebSocketTimeoutException
                self.socket.settimeout(left)
                message = json.loads(self.socket.recv())
            except websocket.WebSocketTimeoutException:
                raise TimeOut(f"no answer within {ANSWER} s to {method} {str(parameters)[:300]}") from None
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, address):
        """Go to an address."""
        self.call("Page.navigate", url=address)

    def run(self, script):
        """Return the value of a JavaScript expression, awaiting promises."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def wait(self, script, seconds, what):
        """Wait until a JavaScript expression is true."""
        return wait_until(lambda: self.run(script), seconds, what)

    def screenshot(self, path):
        """Write what the page shows as PNG."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def drag(self, start, end, touch=False):
        """Press the mouse, or a finger, at one point, move it to another in steps, and release it there."""
        kinds = ("touchStart", "touchMove", "touchEnd") if touch else ("mousePressed", "mouseMoved", "mouseReleased")
        send = self._finger if touch else self._mouse
        send(kinds[0], *start)
        for step in range(1, 11):
            send(kinds[1], *(a + (b - a) * step / 10 for a, b in zip(start, end)))
        send(kinds[2], *end)

    def key(self, name):
        """Press and release a key, such as End."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name])

    def _mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def _finger(self, kind, x, y):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[] if kind == "touchEnd" else [{"x": x, "y": y}])


def wait_until(condition, seconds, what):
    """Return the condition's value as soon as it is true; raise TimeOut with what, when it never is."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeOut(f"{what} within {seconds} s")
        time.sleep(0.1)
