// A model to edit, a button, and the page of its run beside it. The run is shown by the viewer of reports, in a frame of its own.
import { button, element } from '../../viewer/src/dom.js';

const root = document.documentElement;
const packed = JSON.parse(document.getElementById('data').textContent);
const first = 'double_pendulum.yaml';

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}
const asText = (buffer) => new TextDecoder().decode(buffer);

class Playground {
  constructor(files, wasm, worker) {
    Object.assign(this, { files, wasm, script: URL.createObjectURL(new Blob([worker], { type: 'text/javascript' })) });
    this.layout();
    this.startWorker();
    const asked = new URLSearchParams(location.hash.slice(1)).get('case') || '';
    this.choose(files[asked + '.yaml'] ? asked + '.yaml' : first);
  }

  layout() {
    const names = Object.keys(this.files).filter((name) => !name.includes('/'));
    this.list = element('select', { id: 'case', 'aria-label': 'Model', onchange: () => this.choose(this.list.value) },
      names.map((name) => element('option', { value: name }, name.replace(/\.yaml$/, '').replaceAll('_', ' '))));
    this.runButton = element('button', { type: 'button', id: 'run', class: 'primary', title: 'Run (Ctrl+Enter)', onclick: () => this.run() }, 'Run');
    this.stopButton = element('button', { type: 'button', id: 'stop', hidden: true, onclick: () => this.stop() }, 'Stop');
    this.saveButton = element('button', { type: 'button', id: 'save', hidden: true, title: 'Save the page of this run', onclick: () => this.save() }, 'Save page');
    this.status = element('span', { id: 'status', class: 'soft', role: 'status' });
    this.bar = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Part of the run that is done' });
    this.text = element('textarea', { id: 'model', spellcheck: false, autocapitalize: 'off', 'aria-label': 'Text of the model', wrap: 'off',
      oninput: () => this.edited(), onscroll: () => this.scrolled(), onkeydown: (event) => this.key(event) });
    this.text.setAttribute('autocorrect', 'off');
    this.gutter = element('div', { class: 'gutter', 'aria-hidden': 'true' });
    this.mark = element('div', { class: 'wrong-line', hidden: true });
    this.error = element('button', { type: 'button', id: 'error', hidden: true, onclick: () => this.goToError() });
    const alert = element('div', { role: 'alert' }, this.error);
    this.frame = element('iframe', { id: 'view', title: 'The run' });
    const editor = element('div', { class: 'editor' }, this.gutter, element('div', { class: 'paper' }, this.mark, this.text));
    document.getElementById('app').replaceChildren(
      element('header', {}, element('h1', {}, 'taut'), this.list, this.runButton, this.stopButton, this.bar, this.status, this.saveButton,
        button('theme', 'Light or dark', () => this.theme(root.dataset.theme === 'dark' ? 'light' : 'dark'))),
      element('main', {}, element('section', { class: 'write card', 'aria-label': 'Model' }, editor, alert), element('section', { class: 'see card', 'aria-label': 'Run' }, this.frame)));
  }

  theme(theme) {
    root.dataset.theme = theme;
    this.frame.contentWindow?.taut?.theme(theme);
  }

  startWorker() {
    this.worker = new Worker(this.script);
    this.ready = new Promise((done) => {
      this.worker.onmessage = ({ data }) => (data.ready ? done() : this.told(data));
    });
    this.worker.onerror = (event) => this.told({ broken: event.message });
    this.worker.postMessage({ wasm: this.wasm, files: this.files });
  }

  choose(name) {
    this.file = name;
    this.list.value = name;
    this.text.value = this.files[name];
    this.text.scrollTop = 0;
    this.edited();
    this.run();
  }

  edited() {
    const lines = this.text.value.split('\n').length;
    if (this.lines !== lines) {
      this.lines = lines;
      this.gutter.textContent = Array.from({ length: lines }, (_, k) => k + 1).join('\n');
    }
    this.forgive();
  }
  scrolled() {
    this.gutter.scrollTop = this.text.scrollTop;
    this.place();
  }
  key(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.run();
    }
  }

  async run() {
    if (this.running) this.restart();
    this.running = true;
    this.forgive();
    this.show({ running: true, status: 'Starting' });
    const { worker } = this;
    await this.ready;
    if (worker === this.worker) worker.postMessage({ file: this.file, text: this.text.value });
  }
  restart() {
    this.worker.terminate();
    this.startWorker();
  }
  stop() {
    this.restart();
    this.finished('Stopped');
  }
  show({ running, status }) {
    this.stopButton.hidden = this.bar.hidden = !running;
    this.status.textContent = status;
    if (running) this.bar.value = 0;
  }
  finished(status) {
    this.running = false;
    this.show({ running: false, status });
  }

  told({ progress, answer, broken }) {
    if (progress !== undefined) {
      this.bar.value = progress;
      this.status.textContent = `${Math.floor(100 * progress)} %`;
    } else if (broken !== undefined) {
      this.restart();
      this.finished('Failed');
      this.complain(`The run broke off in the browser (${broken}). It may be too large for it; \`taut run\` has more room.`);
    } else if (answer.error) {
      this.finished('Not run');
      this.complain(answer.error);
    } else {
      this.last = answer;
      this.finished(`${answer.verdict}, ${answer.seconds < 0.1 ? answer.seconds.toFixed(3) : answer.seconds.toFixed(1)} s`);
      this.saveButton.hidden = false;
      this.frame.onload = () => this.frame.contentWindow?.taut?.theme(root.dataset.theme);
      this.frame.srcdoc = answer.page;
    }
  }

  // A mistake: its line is marked, and gone to.
  complain(message) {
    const found = message.match(/^([^:\n]+):(\d+): /);
    this.wrong = found && found[1] === this.file ? Number(found[2]) : 0;
    this.error.textContent = this.wrong ? `Line ${this.wrong}: ${message.slice(found[0].length)}` : message;
    this.error.hidden = false;
    this.goToError();
  }
  forgive() {
    this.wrong = 0;
    this.error.hidden = this.mark.hidden = true;
  }
  get lineHeight() {
    return parseFloat(getComputedStyle(this.text).lineHeight);
  }
  goToError() {
    if (!this.wrong) return;
    const from = this.text.value.split('\n').slice(0, this.wrong - 1).join('\n').length + (this.wrong > 1 ? 1 : 0);
    this.text.setSelectionRange(from, from);
    this.text.scrollTop = Math.max(0, (this.wrong - 6) * this.lineHeight);
    this.text.focus({ preventScroll: true });
    this.place();
  }
  place() {
    this.mark.hidden = !this.wrong;
    this.mark.style.top = `${parseFloat(getComputedStyle(this.text).paddingTop) + (this.wrong - 1) * this.lineHeight - this.text.scrollTop}px`;
  }

  save() {
    const link = element('a', { href: URL.createObjectURL(new Blob([this.last.page], { type: 'text/html' })), download: this.file.replace(/\.yaml$/, '.html') });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
Promise.all([unpacked(packed.files), unpacked(packed.wasm), unpacked(packed.worker)]).then(([files, wasm, worker]) => {
  window.playground = new Playground(JSON.parse(asText(files)), wasm, asText(worker));
});
