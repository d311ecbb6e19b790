// Lets the view of a training go on where a page shows it from a saved notebook. JupyterLab passes on what a cell shows to the
// page alone that started the cell; another page, such as the tab that was opened anew, listens to the kernel here.
(function (view) {
	if (!view) return;
	const element = view.dataset.element, latest = (globalThis.nbbnnViews ??= {});
	const host = view.parentElement, live = latest[element]?.host === host; // an earlier view stood here: this page started the cell
	const self = (latest[element] = { host });
	const over = () => latest[element] !== self || !view.isConnected; // there is a newer view, or none
	let cell, source; // the request that runs the cell of this view, and the socket that brings what it shows
	const prompt = () => view.closest(".jp-Cell")?.querySelector(".jp-InputPrompt")?.textContent; // "[*]:" where this page runs the cell
	const runsHere = () => live || prompt()?.includes("*");
	if (!runsHere()) setTimeout(() => over() || runsHere() || findKernels(), prompt() === undefined ? 30_000 : 1000);

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
		socket.onmessage = ({ data }) => {
			if (over() || (source && source !== socket)) return socket.close();
			const { header, content, parent_header: parent } = JSON.parse(data);
			if (content.transient?.display_id === element) {
				[cell, source] = [parent.msg_id, socket];
				show(content.data["text/html"]);
			} else if (cell && parent.msg_id === cell && content.data?.["image/png"]) {
				addPicture(content.data["image/png"], content.metadata?.["image/png"]?.width);
			} else if (parent.msg_type === "execute_request" && header.msg_type === "status" && content.execution_state === "idle") {
				if (parent.msg_id === cell) note("The cell has ended. Run it again to keep what it shows here: it only reads what is on the disk.");
				if (!cell || parent.msg_id === cell) socket.close(); // what the kernel was busy with is over
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
