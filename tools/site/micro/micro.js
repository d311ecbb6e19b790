// Trains the networks of notebooks/micro, and paints their answers over the plane: at each frame with one more draw of the noise.
{
	const root = document.querySelector(".micro"), folder = document.currentScript.src.replace(/[^/]*$/, "");
	const hint = root.querySelector("[role=status]"), dials = [...root.querySelectorAll("input")];
	const side = 320, colours = [[0, 103, 168], [210, 122, 0], [180, 110, 220]]; // of the classes
	const still = matchMedia("(prefers-reduced-motion: reduce)").matches, panels = [];
	let points, later;
	const value = name => Number(dials.find(dial => dial.dataset.name === name).value);

	function newPanel(gamma) {
		const figure = document.createElement("figure");
		figure.innerHTML = `<figcaption></figcaption><canvas width="${side}" height="${side}" role="img"></canvas>`;
		root.querySelector(".panels").append(figure);
		panels.push(train({figure, canvas: figure.querySelector("canvas")}, gamma));
	}

	function train(panel, gamma) {
		return Object.assign(panel, {gamma, network: micro.train(gamma), drawn: []});
	}

	// test tests the networks on points with the chosen jitter.
	function test() {
		points = micro.points(value("jitter"));
		for (const {figure, canvas, gamma, network} of panels) {
			const nll = network.nll(value("jitter"), value("draws")).toFixed(2);
			figure.querySelector("figcaption").innerHTML = `<b>γ = ${gamma}</b> <span>NLL ${nll} nats</span>`;
			canvas.ariaLabel = `answers with γ = ${gamma} over the plane`;
		}
	}

	// frame adds a draw, and forgets the oldest.
	function frame() {
		const draws = value("draws");
		for (const panel of panels) {
			if (still && panel.drawn.length >= draws) continue;
			panel.drawn = [panel.network.draw(), ...panel.drawn].slice(0, draws);
			paint(panel);
		}
		setTimeout(() => requestAnimationFrame(frame), 200);
	}

	// paint mixes the colours of the classes by their probabilities, a byte each, and draws the points over them.
	function paint({canvas, drawn}) {
		const cells = Math.sqrt(drawn[0].length / 3), small = new ImageData(cells, cells), context = canvas.getContext("2d");
		for (let i = 0; i < small.data.length; i++) {
			const shares = colours.map((_, label) => drawn.reduce((sum, one) => sum + one[3 * (i >> 2) + label], 0) / drawn.length / 255);
			small.data[i] = i % 4 === 3 ? 190 : colours.reduce((sum, colour, label) => sum + shares[label] * colour[i % 4], 0);
		}
		const plane = new OffscreenCanvas(cells, cells);
		plane.getContext("2d").putImageData(small, 0, 0);
		context.clearRect(0, 0, side, side);
		context.drawImage(plane, 0, 0, side, side);
		context.strokeStyle = "#fff";
		for (let i = 0; i < points.length; i += 3) {
			context.fillStyle = `rgb(${colours[points[i + 2]]})`;
			context.beginPath();
			context.arc(points[i] * side, points[i + 1] * side, 3, 0, 7);
			context.fill();
			context.stroke();
		}
	}

	async function start() {
		await runProgram(folder + "micro.wasm.gz");
		[0, value("gamma")].forEach(newPanel);
		for (const dial of dials) {
			dial.oninput = () => {
				dial.previousElementSibling.value = dial.value;
				clearTimeout(later);
				later = setTimeout(() => {
					if (panels[1].gamma !== value("gamma")) train(panels[1], value("gamma"));
					test();
				}, 100);
			};
			dial.previousElementSibling.value = dial.value;
		}
		test();
		frame();
		hint.textContent = "";
	}
	start().catch(problem => hint.textContent = unmet(problem));
}
