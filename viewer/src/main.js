// The page: the motion with its time line, plots, words; one clock for all.
import { Run, shown } from './data.js';
import { runColours } from './colours.js';
import { Stage } from './stage.js';
import { Board } from './plots.js';
import { aboutPanel, certificatePanel, chip, modelPanel, summaryOf } from './panels.js';
import { button, element, icon, menu } from './dom.js';
import { showStudy } from './study.js';
import { showSweep } from './sweep.js';

const root = document.documentElement;

function chooseTheme(theme) {
  root.dataset.theme = theme;
}
const wanted = new URLSearchParams(location.hash.slice(1));
const darkMode = matchMedia('(prefers-color-scheme: dark)');
chooseTheme(wanted.get('theme') || (darkMode.matches ? 'dark' : 'light'));

const speedsAround = (base) => [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16].map((factor) => factor * base);

class Page {
  constructor(data, app) {
    this.setRuns(data);
    this.t = this.start;
    this.playing = false;
    // Real time where it suits, otherwise about ten seconds for all of it.
    const base = this.length >= 2 && this.length <= 40 ? 1 : Number((this.length / 10 || 1).toPrecision(1));
    this.speeds = speedsAround(base);
    this.speed = 4;
    this.moving = this.runs.some((run) => run.frames > 1);
    this.layout(app);
  }

  setRuns(data) {
    this.runs = data.runs.map((one, k) => new Run(one, k));
    const [main] = this.runs;
    this.sign = main.sign;
    this.start = main.start;
    this.end = this.runs.reduce((last, run) => (this.sign * (run.end - last) > 0 ? run.end : last), main.end);
    this.length = Math.abs(this.end - this.start);
  }

