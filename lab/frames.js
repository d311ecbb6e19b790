// Moves a panel that was drawn beforehand, without a kernel: shows the picture of the controls' values in the place of the
// one that the cell has shown below it. A page that runs no scripts of notebooks keeps that one.
(async function (panel) {
	const outputs = panel?.closest(".jp-OutputArea, .outputs");
	if (!outputs) return;
	const packed = Uint8Array.from(atob(panel.dataset.frames), (letter) => letter.charCodeAt(0));
	const frames = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
	const controls = [...panel.querySelectorAll("input, select")];
	panel.querySelector(".nbbnn-panel-note").textContent = "drawn beforehand; run the cell in JupyterLab for all values";
	for (const control of controls) {
		control.disabled = false;
		control.addEventListener("input", () => {
			if (control.nextElementSibling) control.nextElementSibling.value = control.value;
			const frame = frames[controls.map(({ value }) => value).join(" ")], picture = outputs.querySelector("img"), link = picture.closest("a");
			picture.src = "data:image/svg+xml," + encodeURIComponent(frame);
			if (!link) return;
			URL.revokeObjectURL(link.href); // frees the last move's
			link.href = URL.createObjectURL(new Blob([frame], { type: "image/svg+xml" })); // a browser opens no data: address
		});
	}
})(document.currentScript?.closest(".nbbnn-panel"));
