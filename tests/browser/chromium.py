"""Drives headless Chromium by the DevTools protocol over a pipe: no server, no further package."""
import base64
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, width=1200, height=900):
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4
        command = ["sh", "-c", 'exec "$0" "$@" 3<&%d 4>&%d' % (to_read, to_write), find(), "--headless", "--no-sandbox",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + self.profile,
                   "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                   "--force-device-scale-factor=1", "--force-color-profile=srgb", "--window-size=%d,%d" % (width, height)]
        self.process = subprocess.Popen(command, pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.count, self.session = b"", 0, None
        self.messages = []  # of the console, and exceptions
        self.requests = []  # what the page asked for
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.messages.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        return message

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]

    def open(self, path):
        self.messages, self.requests = [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while True:
            if self.receive().get("method") == "Page.loadEventFired":
                break
        self.settle()

    def evaluate(self, text):
        answer = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def settle(self):
        """Until two frames have been drawn."""
        self.evaluate("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 30))))")

    def key(self, key, code=None, shift=False):
        code = code or key
        text = {" ": " ", "Enter": "\r"}.get(key, key if len(key) == 1 else "")
        extra = {"text": text} if text else {}
        codes = {" ": 32, "Enter": 13, "Tab": 9, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowRight": 39, "ArrowUp": 38, "ArrowDown": 40}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode=codes.get(key, ord(key.upper()) if len(key) == 1 else 0), **(extra if kind == "keyDown" else {}))
        self.settle()

    def mouse(self, kind, x, y, shift=False):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                  buttons=0 if kind == "mouseReleased" else 1, clickCount=1, modifiers=8 if shift else 0)

    def drag(self, a, b, steps=8, shift=False):
        self.mouse("mousePressed", *a, shift)
        for i in range(1, steps + 1):
            self.mouse("mouseMoved", a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps, shift)
        self.mouse("mouseReleased", *b, shift)
        self.settle()

    def box(self, selector):
        """x, y, width, height of an element in the window, scrolled into view."""
        return self.evaluate("""(() => { const e = document.querySelector(%s); e.scrollIntoView({block: "nearest"});
            const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()""" % json.dumps(selector))

    def click(self, selector):
        x, y, w, h = self.box(selector)
        self.mouse("mousePressed", x + w / 2, y + h / 2)
        self.mouse("mouseReleased", x + w / 2, y + h / 2)
        self.settle()

    def picture(self, selector=None, scale=1, whole=False):
        """A PNG of the window, of the whole page or of an element."""
        options = {"format": "png"}
        if whole:
            height = self.evaluate("document.documentElement.scrollHeight")
            width = self.evaluate("innerWidth")
            options.update(captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": width, "height": height, "scale": scale})
        elif selector:
            x, y, w, h = self.box(selector)
            options["clip"] = {"x": x + self.evaluate("scrollX"), "y": y + self.evaluate("scrollY"), "width": w, "height": h, "scale": scale}
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def pixels(png):
    """Width, height and rows of RGB bytes of a PNG with 8 bits a channel."""
    at, data, width, height, channels = 8, b"", 0, 0, 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
            assert depth == 8
        if kind == b"IDAT":
            data += body
        at += 12 + size
    raw, rows, stride = zlib.decompress(data), [], width * channels
    previous = bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = previous[i], previous[i - channels] if i >= channels else 0
            if kind == 1:
                line[i] = line[i] + a & 255
            elif kind == 2:
                line[i] = line[i] + b & 255
            elif kind == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                line[i] = line[i] + (a if pa <= pb and pa <= pc else b if pb <= pc else c) & 255
        rows.append(bytes(line[i] for i in range(stride) if channels == 3 or i % 4 != 3))
        previous = line
    return width, height, rows


def difference(a, b):
    """The share of pixels of two PNGs whose colours differ by more than an eighth of the range; 1: sizes differ."""
    (w, h, x), (w2, h2, y) = pixels(a), pixels(b)
    if (w, h) != (w2, h2):
        return 1.0
    far = sum(1 for r, s in zip(x, y) for i in range(0, 3 * w, 3) if max(abs(r[i + k] - s[i + k]) for k in range(3)) > 32)
    return far / (w * h)
