"""Test of the site that `make site` writes, in a window of a phone's width."""

import functools
import html.parser
import http.server
import json
import pathlib
import struct
import subprocess
import threading
import unittest
import urllib.parse
import zlib

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "out" / "site"
PHONE = (390, 844)
PAGES = ["index", "notebooks/lesson-one-dimension", "notebooks/lesson-0", "notebooks/lesson-6", "docs/results/index", "docs/using", "explorer/index"]

MEGABYTES = 4  # of the explorer's first load

# The beginning of a PNG of 100 megapixels.
HEADER = b"IHDR" + struct.pack(">IIBBBBB", 10000, 10000, 8, 2, 0, 0, 0)
HUGE = list(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + HEADER + struct.pack(">I", zlib.crc32(HEADER)))

# Gives the page a file, or the clean image as a picture of another size.
CHOOSE = """(async bytes => {{
    const picture = bytes.length ? new Uint8Array(bytes) : await new Promise(done => {{
        const canvas = new OffscreenCanvas(200, 100);
        canvas.getContext('2d').drawImage(document.getElementById('clean'), 0, 0, 200, 100);
        canvas.convertToBlob().then(done);
    }}), files = new DataTransfer(), input = document.getElementById('file');
    files.items.add(new File([picture], 'mine.png'));
    input.files = files.files;
    input.dispatchEvent(new Event('change'));
    return true;
}})({})"""

# Moves a slider by a step, or takes the next entry of a list.
MOVE = """(control => {{
    if (control.options) control.selectedIndex = (control.selectedIndex + 1) % control.length;
    else if (control.value === control.max) control.stepDown();
    else control.stepUp();
    control.dispatchEvent(new Event('input'));
    return true;
}})({})"""

SHOWN = "['clean', 'corrupted'].map(name => document.getElementById(name).toDataURL())"


class Links(html.parser.HTMLParser):
    """The links, pictures and headings of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.names = [], {""}
        self.feed(path.read_text(errors="replace"))  # a licence is in Latin-1

    def handle_starttag(self, _, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(urllib.parse.urlsplit(value))
            elif name == "id":
                self.names.add(value)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing of requests."""


