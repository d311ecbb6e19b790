// Connects a control of a panel with its address in the cell's program. The page may show the control, and GoNB's connection
// may open, later than this runs, and a message may be lost: it tells the control's value each second until the program has
// answered. Then the control is enabled.
function connect(id, address) {
	const control = document.getElementById(id);
	if (!control) return setTimeout(connect, 50, id, address);
	const note = control.closest(".nbbnn-panel").querySelector(".nbbnn-panel-note");
	let said = "";
	const tell = () => {
		const link = globalThis.gonb_comm, secure = location.protocol === "https:" ? ", which a page of https refuses to GoNB" : "";
		note.textContent = link ? said : "waits for a connection to the kernel" + secure;
		// GoNB sends this script once it knows the connection, which would close itself if its acknowledgement were lost.
		link?._onopen_ack?.();
		link?.send(address, control.value);
	};
	const asking = setInterval(() => control.isConnected ? tell() : clearInterval(asking), 1000);
	control.addEventListener("answered", () => {
		clearInterval(asking);
		control.disabled = false;
		note.textContent = said = "moves while its cell runs, and run all waits for it: ■ above ends it";
	});
	control.addEventListener("input", () => {
		if (control.nextElementSibling) control.nextElementSibling.value = control.value;
		tell();
	});
	tell();
}
