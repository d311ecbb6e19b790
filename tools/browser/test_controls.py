"""Test how a panel's slider (lab/controls.js) finds its program, in a page of its own whose connection loses messages."""

import json
import unittest

import browser
import server

SCRIPT = (server.ROOT / "lab" / "controls.js").read_text()

# A slider as package lab shows it, with a clock that the test moves on.
PAGE = """
    document.body.innerHTML = '<div class="nbbnn-panel"><label><input type="range" id="s" max="9" value="3" disabled><output>3</output></label>'
        + '<em class="nbbnn-panel-note">run the cell to move this</em></div>';
    [sent, acknowledged] = [[], 0];
    delete globalThis.gonb_comm;
    setInterval = (work) => { tick = work; return 7; };
    clearInterval = () => { tick = () => {}; };
    slider = document.getElementById('s');
    link = () => { globalThis.gonb_comm = {send: (address, value) => sent.push(address + ' ' + value), _onopen_ack: () => acknowledged++}; };
    true
"""
NOTE = "document.querySelector('.nbbnn-panel-note').textContent"


@unittest.skipUnless(browser.program(), "no Chromium here: SKIPPED")
class TestControls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser.Browser())
        cls.browser.run(f"{SCRIPT}; globalThis.connect = connect; true")

    def setUp(self):
        self.browser.run(PAGE)

    def check(self, script, sent, disabled):
        self.browser.run(f"{script}; true")
        self.assertEqual(self.browser.run("[sent, slider.disabled]"), [sent, disabled])

    def test_tells_its_value_until_the_program_answers(self):
        self.check("link(); connect('s', '/a')", ["/a 3"], True)
        self.check("tick(); tick()", ["/a 3"] * 3, True)
        self.check("slider.dispatchEvent(new Event('answered')); tick()", ["/a 3"] * 3, False)
        self.check("slider.value = 4; slider.dispatchEvent(new Event('input'))", ["/a 3"] * 3 + ["/a 4"], False)
        self.assertIn("■ above", self.browser.run(NOTE))

    def test_waits_for_a_connection_and_says_so(self):
        self.check("connect('s', '/a'); tick()", [], True)
        self.assertIn("waits for a connection", self.browser.run(NOTE))
        self.check("link(); tick()", ["/a 3"], True)
        self.assertEqual(self.browser.run(NOTE), "")

    def test_a_lost_acknowledgement_does_not_close_the_connection(self):
        self.check("link(); connect('s', '/a')", ["/a 3"], True)
        self.assertEqual(self.browser.run("acknowledged"), 1)


if __name__ == "__main__":
    unittest.main()
