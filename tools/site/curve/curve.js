// Trains what main.go offers while it draws it. Whatever the reader moves, the networks learn on from where they are; a new K or
// width makes new ones.
"use strict";
{
	const root = document.querySelector(".curve"), folder = document.currentScript.src.replace(/[^/]*$/, "");
	const hint = root.querySelector("[role=status]"), dials = [...root.querySelectorAll("input")];
	const noise = 0.1, budget = 2000, slice = 25, [width, height, high] = [320, 180, 2.2]; // steps, milliseconds, and a panel's view
	const kinds = {nodes: "#0067a8", process: "#555555", weights: "#b3400a", dropout: "#7a4a9a", ensemble: "#2b7a3d"};
	const names = {nodes: "random nodes", process: "Gaussian process (infinite width)", weights: "random weights", dropout: "dropout", ensemble: "ensemble"};
	const panels = {};
	let points, running = false, turn = 0;
	const value = name => Number(dials.find(dial => dial.dataset.name === name).value);
	const toX = x => (x + 4) / 8 * width, toY = y => (high - y) / (2 * high) * height;
	const path = values => values.map((y, i) => `${toX(curve.places[i]).toFixed(1)},${toY(y).toFixed(1)}`).join(" ");
	const at = x => Math.round((x + 4) * 10);

	// newPanel shows a kind's heading, its band and the points.
	function newPanel(kind) {
		const figure = document.createElement("figure"), circles = points.map((_, i) =>
			i % 2 ? "" : `<circle class="grip" r="17"/><circle r="5"${kind === "nodes" ? ` tabindex="0" role="slider" aria-label="point ${i / 2 + 1}"` : ""}/>`);
		figure.innerHTML = `<figcaption style="color:${kinds[kind]}"><b>${names[kind]}</b> <span></span></figcaption>
			<svg viewBox="0 0 ${width} ${height}" role="group" aria-label="${names[kind]}: band of two standard deviations">
			<path class="axis" d="M0 ${toY(0)}H${width}M${toX(0)} 0V${height}"/>
			<polygon fill="${kinds[kind]}" opacity=".2"/>${'<polyline class="drawn"/>'.repeat(6)}<polyline class="mean"/>
			<g>${circles.join("")}</g></svg>`;
		figure.querySelectorAll("polyline").forEach(line => line.style.stroke = kinds[kind]);
		figure.querySelectorAll("circle").forEach((circle, i) => circle.onkeydown = event => press(event, 2 * (i >> 1)));
		grip(figure.querySelector("g"));
		root.querySelector(".panels").append(figure);
		return panels[kind] = {figure, left: 0};
	}

	const move = (i, x, y) => {
		[points[i], points[i + 1]] = [Math.max(-3.9, Math.min(3.9, x)), Math.max(-2.1, Math.min(2.1, y))];
		learn();
	};

	// grip lets a mouse or a finger move the nearest point: grips overlap.
	function grip(group) {
		const held = {}; // a point for each finger
		const where = ({clientX, clientY}) => {
			const box = group.ownerSVGElement.getBoundingClientRect();
			return [(clientX - box.left) / box.width * 8 - 4, high - (clientY - box.top) / box.height * 2 * high];
		};
		group.addEventListener("touchstart", event => event.preventDefault(), {passive: false}); // the page would scroll
		group.onpointerdown = event => {
			const [x, y] = where(event), far = i => Math.hypot(toX(points[i]) - toX(x), toY(points[i + 1]) - toY(y));
			held[event.pointerId] = points.map((_, i) => i - i % 2).reduce((a, b) => far(b) < far(a) ? b : a);
			group.setPointerCapture(event.pointerId);
			event.preventDefault();
		};
		group.onpointermove = event => group.hasPointerCapture(event.pointerId) && move(held[event.pointerId], ...where(event));
	}

	// press lets the arrow keys move a point.
	function press(event, i) {
		const step = {ArrowLeft: [-.1, 0], ArrowRight: [.1, 0], ArrowUp: [0, .1], ArrowDown: [0, -.1]}[event.key];
		if (!step) return;
		event.preventDefault();
		move(i, points[i] + step[0], points[i + 1] + step[1]);
	}

	// show draws a band of a kind.
	function show(kind, {mean, std, functions = []}) {
		const {figure, model} = panels[kind], upper = mean.map((m, i) => m + 2 * std[i]), lower = mean.map((m, i) => m - 2 * std[i]);
		const [first, ...rest] = path(lower).split(" ").reverse();
		figure.querySelector("polygon").setAttribute("points", [path(upper), first, ...rest].join(" "));
		figure.querySelector(".mean").setAttribute("points", path(mean));
		figure.querySelectorAll(".drawn").forEach((line, i) => functions[i] && line.setAttribute("points", path(functions[i])));
		figure.querySelector("span").textContent = `±\u00a0${(2 * std[at(0)]).toFixed(2)} at 0, ±\u00a0${(std[at(-1.6)] + std[at(1.6)]).toFixed(2)} at ±1.6${model ? `; ${model.drawn} drawn` : ""}`;
	}

	function place() {
		for (const {figure} of Object.values(panels)) {
			figure.querySelectorAll("circle").forEach((circle, n) => {
				const i = 2 * (n >> 1);
				circle.setAttribute("cx", toX(points[i]));
				circle.setAttribute("cy", toY(points[i + 1]));
				if (circle.role) circle.ariaValueNow = points[i + 1].toFixed(1);
			});
		}
	}

	// learn places the points, draws the exact band, and gives all networks more steps.
	function learn() {
		place();
		show("process", curve.process(points, noise));
		for (const panel of Object.values(panels)) if (panel.model) panel.left = budget;
		if (!running) requestAnimationFrame(frame);
		running = true;
	}

	// frame lets the next network that has steps left learn for a moment.
	function frame() {
		const waiting = Object.keys(panels).filter(kind => panels[kind].left > 0);
		running = waiting.length > 0;
		hint.textContent = running ? "learning …" : "learnt: drag a point";
		if (!running) return;
		const kind = waiting[turn++ % waiting.length], {model} = panels[kind];
		panels[kind].left -= model.train(points, slice);
		show(kind, model.band());
		requestAnimationFrame(frame);
	}

	function renew() {
		for (const kind of Object.keys(panels)) {
			if (kind !== "process") panels[kind].model = curve.model(kind, value("hidden"), value("gamma"), value("k"), noise);
		}
		learn();
	}

	function dial(event) {
		for (const one of dials) one.previousElementSibling.value = one.value;
		if (event.target.dataset.name !== "gamma") return renew();
		panels.nodes.model.setGamma(value("gamma"));
		panels.nodes.left = budget;
		learn();
	}

	async function start() {
		await runProgram(folder + "curve.wasm.gz");
		points = [...curve.points];
		Object.keys(kinds).forEach(newPanel);
		for (const one of dials) {
			one.previousElementSibling.value = one.value;
			one.oninput = dial;
		}
		root.querySelector("button").onclick = () => {
			points = [...curve.points];
			learn();
		};
		renew();
	}
	start().catch(problem => hint.textContent = unmet(problem));
}
