"""Test when a training's view (lab/live.js) takes itself for a saved one and asks which kernels are at work, in a page of its own."""

import json
import unittest

import browser
import server

SCRIPT = (server.ROOT / "lab" / "live.js").read_text()

# A page like JupyterLab's, with a clock and a server that note what they are asked for.
PAGE = """
    document.body.innerHTML = '<script id="jupyter-config-data" type="application/json">{"baseUrl": "http://127.0.0.1/"}</script>'
        + '<div class="jp-Cell"><div class="jp-InputPrompt"></div><div id="host"></div></div><div id="elsewhere"></div>';
    delete globalThis.nbbnnViews;
    [delays, timers, asked] = [[], [], false];
    setTimeout = (timer, delay) => { timers.push(timer); delays.push(delay); };
    fetch = async () => { asked = true; return null; };
    say = (text) => { document.querySelector('.jp-InputPrompt').textContent = text; };
    place = (host) => {
        host.innerHTML = '<div class="nbbnn-training" data-element="training_7"></div>';
        const script = document.createElement('script');
        script.textContent = live;
        host.firstElementChild.append(script);
    };
    true
"""


@unittest.skipUnless(browser.program(), "no Chromium here: SKIPPED")
class TestLive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.Browser())
        cls.browser.run(f"live = {json.dumps(SCRIPT)}; true")

    def setUp(self):
        self.browser.run(PAGE)

    def check(self, script, delays, asks):
        """Run a script and all timers that it sets, and compare how long they were meant to wait and whether they ask the server."""
        self.browser.run(f"{script}; timers.forEach(timer => timer()); true")
        self.assertEqual(self.browser.run("[delays, asked]"), [delays, asks])

    def test_page_that_runs_the_cell(self):
        self.check("say('[*]:'); place(host)", [], False)

    def test_page_that_runs_the_cell_of_the_next_view(self):
        self.check("say('[*]:'); place(host); place(host)", [], False)

    def test_saved_while_the_cell_ran(self):
        self.check("say('[ ]:'); place(host)", [1000], True)

    def test_saved_after_an_earlier_run(self):
        self.check("say('[7]:'); place(host)", [1000], True)

    def test_cell_that_runs_a_moment_later(self):
        self.check("say('[ ]:'); place(host); say('[*]:')", [1000], False)

    def test_replaced_before_the_time(self):
        self.check("place(elsewhere); place(elsewhere)", [30000], False)

    def test_without_a_prompt(self):
        self.check("place(elsewhere)", [30000], True)


if __name__ == "__main__":
    unittest.main()
