"""A page of JupyterLab with one notebook in front, and what a person does and sees there."""

import json
import time

import browser

APP = "window.jupyterapp"

NOTEBOOK = "window.notebook"

LIMIT = 240  # seconds for what takes a few on a machine that has nothing else to do

LATE = 30  # seconds in which the outputs of a cell come after its end

# A promise that is kept when the page has been drawn anew.
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"

# Moves the notebook until no part of a paragraph, input or output stands above its view, and returns by how much the view is too
# high to end with a whole one. Three pixels of space are left on both sides: less than between an input and its output.
WITHOUT_PARTS = f"""(() => {{
    const view = {NOTEBOOK}.node.querySelector('.jp-WindowedPanel-outer');
    const parts = () => [...view.querySelectorAll('.jp-RenderedMarkdown > *, .jp-InputArea, .jp-OutputArea-child')]
        .map(part => part.getBoundingClientRect()).filter(part => part.height > 0);
    const {{ top, bottom }} = view.getBoundingClientRect();
    view.scrollTop += Math.min(...parts().map(part => part.top).filter(edge => edge >= top + 3)) - top - 3;
    return Math.floor(bottom - 3 - Math.max(...parts().map(part => part.bottom).filter(edge => edge <= bottom - 3)));
}})()"""


def quoted(text):
    """Return the text as a JavaScript string."""
    return json.dumps(text)


