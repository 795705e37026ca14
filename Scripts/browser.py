"""A headless Chromium for the checks of pages: Scripts/check-site and Scripts/check-page."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys

NAME = pathlib.Path(sys.argv[0]).name


class Browser:
    """A Chromium that obeys the DevTools protocol on two pipes."""

    def __init__(self, folder):
        program = next((p for p in ("chromium", "chromium-browser", "google-chrome") if shutil.which(p)), None)
        if not program:
            sys.exit(f"{NAME}: there is no chromium: apt-get install chromium")
        from_us, to_them = os.pipe(), os.pipe()
        self.reader, self.writer = os.fdopen(from_us[0], "rb"), os.fdopen(to_them[1], "wb")

        def connect():
            # The numbers that Chromium expects; copies first, because a pipe may already have one of them.
            copies = os.dup(to_them[0]), os.dup(from_us[1])
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        command = [program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--disable-gpu",
                   "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]
        command += ["--no-sandbox"] if os.getuid() == 0 else []
        self.process = subprocess.Popen(command, pass_fds=(3, 4, to_them[0], from_us[1]), preexec_fn=connect,
                                        stderr=subprocess.DEVNULL)
        os.close(to_them[0])
        os.close(from_us[1])
        self.count, self.session, self.events = 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def receive(self):
        text = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                sys.exit(f"{NAME}: the browser has ended")
            text += byte
        return json.loads(text)

    def ask(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        while (answer := self.receive()).get("id") != self.count:
            self.events.append(answer)
        if "error" in answer:
            sys.exit(f"{NAME}: {method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        self.events = [event for event in self.events if event["method"] != "Page.loadEventFired"]
        self.ask("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def value(self, script):
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            return None, result["exceptionDetails"].get("exception", {}).get("description", "failed")
        return result["result"].get("value"), None

    def picture(self, file):
        self.value("Promise.all(document.getAnimations().map(each => each.finished.catch(() => null)))")
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(data))

    def shape(self, width, height, scheme, media=""):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text if kind == "keyDown" else "")

    def drag(self, start, end):
        for kind, (x, y) in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def close(self):
        self.session = None
        self.ask("Browser.close")
        self.process.wait(timeout=30)


def strangers(browser, base):
    """What the pages have asked of others, and what their scripts have complained of."""
    for event in browser.events:
        parameters = event.get("params", {})
        if event["method"] == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith((base, "data:", "blob:", "about:")):
                yield f"a page asks for {url}"
        elif event["method"] == "Runtime.exceptionThrown":
            yield f"a script fails: {parameters['exceptionDetails'].get('exception', {}).get('description')}"
        elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            yield f"the browser says: {parameters['entry']['text']}"
