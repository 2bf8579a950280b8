// Runs models beside the page, which stays alive meanwhile. The program itself stands before this text: loadTaut.
/* global loadTaut */
let program;

async function start({ wasm, files }) {
  program = await loadTaut({ wasmBinary: wasm, progress: (done) => postMessage({ progress: done }), print() {}, printErr() {} });
  program.FS.mkdir('/cases');
  program.FS.chdir('/cases');
  for (const [name, text] of Object.entries(files)) {
    const parts = name.split('/');
    for (let k = 1; k < parts.length; ++k) {
      const folder = parts.slice(0, k).join('/');
      if (!program.FS.analyzePath(folder).exists) program.FS.mkdir(folder);
    }
    program.FS.writeFile(name, text);
  }
  postMessage({ ready: true });
}

onmessage = async ({ data }) => {
  try {
    if (data.wasm) {
      await start(data);
      return;
    }
    program.FS.writeFile(data.file, data.text);
    const began = performance.now();
    const answer = JSON.parse(program.ccall('taut_run', 'string', ['string'], [data.file]));
    answer.seconds = (performance.now() - began) / 1000;
    if (!answer.error) answer.page = program.ccall('taut_page', 'string', [], []);
    postMessage({ answer });
  } catch (error) {
    postMessage({ broken: String(error?.message || error) });
  }
};