@unittest.skipUnless(browser.program(), "no Chromium here: SKIPPED")
class TestSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["make", "--no-print-directory", "site"], cwd=ROOT, check=True)
        handler = functools.partial(Quiet, directory=SITE)
        cls.server = http.server.ThreadingHTTPServer((browser.ADDRESS, 0), handler)
        threading.Thread(target=cls.server.serve_forever).start()
        cls.page = browser.Browser(*PHONE)

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.shutdown()
        cls.server.server_close()

    def open(self, name):
        self.page.open(f"http://{browser.ADDRESS}:{self.server.server_port}/{name}.html")
        self.page.wait("document.readyState === 'complete' && !!document.querySelector('main h1')", 30, f"{name} did not load")

    def test_links_lead_to_files_and_headings(self):
        pages = {path: Links(path) for path in SITE.rglob("*.html")}
        self.assertGreater(len(pages), 30)
        linked = {link.path.rpartition("/")[2] for link in pages[SITE / "notices.html"].links}
        self.assertLessEqual({path.name for path in SITE.glob("notebooks/lesson-*.html")}, linked)
        for path, page in pages.items():
            self.assertNotIn('"nbbnn-panel" style', path.read_text(errors="replace"), f"{path} has a panel that doesn't move")
            for link in (link for link in page.links if not link.scheme):
                target = (path.parent / link.path).resolve() if link.path else path
                self.assertTrue(target.is_file(), f"{path}: {link.path}")
                if target in pages:
                    self.assertIn(urllib.parse.unquote(link.fragment), pages[target].names, path)

    def test_pages_fit_a_phone(self):
        for name in PAGES:
            self.open(name)
            self.assertEqual(self.page.run("document.documentElement.scrollWidth"), PHONE[0], name)
            self.page.screenshot(ROOT / ".cache" / "browser" / f"site-{name.replace('/', '-')}.png")

    def test_row_of_pages_shows_the_current_one(self):
        current = "[...document.querySelectorAll('nav [aria-current=page]')].map(link => [link.textContent, link.getBoundingClientRect().toJSON()])"
        for name, want in ("index", "node-BNN workbench"), ("notebooks/lesson-0", "0"), ("notebooks/lesson-11", "11"), ("docs/results/index", "Results"):
            self.open(name)
            [(link, place)] = self.page.run(current)
            self.assertEqual(link, want)
            self.assertTrue(0 <= place["left"] and place["right"] <= PHONE[0], f"{name}: {place}")
        self.open("docs/using")
        self.assertEqual(self.page.run(current), [])

    def test_a_table_says_that_it_is_wider_than_a_phone(self):
        hints = "[...document.querySelectorAll('main table')].map(table => getComputedStyle(table, '::before').content.includes('swipe'))"
        for name, want in ("docs/results/index", [True, True]), ("notices", [True, False]):
            self.open(name)
            self.page.wait(f"JSON.stringify({hints}) === '{json.dumps(want, separators=(',', ':'))}'", 30, f"{name}: other hints")

    def test_panels_stand_side_by_side_on_a_wide_screen(self):
        places = "[...document.querySelectorAll('.outputs a:has(> img[style*=aspect])')].map(link => [...link.children].map(panel => panel.getBoundingClientRect().toJSON()))"
        for name, panels in ("notebooks/lesson-0", 4), ("notebooks/lesson-4", 3), ("notebooks/lesson-one-dimension", 5):
            for width, columns in (1280, 2 if panels == 4 else 3), (PHONE[0], 1):
                self.page.resize(width, 900)
                if columns > 1:
                    self.open(name)
                    self.page.run("document.querySelectorAll('details').forEach(fold => fold.open = true); document.querySelectorAll('img').forEach(picture => picture.loading = 'eager'); true")
                self.page.wait(f"{places}[0]?.length === {panels}", 30, f"{name} has no {panels} panels")
                [shown, *_] = self.page.run(places)
                self.assertEqual(len({round(panel["left"]) for panel in shown}), columns, f"{name} at {width}")
                self.assertEqual(len({round(panel["bottom"]) for panel in shown}), -(-panels // columns), f"{name} at {width}")
        self.page.resize(*PHONE)

    def test_home_plays_and_keeps_the_score(self):
        self.open("index")
        verdict, rounds = "document.querySelector('.verdict').textContent", "document.querySelector('.next')"
        self.page.wait(f"{verdict}.startsWith('✓ star, 4')", 30, "the network with γ = 16 did not follow")
        self.page.run("document.querySelector('.networks button').click(); true")
        self.page.wait(f"{verdict}.startsWith('✗ cross, 9')", 30, "MAP isn't sure of a cross in the snow")
        for _ in range(2):
            self.page.run(f"{rounds}.click(); document.querySelectorAll('.guessing th button')[2].click(); true")
        self.assertRegex(self.page.run("document.querySelector('.score').textContent"), r"you: [012] of 2 right.*MAP: [012] right")
        self.assertEqual(self.page.run("document.querySelectorAll('.score div').length"), 3)
        self.page.run(f"{rounds}.click(); document.querySelector('.play').click(); {rounds}.click(); document.querySelector('.guessing th button').click(); true")
        self.assertIn("of 3 right", self.page.run("document.querySelector('.score').textContent"), "to play ends the round")

    def test_explorer(self):
        self.open("explorer/index")
        self.page.wait("document.getElementById('took').textContent.startsWith('snow, severity 4')", 60, "the explorer did not start")
        self.assertEqual(self.page.run("[drawn.options.length, document.getElementById('name').options.length]"), [10, 19])
        bars = "[...answers.querySelectorAll('meter')].map(bar => bar.value)"
        self.page.wait(f"{bars}.length === 30", 30, "the networks did not answer")
        said, marked = self.page.run(bars), "[...answers.querySelectorAll('.true th')].map(name => name.textContent)"
        self.assertEqual(self.page.run(f"[{marked}, side.disabled]"), [["star"], True])
        self.assertAlmostEqual(sum(said), 3)
        clean = self.page.run(SHOWN)[0]
        for severity, name in [(0, "fog"), *((5, corruption) for corruption in self.page.run("workbench.names.split(',')"))]:
            self.page.run(f"severity.value = {severity}; element('name').value = '{name}'; severity.oninput(); true")
            print(f"site     {self.page.run('took.textContent')}")
            self.assertEqual(self.page.run(SHOWN)[1] == clean, severity == 0, name)
        self.page.wait(f"{bars}.every((value, place) => value !== {said}[place])", 30, "the networks did not answer again")

        before = self.page.run(SHOWN)
        for wrong, want in (list(b"no picture"), "no PNG, JPEG or WebP picture"), (HUGE, "10000x10000 pixels: choose one of at most 64"):
            self.page.run(CHOOSE.format(wrong))
            self.page.wait(f"hint.textContent.includes('{want}')", 30, want)
            self.assertEqual(self.page.run(SHOWN), before)

        self.page.run("side.value = 64; true")
        self.page.run(CHOOSE.format([]))
        self.page.wait("document.getElementById('corrupted').width === 64", 30, "the picture was not shown")
        self.assertEqual(self.page.run("[corrupted.height, hint.textContent, answers.offsetParent, side.disabled, drawn.value]"), [32, "", None, False, ""])
        self.assertEqual(self.page.run(marked), [])

    def test_every_lesson_moves_without_a_kernel(self):
        control, picture = "document.querySelector('[data-frames] :is(input, select)')", "document.querySelector('.outputs:has([data-frames]) img')"
        for lesson in ("one-dimension", *range(12)):
            self.open(f"notebooks/lesson-{lesson}")
            self.page.wait(f"{control}?.disabled === false", 30, f"lesson {lesson} has nothing to move")
            before = self.page.run(f"{control}.scrollIntoView(); {picture}.src")
            self.page.run(MOVE.format(control))
            self.page.wait(f"{picture}.src.startsWith('data:image/svg') && {picture}.complete && {picture}.naturalWidth > 100", 30, f"lesson {lesson}: no other picture")
            self.assertNotEqual(self.page.run(f"{picture}.src"), before, f"lesson {lesson}")
            self.page.run(f"fetch({picture}.parentNode.href).then(file => file.text()).then(text => linked = text); linked = ''; true")
            self.page.wait(f"{picture}.src === 'data:image/svg+xml,' + encodeURIComponent(linked)", 30, f"lesson {lesson}: the link leads to another picture")
            self.page.run(f"old = {picture}.parentNode.href; true")
            self.page.run(MOVE.format(control))
            self.page.run("freed = false; fetch(old).catch(() => freed = true); true")
            self.page.wait("freed", 30, f"lesson {lesson}: the picture of the last move is kept")
            self.assertEqual(self.page.run(f"{picture}.parentNode.className"), "fitting", f"lesson {lesson}: a phone shows a part of what moves")
            self.assertEqual(self.page.run("[...document.querySelectorAll('main a')].at(-1).textContent.startsWith('Next lesson')"), lesson != 11, f"lesson {lesson}")
            self.page.screenshot(ROOT / ".cache" / "browser" / f"site-panel-{lesson}.png")

    def test_networks_learn_in_the_page(self):
        self.open("notebooks/lesson-one-dimension")
        learnt = "document.querySelector('.curve [role=status]').textContent.startsWith('learnt')"
        mean = "[...document.querySelectorAll('.curve .mean')].map(line => line.getAttribute('points'))"
        self.page.wait("!!document.querySelector('.curve circle')", 60, "the networks did not start")
        self.assertFalse(self.page.run("document.querySelector('.curve').open"), "the networks answer before a guess")
        self.page.run("document.querySelector('.curve').open = true")
        self.page.wait(learnt, 240, "the networks did not learn")
        before = self.page.run(mean)
        self.assertEqual(len(before), 5)
        self.page.run("document.querySelector('.curve svg').scrollIntoView({block: 'center'}); true")
        for point in range(10):
            self.drag_point(point, 20, touch=False)
        self.page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.drag_point(4, -20, touch=True)
        self.page.call("Emulation.setTouchEmulationEnabled", enabled=False)
        self.page.wait(learnt, 240, "the networks did not learn the point that moved")
        moved = self.page.run(mean)
        self.assertFalse([line for line in moved if line in before], "each band follows the point")
        for dial in ("gamma", "k", "hidden"):
            self.page.run(f"before = {mean}[0]; true")
            self.page.run(MOVE.format(f"document.querySelector('.curve [data-name={dial}]')"))
            self.page.wait(f"{mean}[0] !== before", 60, f"no curve follows {dial}")
        self.page.screenshot(ROOT / ".cache" / "browser" / "site-curve.png")
        self.assertLess((SITE / "curve" / "curve.wasm.gz").stat().st_size, 0.8e6)

    def drag_point(self, point, down, touch):
        """Press the middle of a dot: this one follows, to the end, and its neighbours and the page stay."""
        middles = """[...document.querySelector('.curve svg').querySelectorAll('circle:not(.grip)')]
            .map(dot => dot.getBoundingClientRect()).map(({x, y, width}) => [x + width / 2, y + width / 2])"""
        wanted = self.page.run(middles)
        start = wanted[point]
        wanted[point] = [start[0] + 3, start[1] + down]
        self.page.drag(start, wanted[point], touch)
        for got, want in zip(self.page.run(middles), wanted, strict=True):
            self.assertLess(max(abs(a - b) for a, b in zip(got, want)), 1, f"point {point}, {touch=}")

    def test_network_by_hand_learns_in_the_page(self):
        self.open("notebooks/lesson-0")
        says, picture = "document.querySelector('.micro .panels').innerText", "[...document.querySelectorAll('.micro canvas')].map(canvas => canvas.toDataURL())"
        self.page.wait(f"{says}.includes('NLL')", 60, "the networks did not start")
        before, drawn = self.page.run(says), self.page.run(picture)
        self.page.run("document.querySelector('.micro [data-name=draws]').value = 1; true")  # one more than 30 hardly shows
        self.page.wait(f"{picture}.every((one, i) => one !== {json.dumps(drawn)}[i])", 60, "no other draw is painted")
        for dial in ("gamma", "jitter", "draws"):
            self.page.run(MOVE.format(f"document.querySelector('.micro [data-name={dial}]')"))
            self.page.wait(f"{says} !== {json.dumps(before)}", 60, f"no answer follows {dial}")
            before = self.page.run(says)
        self.page.screenshot(ROOT / ".cache" / "browser" / "site-micro.png")
        self.assertLess((SITE / "micro" / "micro.wasm.gz").stat().st_size, 0.8e6)

    def test_code_and_answers_are_folded(self):
        self.open("notebooks/lesson-0")
        self.assertFalse(self.page.run("!!document.querySelector('main > pre')"), "a phone shows code before anybody asks for it")
        self.assertIn("Point is an input with its class", self.page.run("[...document.querySelectorAll('summary')].map(name => name.textContent)"))
        answer = "document.querySelector('details.outputs').open"
        self.assertFalse(self.page.run(answer))
        self.page.run("document.querySelector('.nbbnn-guess button').click(); true")
        self.assertTrue(self.page.run(answer), "the answer is still folded after a guess")

    def test_quiz_keeps_a_probability_for_each_question(self):
        self.open("notebooks/lesson-11")
        told = "[...document.querySelectorAll('.nbbnn-answer')].map(answer => answer.textContent).find(text => text.includes('guessed {}'))"
        truths = self.page.run("[1, 2].map(i => document.querySelector(`.nbbnn-answer[data-name='question ${i}']`).dataset.truth)")
        for number, (choice, sure) in enumerate([(truths[0], 80), ("arrow" if truths[1] != "arrow" else "cross", 55)], 1):
            question = f"document.querySelector(\".nbbnn-guess[data-name='question {number}']\")"
            self.page.run(f"[...{question}.querySelectorAll('button')].find(button => button.textContent === '{choice}').click(); true")
            self.page.run(f"(slider => {{ slider.value = {sure}; slider.dispatchEvent(new Event('input')); }})({question}.querySelector('input')); true")
            wanted = ["0.22 nats", "3.00 nats"][number - 1]  # -ln 0.8, and -ln of a ninth of 0.45
            self.assertIn(wanted, self.page.run(told.format(choice)))
        self.assertIn("1 of 2 guessed. Mean: 1.61 nats.", self.page.run(told.format(choice)))
        self.assertFalse(self.page.run("document.querySelector('details:has([data-name=\"question 3\"])').open"), "it tells the answers to 18 more questions")

    def test_explorer_is_small(self):
        size = sum(path.stat().st_size for path in (SITE / "explorer").iterdir())
        self.assertLess(size, MEGABYTES * 1e6)


if __name__ == "__main__":
    unittest.main()
