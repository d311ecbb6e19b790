// Moves a panel that was drawn beforehand, without a kernel: shows the picture of the controls' values in the place of the
// one that the cell has shown. A page that runs no scripts of notebooks keeps that one.
(async function (panel) {
	const picture = panel?.closest(".jp-OutputArea, .outputs")?.querySelector("img");
	if (!picture) return;
	const packed = Uint8Array.from(atob(panel.dataset.frames), (letter) => letter.charCodeAt(0));
	const frames = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
	const controls = [...panel.querySelectorAll("input, select")];
	panel.querySelector(".nbbnn-panel-note").textContent = "drawn beforehand; run the cell for all values";
	for (const control of controls) {
		control.disabled = false;
		control.addEventListener("input", () => {
			if (control.nextElementSibling) control.nextElementSibling.value = control.value;
			picture.src = "data:image/svg+xml," + encodeURIComponent(frames[controls.map(({ value }) => value).join(" ")]);
		});
	}
})(document.currentScript?.closest(".nbbnn-panel"));