  layout(app) {
    const [main] = this.runs;
    document.title = main.name || 'taut';
    this.canvas = element('canvas', { class: 'gl', 'aria-hidden': 'true' });
    this.overlay = element('canvas', { class: 'overlay', tabIndex: 0, role: 'img', 'aria-label': this.describe() });
    const stageBox = element('div', { class: 'stage' }, this.canvas, this.overlay);
    this.board = new Board(this.runs, (t) => this.seek(t, true));
    this.stage = new Stage(this.runs, { canvas: this.canvas, overlay: this.overlay, noWebgl: wanted.has('nowebgl') });
    const figure = element('section', { class: 'figure card', 'aria-label': 'Motion' }, this.stageTools(), stageBox, this.timeline());
    this.words = element('div', { class: 'words' });
    this.say();
    app.replaceChildren(this.header(), element('main', { class: this.moving ? '' : 'no-motion' }, this.moving ? figure : null, this.board.node, this.words));
    this.board.build();
    const resized = () => {
      this.stage.resize();
      this.board.resize();
      this.drawEvents();
    };
    new ResizeObserver(resized).observe(this.moving ? stageBox : this.board.node);
    addEventListener('resize', resized);
    document.addEventListener('keydown', (event) => app.isConnected && this.key(event));
    darkMode.addEventListener('change', () => this.theme(darkMode.matches ? 'dark' : 'light'));
    this.stage.resize();
    this.seek(wanted.has('t') ? Number(wanted.get('t')) : this.start, true);
    for (const option of ['reactions', 'strobe', 'labels']) if (wanted.has(option)) this.toggle(option, wanted.get(option) !== '0');
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches || wanted.has('pause') || wanted.has('t');
    if (this.moving && !still) this.play(true);
    const tick = (now) => {
      if (!app.isConnected) return;
      this.frame(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // What is said in words, and the verdict at the top.
  say() {
    const open = [...this.words.querySelectorAll('details')].map((one) => one.open);
    this.words.replaceChildren(...this.runs.map((run) => certificatePanel(run)), modelPanel(this.runs[0]), aboutPanel(this.runs, this.remarks()));
    this.words.querySelectorAll('details').forEach((one, k) => (one.open = open[k] ?? one.open));
  }

  // A run that goes on: more records of it.
  update(data) {
    const following = this.sign * (this.t - this.end) >= -1e-9 * this.length;
    this.setRuns(data);
    const { stage, board } = this;
    Object.assign(stage, { runs: this.runs, buffers: this.runs.map(() => null), floor_: null, dirty: true });
    if (!stage.touched) stage.fit();
    board.runs = this.runs;
    board.build();
    this.say();
    document.querySelector('.head-tools .chip').replaceWith(chip(this.runs[0]));
    document.querySelector('header .title p').textContent = summaryOf(this.runs[0]);
    this.drawEvents();
    this.seek(following ? this.end : this.t, true);
  }

  remarks() {
    const out = [];
    if (this.stage.space && !this.stage.webgl) out.push('This browser has no WebGL: the motion is drawn without it.');
    if (!this.moving) out.push('The model has no places in space to draw: only its coordinates are shown.');
    return out;
  }

  describe() {
    const { scene } = this.runs[0], count = (kind) => scene.places.filter((place) => place.kind === kind).length;
    const parts = [[count('mass'), 'masses'], [scene.links.length, 'links'], [scene.curves.length, 'curves'], [scene.solids.length, 'bodies']];
    return 'Motion of ' + (parts.filter(([n]) => n).map(([n, word]) => `${n} ${word}`).join(', ') || 'nothing') + '. Drag to move the view; arrow keys step through time.';
  }

  header() {
    const [main] = this.runs;
    return element('header', {}, element('div', { class: 'title' }, element('h1', {}, main.name || main.data.file),
      element('p', { class: 'soft' }, this.runs.length > 1 ? this.runsLine() : summaryOf(main))),
    element('div', { class: 'head-tools' }, chip(main), button('theme', 'Light or dark', () => this.theme(root.dataset.theme === 'dark' ? 'light' : 'dark'))));
  }

  runsLine() {
    return this.runs.map((run) => {
      const swatch = element('span', { class: 'swatch', 'data-run': run.number });
      return element('label', { class: 'run-key' }, element('input', { type: 'checkbox', checked: true, onchange: (event) => {
        const { hidden } = this.stage.options;
        if (event.target.checked) hidden.delete(run.number);
        else hidden.add(run.number);
        this.stage.dirty = true;
      } }), swatch, `${run.number + 1} ${run.data.integrator}`, element('span', { class: 'soft' }, run.data.file));
    });
  }
  paintRuns() {
    document.querySelectorAll('[data-run]').forEach((node) => {
      node.style.background = runColours[root.dataset.theme === 'dark' ? 'dark' : 'light'][node.dataset.run % 5];
    });
  }

  theme(theme) {
    chooseTheme(theme);
    this.stage.dirty = true;
    this.board.build();
    this.paintRuns();
    this.drawEvents();
  }

  stageTools() {
    const { stage } = this, main = this.runs[0];
    this.toggles = {};
    const toggle = (option, label, key) => {
      this.toggles[option] = element('button', { type: 'button', class: 'toggle', 'aria-pressed': String(!!stage.options[option]), title: `${label} (${key})`,
        onclick: () => this.toggle(option, !stage.options[option]) }, label);
      return this.toggles[option];
    };
    const places = main.scene.places.map((place, p) => [place, p]).filter(([place]) => place.name && place.kind !== 'between');
    const shownPlaces = places.filter(([place]) => place.kind !== 'node').concat(places.filter(([place]) => place.kind === 'node')).slice(0, 300);
    const follow = element('select', { 'aria-label': 'Follow a place', title: 'Follow', onchange: (event) => {
      stage.set('follow', Number(event.target.value));
      if (Number(event.target.value) < 0) stage.fit();
    } }, element('option', { value: -1 }, 'Follow nothing'), shownPlaces.map(([place, p]) => element('option', { value: p }, place.name)));
    const traces = element('div', { class: 'choices' }, shownPlaces.map(([place, p]) => element('label', { class: 'choice' },
      element('input', { type: 'checkbox', checked: stage.options.traces.has(p), 'data-trace': p, onchange: (event) => {
        if (event.target.checked) stage.options.traces.add(p);
        else stage.options.traces.delete(p);
        stage.dirty = true;
      } }), element('span', {}, place.name))));
    this.traceMenu = traces;
    const tools = element('div', { class: 'stage-tools', role: 'toolbar', 'aria-label': 'View' },
      button('fit', 'Fit (F)', () => stage.fit()), shownPlaces.length ? menu('Traces', traces) : null,
      main.lambda ? toggle('reactions', 'Reactions', 'R') : null, toggle('strobe', 'Strobe', 'S'), toggle('labels', 'Names', 'L'), follow);
    if (stage.space) {
      const look = (label, azimuth, elevation) => element('button', { type: 'button', class: 'quiet', title: 'Look along ' + label, onclick: () => {
        Object.assign(stage.view, { azimuth, elevation });
        stage.fit();
      } }, label);
      tools.append(element('span', { class: 'group', role: 'group', 'aria-label': 'Look along' }, look('x', 0, 0), look('y', -Math.PI / 2, 0), look('z', -Math.PI / 2, 1.55)));
    }
    return tools;
  }
  toggle(option, value) {
    this.stage.set(option, value);
    this.toggles[option]?.setAttribute('aria-pressed', String(value));
  }

  timeline() {
    this.playButton = button('play', 'Play (Space)', () => this.play(!this.playing), { class: 'play', id: 'play' });
    this.slider = element('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, id: 'time', 'aria-label': 'Time', oninput: () => {
      const t = this.start + this.sign * this.length * Number(this.slider.value);
      this.play(false);
      this.seek(t, true);
    } });
    this.clock = element('output', { class: 'clock', id: 'clock', 'aria-live': 'off' });
    this.marks = element('div', { class: 'marks' });
    this.speedSelect = element('select', { 'aria-label': 'Speed', title: 'Speed', onchange: () => (this.speed = Number(this.speedSelect.value)) },
      this.speeds.map((speed, k) => element('option', { value: k, selected: k === this.speed }, `\u00d7${shown(speed, 2)}`)));
    this.happening = element('span', { class: 'soft happening', 'aria-live': 'polite' });
    return element('div', { class: 'timeline' }, this.playButton,
      button('back', 'One record back (Left)', () => this.step(-1)), button('forward', 'One record on (Right)', () => this.step(1)),
      element('div', { class: 'track' }, this.marks, this.slider), this.clock, this.speedSelect, this.happening);
  }

  drawEvents() {
    const all = this.runs.flatMap((run) => run.events), most = 400;
    const stride = Math.max(1, Math.ceil(all.length / most));
    this.marks.replaceChildren(...all.filter((_, k) => k % stride === 0).map((one) => {
      const part = (this.sign * (one.t - this.start)) / (this.length || 1);
      const mark = element('button', { type: 'button', class: 'mark', title: `${one.name}, t = ${shown(one.t, 6)}`, 'aria-label': `Event ${one.name} at ${shown(one.t, 6)}`,
        tabIndex: all.length > 30 ? -1 : 0, onclick: () => this.seek(one.t, true) });
      mark.style.left = `calc(8px + ${part} * (100% - 16px))`;
      return mark;
    }));
  }

  play(on) {
    if (on && this.sign * (this.t - this.end) >= -1e-12 * this.length) this.seek(this.start);
    this.playing = on;
    this.playButton.replaceChildren(icon(on ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', on ? 'Pause (Space)' : 'Play (Space)');
    this.last = undefined;
    if (!on) this.seek(this.t, true); // what stands still is a record
  }

  step(count) {
    this.play(false);
    const run = this.runs[0];
    if (!run.frames) return;
    const frame = Math.min(run.frames - 1, Math.max(0, run.nearestFrame(this.t) + count));
    this.seek(run.t[frame]);
  }

  // `settle`: to the nearest record.
  seek(t, settle = false) {
    const run = this.runs[0];
    let to = this.sign * (t - this.start) < 0 ? this.start : this.sign * (t - this.end) > 0 ? this.end : t;
    if (settle && run.frames && this.sign * (to - run.end) <= 0) to = run.t[run.nearestFrame(to)];
    this.t = to;
    this.stage.seek(to);
    this.slider.value = this.length ? Math.abs(to - this.start) / this.length : 0;
    this.clock.textContent = 't = ' + to.toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(this.length || 1)))));
    this.slider.setAttribute('aria-valuetext', this.clock.textContent);
    this.board.show(to);
    this.tellEvents(to);
  }

  tellEvents(t) {
    const near = this.runs[0].events.filter((one) => Math.abs(one.t - t) <= 0.012 * this.length);
    const text = near.length ? near.slice(0, 3).map((one) => one.name).join(', ') : '';
    if (this.happening.textContent !== text) this.happening.textContent = text;
  }

  frame(now) {
    if (this.playing) {
      if (this.last !== undefined) {
        const t = this.t + this.sign * Math.min(0.1, (now - this.last) / 1000) * this.speeds[this.speed];
        if (this.sign * (t - this.end) >= 0) {
          this.seek(this.end);
          this.play(false);
        } else {
          this.seek(t);
        }
      }
      this.last = now;
    }
    if (this.moving) this.stage.draw();
  }

  key(event) {
    const on = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (on.matches('input[type=search], select, textarea')) return;
    if (event.key === ' ' && on.matches('button, summary, input')) return;
    const slider = on === this.slider;
    const { options } = this.stage;
    const actions = {
      ' ': () => this.play(!this.playing), ArrowLeft: () => this.step(event.shiftKey ? -10 : -1), ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.seek(this.start), End: () => this.seek(this.end), '[': () => this.faster(-1), ']': () => this.faster(1),
      '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8), f: () => this.stage.fit(),
      r: () => this.toggles.reactions && this.toggle('reactions', !options.reactions), s: () => this.toggle('strobe', !options.strobe),
      l: () => this.toggle('labels', !options.labels), t: () => this.allTraces(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || !this.moving) return;
    if (slider && !['ArrowLeft', 'ArrowRight', ' '].includes(event.key) && event.key.length > 1) return;
    event.preventDefault();
    action();
  }
  zoom(factor) {
    this.stage.view.zoom(factor);
    this.stage.moved();
  }
  faster(step) {
    this.speed = Math.min(this.speeds.length - 1, Math.max(0, this.speed + step));
    this.speedSelect.value = this.speed;
  }
  allTraces() {
    const { traces } = this.stage.options, boxes = this.traceMenu.querySelectorAll('input');
    const on = traces.size === 0;
    traces.clear();
    boxes.forEach((box, k) => {
      box.checked = on && k < 12;
      if (box.checked) traces.add(Number(box.dataset.trace));
    });
    this.stage.dirty = true;
  }
}

