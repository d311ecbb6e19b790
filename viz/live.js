// Lets the view of a training go on where a page shows it from a saved notebook. JupyterLab passes on what a cell shows to the
// page alone that started the cell; another page, such as the tab that was opened anew, listens to the kernel here.
(function (view) {
	if (!view) return;
	const element = view.dataset.element, latest = (globalThis.nbbnnViews ??= {});
	const self = (latest[element] = {});
	const replaced = () => latest[element] !== self; // by a newer view: this is the page that started the cell
	setTimeout(() => replaced() || findKernels(), 4000);

	function note(text) {
		const line = document.createElement("div");
		line.className = "nbbnn-note";
		line.textContent = text;
		view.querySelector(".nbbnn-note")?.remove();
		view.append(line);
	}

	async function findKernels() {
		const page = document.getElementById("jupyter-config-data"); // no other page has a kernel to listen to
		if (!page) return;
		const server = new URL(JSON.parse(page.textContent).baseUrl, location.href);
		const answer = await fetch(new URL("api/kernels", server)).catch(() => null);
		const busy = answer?.ok ? (await answer.json()).filter((kernel) => kernel.execution_state === "busy") : [];
		note("As it was when the notebook was saved. Run the cell again: it goes on from there, or shows what there is.");
		busy.forEach((kernel) => listen(new URL(`api/kernels/${kernel.id}/channels?session_id=${Date.now()}`, server)));
	}

	function listen(address) {
		address.protocol = address.protocol.replace("http", "ws");
		const socket = new WebSocket(address);
		let cell = null; // the request that runs the cell of this view
		socket.onmessage = ({ data }) => {
			if (replaced()) return socket.close();
			const { header, content, parent_header: parent } = JSON.parse(data);
			if (content.transient?.display_id === element) {
				cell = parent.msg_id;
				show(content.data["text/html"]);
			} else if (parent.msg_id === cell && content.data?.["image/png"]) {
				addPicture(content.data["image/png"], content.metadata?.["image/png"]?.width);
			} else if (parent.msg_id === cell && header.msg_type === "status" && content.execution_state === "idle") {
				note("The cell has ended. Run it again to keep what it shows here: it only reads what is on the disk.");
				socket.close();
			}
		};
	}

	function show(text) {
		const next = new DOMParser().parseFromString([text].flat().join(""), "text/html").body.firstElementChild;
		next.querySelector("script")?.remove();
		view.replaceWith(next);
		view = next;
	}

	function addPicture(data, width) {
		const picture = document.createElement("img");
		Object.assign(picture, { src: "data:image/png;base64," + data, width, alt: "figure of the cell" });
		picture.style.display = "block";
		view.append(picture);
	}
})(document.currentScript?.closest(".nbbnn-training"));
