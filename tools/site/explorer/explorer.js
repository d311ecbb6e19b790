// Shows what main.go makes of an image. After a mistake of the reader, the image before stays.
"use strict";
const element = name => document.getElementById(name);
const shipped = {"map": "MAP", "gamma-0": "γ = 0", "gamma-16": "γ = 16"}, names = Object.values(shipped);
let file, clean, asked, networks; // the reader's file, the image that is corrupted, the result, and the networks

function show(canvas, picture) {
	if (picture.error) return complain(new Error(picture.error));
	[canvas.width, canvas.height] = [picture.width, picture.height];
	canvas.getContext("2d").putImageData(new ImageData(picture.rgba, picture.width), 0, 0);
}

function corrupt() {
	const name = element("name").value, severity = Number(element("severity").value), start = performance.now();
	element("level").textContent = severity;
	const picture = workbench.corrupt(clean.rgba, clean.width, name, severity);
	show(element("corrupted"), picture);
	element("took").textContent = `${name}, severity ${severity}: ${Math.round(performance.now() - start)} ms`;
	element("hint").textContent = "";
	ask(picture);
}

// ask shows what the networks say about a picture of the size that they learned, one after the other, until another
// picture is there.
async function ask(picture) {
	asked = picture;
	element("answers").hidden = Math.max(picture.width, picture.height) > 32;
	if (element("answers").hidden) element("took").textContent += "; the networks answer about images of at most 32 pixels";
	for (const column of element("answers").hidden ? [] : names.keys()) {
		await new Promise(done => setTimeout(done)); // the page shows what it has
		if (asked !== picture) return;
		networks[column](picture.rgba, picture.width).forEach((share, label) => {
			const cell = element("answers").rows[label + 1].cells[column + 1];
			cell.innerHTML = `<meter value="${share}" aria-label="${workbench.classes.split(",")[label]}, ${names[column]}"></meter> ${Math.round(100 * share)} %`;
		});
	}
}

// take makes a picture the clean one. A drawn one has a class, which is marked, and its own size; a reader's has neither.
function take(picture, label = -1) {
	clean = picture;
	element("side").disabled = label >= 0;
	element("drawn").value = label;
	[...element("answers").rows].forEach((row, i) => row.classList.toggle("true", i === label + 1 && label >= 0));
	show(element("clean"), clean);
	corrupt();
}

// open looks at the header of the reader's file, and lets the browser decode and shrink the picture.
async function open() {
	file = element("file").files[0] ?? file;
	if (!file) return;
	const {error} = workbench.check(new Uint8Array(await file.slice(0, 1e6).arrayBuffer()));
	if (error) throw new Error(error);
	const bitmap = await createImageBitmap(file), scale = Math.min(1, element("side").value / Math.max(bitmap.width, bitmap.height));
	const [width, height] = [bitmap.width, bitmap.height].map(length => Math.max(1, Math.round(length * scale)));
	const context = new OffscreenCanvas(width, height).getContext("2d");
	context.imageSmoothingQuality = "high";
	context.drawImage(bitmap, 0, 0, width, height);
	take({width, height, rgba: context.getImageData(0, 0, width, height).data});
}

async function start() {
	await runProgram("explorer.wasm.gz");
	networks = await Promise.all(Object.keys(shipped).map(async file => {
		const weights = await fetch(`${file}.safetensors`);
		return workbench.network(new Uint8Array(await weights.arrayBuffer()));
	}));
	element("answers").innerHTML = "<tr><th>" + names.map(name => `<th>${name}`).join("");
	workbench.classes.split(",").forEach((name, label) => {
		element("drawn").add(new Option(name, label));
		element("answers").insertRow().innerHTML = `<th>${name}` + "<td>".repeat(names.length);
	});
	workbench.names.split(",").forEach(name => element("name").add(new Option(name)));
	element("name").value = "snow";
	const draw = element("drawn").onchange = () => {
		const label = Number(element("drawn").value);
		take(workbench.draw(label), label);
	};
	element("file").onchange = element("side").onchange = () => open().catch(complain);
	element("name").onchange = element("severity").oninput = corrupt;
	element("drawn").value = "7"; // the image of the first page
	draw();
}

const complain = problem => element("hint").textContent = problem.message;
element("hint").textContent = "Loading …";
start().catch(problem => complain(new Error(unmet(problem))));
