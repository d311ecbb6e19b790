// runProgram runs a page's program, which is compressed: not every server does that.
async function runProgram(address) {
	const go = new Go(), packed = await fetch(address);
	const program = new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), {headers: {"Content-Type": "application/wasm"}});
	go.run((await WebAssembly.instantiateStreaming(program, go.importObject)).instance);
}

// unmet says what a page needs that didn't start.
function unmet(problem) {
	const needs = location.protocol === "file:" ? "a server, such as python3 -m http.server in this folder's parent" : "a browser of 2023 or newer";
	return `This needs ${needs}: ${problem.message}`;
}

