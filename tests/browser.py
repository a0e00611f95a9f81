"""Chromium, if it is installed, driven through a pipe by the DevTools protocol: pages, input, scripts and pictures."""

import json
import os
import shutil
import subprocess
from base64 import b64decode

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
OPTIONS = (
    "--headless", "--no-sandbox", "--hide-scrollbars", "--remote-debugging-pipe", "--use-gl=angle",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
)  # fmt: skip
"""Software rendering, so that pages have WebGL without a graphics card."""
COMMANDS, ANSWERS = 3, 4
"""The descriptors through which the browser is driven."""
SECONDS = 60


class Browser:
    """A running browser with one page.

    Parameters
    ----------
    profile
        Folder for its files.
    options
        Further options of its command line.
    """

    def __init__(self, profile, *options):
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()

        def connect():
            for number, descriptor in ((COMMANDS, os.dup(commands)), (ANSWERS, os.dup(answers))):
                os.dup2(descriptor, number)

        self._process = subprocess.Popen(
            [BROWSER, *OPTIONS, *options, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, close_fds=False,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._number, self._rest, self._session = 0, b"", None
        self._loaded, self._scripts = False, True
        self.messages, self.requests = [], []
        """Errors and other messages of pages; the addresses that pages requested."""
        targets = self._send("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def close(self):
        """End the browser."""
        self._process.terminate()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def _receive(self):
        while b"\0" not in self._rest:
            part = os.read(self._answers, 1 << 16)
            assert part, "the browser has ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _send(self, method, **parameters):
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _note(self, event):
        match event:
            case {"method": "Runtime.exceptionThrown", "params": {"exceptionDetails": details}}:
                self.messages.append(details)
            case {"method": "Log.entryAdded", "params": {"entry": {"text": text}}}:
                self.messages.append(text)
            case {"method": "Runtime.consoleAPICalled", "params": {"args": parts}}:
                self.messages.append([part.get("value") for part in parts])
            case {"method": "Page.loadEventFired"}:
                self._loaded = True
            case {"method": "Network.requestWillBeSent", "params": {"request": {"url": address}}}:
                self.requests.append(address)

    def open(self, path, width=1280, height=800, *, dark=False, ratio=1):
        """Open a file in a window of this size, once its script has started or failed."""
        self._send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])
        self.messages.clear()
        self.requests.clear()
        self._loaded = False
        self._send("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._note(self._receive())
        if self._scripts:
            self.wait_for("document.documentElement.dataset.state != 'busy'")

    def before_scripts(self, script):
        """Run a script in each page before its own, until the returned function is called."""
        number = self._send("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
        return lambda: self._send("Page.removeScriptToEvaluateOnNewDocument", identifier=number)

    def enable_scripts(self, enabled):
        """Allow or forbid the scripts of pages."""
        self._scripts = enabled
        self._send("Emulation.setScriptExecutionDisabled", value=not enabled)

    def evaluate(self, script):
        """Return the value of an expression in the page; a promise is awaited."""
        done = self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, condition):
        """Wait until a condition in the page is true."""
        check = (
            f"(async () => {{ for (let k = 0; k < {20 * SECONDS} && !({condition}); k++)"
            f" await new Promise((go) => setTimeout(go, 50)); return Boolean({condition}); }})()"
        )
        assert self.evaluate(check), condition

    def settle(self):
        """Wait until the page has drawn what has changed."""
        self.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def move(self, x, y, kind="mouseMoved", *, pressed=False, clicks=0):
        """Move the pointer to a place."""
        button = {"button": "left" if pressed or clicks else "none", "buttons": int(pressed), "clickCount": clicks}
        self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def click(self, x, y):
        """Click at a place."""
        self.move(x, y)
        self.move(x, y, "mousePressed", pressed=True, clicks=1)
        self.move(x, y, "mouseReleased", clicks=1)
        self.settle()

    def drag(self, start, end):
        """Drag from one place to another."""
        self.move(*start)
        self.move(*start, "mousePressed", pressed=True, clicks=1)
        for k in range(1, 5):
            self.move(*(a + (b - a) * k / 4 for a, b in zip(start, end, strict=True)), pressed=True)
        self.move(*end, "mouseReleased", clicks=1)
        self.settle()

    def wheel(self, x, y, amount):
        """Turn the wheel at a place; negative amounts zoom in."""
        self._send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=amount)
        self.settle()

    def press(self, *keys):
        """Press and release keys."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            self._send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, **text)
            self._send("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def picture(self):
        """Return a picture of the page as PNG."""
        return b64decode(self._send("Page.captureScreenshot", format="png")["data"])

    def whole_picture(self):
        """Return a picture of the page at its full height as PNG."""
        size = self._send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return b64decode(
            self._send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        )
