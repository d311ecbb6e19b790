// Connects a control of a panel with its address in the cell's program, and enables it. The page may show the control,
// and GoNB's connection may open, later than the script runs, so it tries again for a minute.
function connect(id, address, tries = 600) {
	const control = document.getElementById(id), link = globalThis.gonb_comm;
	if (!control || !link) {
		if (tries > 0) setTimeout(() => connect(id, address, tries - 1), 100);
		return;
	}
	const value = link.newSyncedVariable(address, control.value);
	control.disabled = false;
	control.closest(".nbbnn-panel")?.querySelector(".nbbnn-panel-note")?.remove();
	control.addEventListener("input", () => {
		if (control.nextElementSibling) control.nextElementSibling.value = control.value;
		value.set(control.value);
	});
}