// Asks for more as long as the run goes on.
async function watch(page, data) {
  let now = data;
  page.play(false);
  page.seek(page.end, true);
  while (now.runs[0].verdict === 'running') {
    await new Promise((done) => setTimeout(done, 1000));
    try {
      const answer = await fetch(data.live, { cache: 'no-store' });
      if (!answer.ok) continue;
      now = await answer.json();
    } catch {
      break; // the program has gone; what is here stays
    }
    if (!page.moving && now.runs[0].motion?.frames > 1) location.reload(); // now there is something to draw
    else page.update(now);
  }
}

// For pictures and films the program opens the page with #film=COUNT: the motion alone, as that many pictures in the text of the page.
function film(page) {
  const count = Number(wanted.get('film')), stage = document.querySelector('.stage');
  const size = [Number(wanted.get('width')) || 1280, Number(wanted.get('height')) || 800];
  document.body.replaceChildren(stage);
  Object.assign(stage.style, { width: size[0] + 'px', height: size[1] + 'px', maxHeight: 'none', minHeight: '0' });
  page.stage.resize();
  page.stage.fit();
  const canvas = element('canvas', { width: page.overlay.width, height: page.overlay.height }), context = canvas.getContext('2d');
  const ratio = canvas.width / size[0], pictures = [];
  for (let k = 0; k < count; ++k) {
    const at = wanted.has('at') ? Number(wanted.get('at')) : page.start + ((page.end - page.start) * k) / Math.max(1, count - 1);
    page.seek(at, count === 1);
    page.stage.dirty = true;
    page.stage.draw();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = getComputedStyle(stage).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (page.stage.webgl) context.drawImage(page.canvas, 0, 0, canvas.width, canvas.height);
    context.drawImage(page.overlay, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = page.stage.colours().soft;
    context.font = '14px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'alphabetic';
    context.fillText(page.clock.textContent, size[0] - 16, size[1] - 14);
    pictures.push(canvas.toDataURL('image/png'));
  }
  document.body.append(element('pre', { id: 'film' }, pictures.join('\n')));
}

const data = JSON.parse(document.getElementById('data').textContent), app = document.getElementById('app');
if (data.study) {
  const top = element('div'), below = element('div', { class: 'below' });
  let page;
  showStudy(data, top, (theme) => (page ? page.theme(theme) : chooseTheme(theme)));
  app.replaceChildren(top, below);
  if (data.runs) {
    page = new Page(data, below);
    page.paintRuns();
    document.title = data.study.title;
    window.taut = page;
  }
} else if (data.sweep) {
  const below = element('div', { class: 'below wide' });
  let page;
  // The motion of a run that was clicked; the one before stops when its place is gone.
  const show = (k) => {
    page = undefined;
    below.replaceChildren();
    if (k < 0) return;
    const place = element('div'), { title } = document;
    below.append(place);
    page = new Page({ ...data, runs: [data.runs[k]] }, place);
    page.paintRuns();
    document.title = title;
    below.scrollIntoView({ behavior: 'smooth' });
  };
  showSweep(data, app, (theme) => (page ? page.theme(theme) : chooseTheme(theme)), below, show);
} else {
  const page = new Page(data, app);
  page.paintRuns();
  window.taut = page;
  if (data.live && location.protocol === 'http:') watch(page, data);
  if (wanted.has('film') && page.moving) film(page);
}