class Page(browser.Browser):
    """A browser with one notebook in front."""

    def open_notebook(self, address, name):
        """Open a notebook with the Go kernel, once JupyterLab is there, and wait until that kernel is idle."""
        self.load_notebook(address, name)
        status = f"{NOTEBOOK}.sessionContext.session?.kernel?.status"
        self.wait(f"{status} === 'idle'", LIMIT, "the kernel did not start")

    def load_notebook(self, address, name):
        """Open a notebook, whose kernel may be at work already, once JupyterLab is there."""
        self.open(address)
        self.wait(f"!!({APP} && {APP}.restored && {APP}.shell.widgets)", LIMIT, "JupyterLab did not load")
        self.run(f"{APP}.restored.then(() => true)")
        options = json.dumps({"path": f"{name}.ipynb", "factory": "Notebook", "kernel": {"name": "gonb"}})
        self.run(
            f"{APP}.commands.execute('docmanager:open', {options})"
            f".then(panel => {{ {NOTEBOOK} = panel; {APP}.shell.activateById(panel.id); return panel.context.ready; }})"
            f".then(() => {NOTEBOOK}.sessionContext.ready).then(() => true)"
        )
        self.execute("application:toggle-left-area")

    def launch_notebook(self, address):
        """Click on the Go kernel in the launcher, and wait until the new notebook's kernel has started."""
        card = "document.querySelector('.jp-LauncherCard[data-category=Notebook][title=\"Go (gonb)\"]')"
        self.open(address)
        self.wait(f"!!{card}", LIMIT, "the launcher offers no Go notebook")
        self.run(f"{card}.click(); true")
        current = f"{APP}.shell.currentWidget"
        self.wait(f"!!{current}?.sessionContext?.session?.kernel", LIMIT, "no new notebook")
        self.run(f"{NOTEBOOK} = {current}; true")
        self.wait(f"{NOTEBOOK}.sessionContext.session.kernel.status === 'idle'", LIMIT, "the kernel did not start")

    def write_and_run(self, source):
        """Write the code of the last cell and run it without waiting; a new cell follows."""
        self.run(f"{NOTEBOOK}.content.activeCell.model.sharedModel.setSource({quoted(source)}); true")
        self.execute("notebook:run-cell-and-select-next")

    def execute(self, command):
        """Let JupyterLab execute one of its commands, and wait until that has begun."""
        self.run(f"{APP}.commands.execute({quoted(command)}); true")

    def run_all(self):
        """Run all cells without waiting for them; outputs of an earlier run are removed first."""
        self.run(f"{APP}.commands.execute('notebook:clear-all-cell-outputs').then(() => true)")
        self.execute("notebook:run-all-cells")

    def run_cells(self, positions):
        """Run some code cells, one after the other, without waiting for them; outputs of an earlier run are removed first."""
        for position in positions:
            self.activate(position)
            self.run(f"{APP}.commands.execute('notebook:clear-cell-output').then(() => true)")
            self.execute("notebook:run-cell")

    def save(self):
        """Save the notebook with the outputs that it shows."""
        self.run(f"{APP}.commands.execute('docmanager:save').then(() => true)")

    def restart(self):
        """Restart the kernel, which ends what it runs."""
        self.run(f"{NOTEBOOK}.sessionContext.restartKernel().then(() => true)")

    def interrupt(self):
        """Press the stop button."""
        self.run(f"{APP}.commands.execute('notebook:interrupt-kernel').then(() => true)")

    def code_cell(self, position):
        """Return JavaScript for the code cell in the position, counted from 0."""
        return f"{NOTEBOOK}.content.widgets.filter(cell => cell.model.type === 'code')[{position}]"

    def figure_cells(self):
        """Return the positions of the code cells that show a figure."""
        cells = f"{NOTEBOOK}.content.widgets.map(cell => cell.model).filter(model => model.type === 'code')"
        tags = self.run(f"{cells}.map(model => model.getMetadata('tags') || [])")
        return [position for position, tag in enumerate(tags) if "figure" in tag]

    def wait(self, script, seconds, what):
        """Wait until a JavaScript expression is true; a wait that is given up says what the kernel and the cells do."""
        try:
            return super().wait(script, seconds, what)
        except browser.TimeOut as late:
            raise browser.TimeOut(f"{late}; {self.state()}") from None

    def state(self):
        """Return what the kernel and the code cells do, for a message."""
        kernel = self.run(f"{NOTEBOOK}?.sessionContext?.session?.kernel?.status ?? 'unknown'")
        models = f"({NOTEBOOK}?.content?.widgets ?? []).map(cell => cell.model).filter(model => model.type === 'code')"
        cells = self.run(f"{models}.map(model => `${{model.executionState}} ${{model.executionCount ?? '-'}}`)")
        return f"the kernel is {kernel}, the cells are {', '.join(cells)}"

    def ended(self, position):
        """Say whether a cell has run."""
        model = f"{self.code_cell(position)}.model"
        return self.run(f"{model}.executionState === 'idle' && {model}.executionCount > 0")

    def wait_for_cell(self, position, seconds):
        """Wait until a cell has run."""
        model = f"{self.code_cell(position)}.model"
        self.wait(f"{model}.executionState === 'idle' && {model}.executionCount > 0", seconds, f"cell {position + 1} did not end")

    def wait_in_cells(self, positions, script, seconds, what):
        """Wait until a JavaScript expression is true. A cell that fails before, or an end of the last cell without it, ends the wait."""
        last, deadline = list(positions)[-1], None

        def happened():
            nonlocal deadline
            for position in filter(self.failed, positions):
                raise browser.TimeOut(f"{what}: cell {position + 1} failed: {self.text(position)[-500:]}")
            ended = self.ended(last)
            if value := self.run(script):
                return value
            if ended:
                deadline = deadline or time.monotonic() + LATE
                if time.monotonic() > deadline:
                    raise browser.TimeOut(f"{what}: cell {last + 1} has ended: {self.text(last)[-500:]}")
            return None

        try:
            browser.wait_until(happened, seconds, what)
        except browser.TimeOut as late:
            raise browser.TimeOut(f"{late}; {self.state()}") from None

    def outputs(self, position):
        """Return the outputs of a code cell."""
        return json.loads(self.run(f"JSON.stringify({self.code_cell(position)}.model.outputs.toJSON())"))

    def text(self, position):
        """Return what a code cell prints, its error included."""
        outputs = self.outputs(position)
        return "".join(str(output.get("text", "")) + "\n".join(output.get("traceback", [])) for output in outputs)

    def failed(self, position):
        """Say whether a code cell ended with an error."""
        return self.run(f"{self.code_cell(position)}.model.outputs.toJSON().some(output => output.output_type === 'error')")

    def has_picture(self, position):
        """Say whether a code cell shows a picture that the browser could draw."""
        images = f"[...{self.code_cell(position)}.outputArea.node.querySelectorAll('img')]"
        self.run(f"Promise.all({images}.map(image => image.decode().catch(() => true))).then(() => true)")
        return self.run(f"{images}.some(image => image.naturalWidth > 1)")

    def show(self, position, path):
        """Take a screenshot of a cell and what is around it, of whole paragraphs, inputs and outputs only."""
        self.activate(position)
        self.scroll_to(position)
        self.has_picture(position)
        width, height = self.size
        self.resize(width, height - self.run(WITHOUT_PARTS))
        self.run(FRAMES)
        self.screenshot(path)
        self.resize(width, height)

    def activate(self, position):
        """Make a code cell the active one, as a click beside it does."""
        content = f"{NOTEBOOK}.content"
        self.run(f"{content}.deselectAll(); {content}.activeCellIndex = {content}.widgets.indexOf({self.code_cell(position)}); true")

    def scroll_to(self, position):
        """Scroll to a cell, and wait until the page has settled."""
        for _ in range(3):  # cells that come into view may grow and push the cell away
            self.run(f"{self.code_cell(position)}.node.scrollIntoView({{block: 'center'}}); true")
            self.run(FRAMES)

    def drag_to_end(self, slider):
        """Drag the knob of a slider, given as JavaScript, from where it stands to its right end."""
        self.run(f"{slider}.scrollIntoView({{block: 'center'}}); true")
        left, top, width, height, place = self.run(
            f"(() => {{ const slider = {slider}, box = slider.getBoundingClientRect();"
            " return [box.left, box.top, box.width, box.height, (slider.value - slider.min) / (slider.max - slider.min)]; })()"
        )
        middle, knob = top + height / 2, 16  # a knob's width stays inside of the slider
        self.drag((left + knob / 2 + (width - knob) * place, middle), (left + width - 2, middle))

    def choose_last(self, choice):
        """Choose the last entry of a list, given as JavaScript, as a person at the keyboard does."""
        self.press(choice, "End")

    def press(self, control, key):
        """Press a key in a control, given as JavaScript."""
        self.run(f"{control}.scrollIntoView({{block: 'center'}}); true")
        # JupyterLab moves the focus to a cell that it has just run.
        self.wait(f"({control}.focus(), {FRAMES}.then(() => document.activeElement === {control}))", LIMIT, "the control lost the focus")
        self.key(key)
