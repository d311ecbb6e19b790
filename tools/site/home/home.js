// Shows what networks say about the images of deck.js, which home.go writes: first one image under more and more snow,
// then images to guess.
"use strict";
{
	const root = document.querySelector(".door"), part = name => root.querySelector(name);
	const noise = ["ordinary", "noise", "more noise"], sure = 0.8, pause = 1200; // a confidence, and milliseconds of a scene
	const {classes, networks, first, rounds, level} = deck;
	let network = 0, severity = level, round = -1, guess, timer; // round -1 is the first image
	let ahead = 0, tally; // the next round
	const best = shares => shares.indexOf(Math.max(...shares)), percent = share => `${Math.round(100 * share)}\u00a0%`;
	const says = (shares, truth) => `${best(shares) === truth ? "✓" : "✗"} ${classes[best(shares)]}, ${percent(shares[best(shares)])} sure`;
	const scene = () => round < 0 ? first[severity] : rounds[round], hidden = () => round >= 0 && guess === undefined;

	// draw shows the image, and the answer of the chosen network or the classes to choose from.
	function draw() {
		const {image, truth, answers} = scene(), shares = answers[network], said = best(shares), right = said === truth;
		part("img").src = "home/" + image;
		part("img").alt = hidden() ? "an image to guess" : `${classes[truth]}, ${round < 0 ? `snow ${severity}` : "in snow"}`;
		part(".snow").hidden = round >= 0;
		part(".snow input").value = part(".snow output").value = severity;
		[...part(".networks").children].forEach((button, i) => button.ariaPressed = i === network);
		part(".verdict").ariaLive = timer ? "off" : "polite";
		part(".verdict").className = "verdict" + (hidden() ? "" : right ? " right" : " wrong");
		part(".verdict").textContent = hidden() ? `What is it? Snow, ${level} of 5` : says(shares, truth);
		root.classList.toggle("guessing", hidden());
		[...part("table").rows].forEach((row, label) => {
			row.className = hidden() ? "" : [label === truth ? "true" : "", label === said ? right ? "right" : "wrong" : "", label === guess ? "mine" : ""].join(" ");
			row.querySelector("i").style.width = hidden() ? 0 : `${100 * shares[label]}%`;
			row.cells[2].textContent = !hidden() && (label === said || label === truth) ? percent(shares[label]) : "";
			const button = row.querySelector("button");
			button.disabled = !hidden();
			button.title = label === guess ? "your guess" : "";
		});
		part(".next").textContent = round < 0 ? "Guess the next" : ahead < rounds.length ? "Next image" : "Guess again";
		part(".next").disabled = hidden();
		part(".play").textContent = timer ? "Pause" : "Play";
		const asked = ahead - hidden();
		part(".score").innerHTML = tally ? networks.map((name, i) => `<div>${guess === undefined ? "\u00a0" : `${name}: ${says(answers[i], truth)}`}</div>`).concat(tally.map(({name, right, sure, wrong}, i) => `<span>${asked ? `${name}: <b>${right}</b>${i ? ` right, sure of ${sure}, ${wrong} of them wrong` : ` of ${asked} right`}` : "\u00a0"}</span>`)).join("") : "";
	}

	function choose(label) {
		guess = label;
		const {truth, answers} = scene();
		[[], ...answers].forEach((shares, i) => {
			const right = (i ? best(shares) : label) === truth;
			tally[i].right += right;
			tally[i].sure += Math.max(...shares) >= sure;
			tally[i].wrong += !right && Math.max(...shares) >= sure;
		});
		queueMicrotask(() => part(".next").focus({preventScroll: true}));
	}

	// play lets the snow get denser, and then shows one network after the other.
	function play() {
		const scenes = [0, 1, 2, 3, 4].map(level => [level, 0]).concat([[4, 0], [4, 1], [4, 1], [4, 2]]);
		const step = () => {
			[severity, network] = scenes.shift();
			timer = scenes.length && setTimeout(step, network || severity === 4 ? pause : pause / 2);
			draw();
		};
		ahead -= hidden(); // the round goes on afterwards
		[round, guess] = [-1, undefined];
		step();
	}

	function stop() {
		clearTimeout(timer);
		timer = 0;
	}

	// on stops the play and does what a control is for.
	const on = (element, event, act) => element.addEventListener(event, () => {
		stop();
		act();
		draw();
	});
	networks.forEach((name, i) => {
		const button = document.createElement("button");
		button.innerHTML = `${name}<small>${noise[i]}</small>`;
		part(".networks").append(button);
		on(button, "click", () => network = i);
	});
	classes.forEach((name, label) => {
		const row = part("table").insertRow();
		row.innerHTML = `<th scope="row"><button type="button">${name}</button></th><td><i></i></td><td></td>`;
		on(row.querySelector("button"), "click", () => choose(label));
	});
	on(part(".snow input"), "input", () => severity = Number(part(".snow input").value));
	on(part(".next"), "click", () => {
		if (ahead === rounds.length || !tally) [ahead, tally] = [0, ["you", ...networks].map(name => ({name, right: 0, sure: 0, wrong: 0}))];
		round = ahead++;
		guess = undefined;
		queueMicrotask(() => part("table button").focus({preventScroll: true}));
	});
	part(".play").onclick = () => timer ? (stop(), draw()) : play();
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) draw();
	else play();
}
