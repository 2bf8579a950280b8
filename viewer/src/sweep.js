// The page of a sweep: a map over two parameters, the distribution of a number, curves with bands, and any run with the command that makes it.
import { button, copyButton, element } from './dom.js';
import { bytesOf, doubles, floats, shown } from './data.js';
import { scaleOf, svg } from './study.js';

// Dark to light with even steps for the eye; between these colours it is mixed.
const stops = ['#440154', '#46327e', '#365c8d', '#277f8e', '#1fa187', '#4ac16d', '#a0da39', '#fde725'].map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
function shade(part) {
  const at = Math.min(0.999999, Math.max(0, part)) * (stops.length - 1), k = Math.floor(at);
  return stops[k].map((c, i) => Math.round(c + (at - k) * (stops[k + 1][i] - c)));
}

const words = { energy_start: 'energy at the start', energy_deviation: 'largest change of energy', energy_relative: 'change of energy over what moves', energy_drift: 'drift of energy',
  gap: 'gap of constraints', t_end: 'end time' };
const label = (column) => (column.group === 'outputs' || column.group === 'final' ? `${column.name}, at the end` : column.group === 'certificate' ? words[column.name] || column.name.replaceAll('_', ' ') : column.name);

class Sweep {
  constructor(data, app, chooseTheme, below, showMotion) {
    Object.assign(this, { data, chooseTheme, below, showMotion, root: document.documentElement, log: false });
    this.runs = doubles(data.runs);
    this.count = this.runs.length;
    this.parameters = data.parameters.map((one) => ({ name: one.name, values: doubles(one.data) }));
    this.columns = data.columns.map((one) => ({ ...one, values: floats(one.data) })).filter((one) => one.values.some(Number.isFinite));
    this.verdicts = bytesOf(data.verdicts);
    this.varied = this.parameters.map((one, k) => [new Set(one.values).size, k]).filter(([n]) => n > 1).map(([, k]) => k);
    this.x = this.varied[0] ?? 0;
    this.y = this.varied[1] ?? -1;
    const liked = this.columns.findIndex((one) => one.group === 'outputs');
    this.column = Math.max(0, liked);
    this.readSeries();
    this.layout(app);
  }

  readSeries() {
    const { series } = this.data;
    if (!series) return;
    this.t = doubles(series.t);
    this.curves = series.names.map((name, k) => ({ name, all: floats(series.curves[k]), bands: floats(series.bands[k]) }));
    this.curve = 0;
  }

  layout(app) {
    const { data } = this;
    document.title = data.name || data.file;
    const missing = data.total - data.done, bad = data.bad;
    const verdict = missing ? `${missing} runs missing` : bad ? `${bad} went wrong` : 'All runs good';
    const select = (name, options, chosen, change) => element('label', { class: 'pick' }, element('span', { class: 'soft' }, name),
      element('select', { 'aria-label': name, onchange: (event) => { change(Number(event.target.value)); this.draw(); } }, options.map(([value, text]) => element('option', { value, selected: value === chosen }, text))));
    const named = this.parameters.map((one, k) => [k, one.name]);
    this.logBox = element('input', { type: 'checkbox', id: 'log', onchange: () => { this.log = this.logBox.checked; this.draw(); } });
    this.tools = element('div', { class: 'sweep-tools card panel wide' },
      this.columns.length ? select('Show', this.columns.map((one, k) => [k, label(one)]), this.column, (k) => (this.column = k)) : null,
      this.varied.length > 1 ? [select('Across', named, this.x, (k) => (this.x = k)), select('Up', named, this.y, (k) => (this.y = k))] : null,
      element('label', { class: 'pick' }, this.logBox, 'logarithmic'),
      element('label', { class: 'pick' }, element('span', { class: 'soft' }, 'Run'), element('input', { type: 'number', id: 'run', min: 0, max: data.total - 1, 'aria-label': 'Number of a run',
        onchange: (event) => this.pick(this.runs.indexOf(Number(event.target.value))) })));
    this.map = element('section', { class: 'card panel', 'aria-label': 'Map', id: 'map' });
    this.histogram = element('section', { class: 'card panel', 'aria-label': 'Distribution', id: 'histogram' });
    this.lines = this.curves ? element('section', { class: 'card panel', 'aria-label': 'Curves', id: 'curves' }) : null;
    this.chosen = element('section', { class: 'card panel', 'aria-label': 'A run', id: 'chosen', 'aria-live': 'polite' });
    app.replaceChildren(
      element('header', {}, element('div', { class: 'title' }, element('h1', {}, data.name || data.file),
        element('p', { class: 'soft' }, `${data.total} runs that differ in ${this.varied.map((k) => this.parameters[k].name).join(', ') || 'nothing'}; ${data.file}`)),
      element('div', { class: 'head-tools' }, element('span', { class: 'chip ' + (missing || bad ? 'fair' : 'good'), id: 'verdict' }, verdict),
        button('theme', 'Light or dark', () => { this.chooseTheme(this.root.dataset.theme === 'dark' ? 'light' : 'dark'); this.draw(); }))),
      element('main', { class: 'study sweep' }, this.tools, this.columns.length ? [this.map, this.histogram] : null, this.lines, this.chosen, this.below, this.summary(), this.failures(), this.about()));
    this.draw();
    this.pick(-1);
  }

  // Numbers of the chosen column over the runs that are good; others are not numbers.
  get values() {
    const { values } = this.columns[this.column];
    return Array.from(values, (x, k) => (this.verdicts[k] === 1 ? x : NaN));
  }
  transform(x) {
    return this.log ? Math.log10(x) : x;
  }

  draw() {
    if (this.columns.length) {
      const values = this.values, sound = values.filter(Number.isFinite);
      const positive = sound.length > 0 && sound.every((x) => x > 0);
      this.logBox.disabled = !positive;
      if (!positive) this.log = this.logBox.checked = false;
      this.drawMap(values, sound);
      this.drawHistogram(sound);
    }
    if (this.lines) this.drawCurves();
  }

  frame(width, height, x, y, xlabel, ylabel, name) {
    const left = 84, bottom = 54, top = 12, right = 14;
    const across = scaleOf(x.values, x.log, left, width - right, x.pad), up = scaleOf(y.values, y.log, height - bottom, top, y.pad);
    const node = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'study-chart', role: 'img', 'aria-label': name });
    for (const [at, text] of across.ticks) {
      node.append(svg('line', { x1: at, x2: at, y1: top, y2: height - bottom, class: 'grid' }), svg('text', { x: at, y: height - bottom + 20, 'text-anchor': 'middle' }, text));
    }
    for (const [at, text] of up.ticks) {
      node.append(svg('line', { x1: left, x2: width - right, y1: at, y2: at, class: 'grid' }), svg('text', { x: left - 8, y: at + 5, 'text-anchor': 'end' }, text));
    }
    const cut = (text) => (text.length > 60 ? text.slice(0, 59) + '\u2026' : text);
    node.append(svg('text', { x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle' }, cut(xlabel)),
      svg('text', { x: 16, y: (top + height - bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 16 ${(top + height - bottom) / 2})` }, cut(ylabel)));
    return { node, across, up, inner: { left, top, right: width - right, bottom: height - bottom } };
  }
  size() {
    return innerWidth < 600 ? [440, 360] : [760, 470];
  }

  // The place of a pointer on a picture, in its own units.
  place(event, node) {
    const box = node.getBoundingClientRect(), [, , width, height] = node.getAttribute('viewBox').split(' ').map(Number);
    return [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
  }
  nearest(places, node, event) {
    const [px, py] = this.place(event, node);
    let best = -1, least = Infinity;
    places.forEach(([x, y], k) => {
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) [best, least] = [k, d];
    });
    return best;
  }

  drawMap(values, sound) {
    const name = label(this.columns[this.column]), px = this.parameters[this.x], py = this.parameters[this.y];
    const [width, height] = this.size(), finite = (x) => Number.isFinite(this.transform(x));
    if (!py || this.x === this.y) {
      const { node, across, up } = this.frame(width, height, { values: [...px.values] }, { values: sound, log: this.log }, px.name, name, `${name} over ${px.name}`);
      const places = values.map((value, k) => (finite(value) ? [across.place(px.values[k]), up.place(value)] : [NaN, NaN]));
      const dots = places.filter(([x]) => Number.isFinite(x)), stride = Math.ceil(dots.length / 6000);
      node.append(svg('path', { d: dots.filter((_, k) => k % stride === 0).map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join(''), class: 'dots', 'stroke-width': dots.length > 400 ? 3 : 6 }));
      this.ring(node, places);
      this.map.replaceChildren(element('h2', {}, `${name} over ${px.name}`), node);
      return;
    }
    const grid = [px, py].map((one) => [...new Set(one.values)].sort((a, b) => a - b));
    const cells = grid[0].length * grid[1].length, isGrid = cells <= 4 * this.count && Math.min(grid[0].length, grid[1].length) > 1 && cells <= 4e6;
    const { node, across, up, inner } = this.frame(width, height, { values: grid[0], pad: 0.03 }, { values: grid[1], pad: 0.03 }, px.name, py.name, `${name} over ${px.name} and ${py.name}`);
    const low = this.transform(least(sound)), high = this.transform(largest(sound)), part = (x) => (high > low ? (this.transform(x) - low) / (high - low) : 0.5);
    const places = values.map((_, k) => [across.place(px.values[k]), up.place(py.values[k])]);
    const heading = isGrid ? this.tiles(node, inner, across, up, grid, values, part) : this.scatter(node, places, values, part);
    this.ring(node, places);
    this.map.replaceChildren(element('h2', {}, name), node, this.legend(low, high), element('p', { class: 'soft hint' }, heading + ' Grey: not run, or went wrong. Click a run to see how it is made.'));
  }

  // A grid of starts or parameters: one tile for each pair, the mean over the runs that share it.
  tiles(node, { left, right, top, bottom }, across, up, [xs, ys], values, part) {
    const column = new Map(xs.map((x, k) => [x, k])), row = new Map(ys.map((y, k) => [y, k]));
    const sum = new Float64Array(xs.length * ys.length), n = new Int32Array(sum.length), px = this.parameters[this.x].values, py = this.parameters[this.y].values;
    values.forEach((value, k) => {
      if (!Number.isFinite(value)) return;
      const at = row.get(py[k]) * xs.length + column.get(px[k]);
      sum[at] += value;
      n[at] += 1;
    });
    const edges = (all, scale) => all.map((x, k) => [(scale(x) + scale(all[Math.max(0, k - 1)])) / 2, (scale(x) + scale(all[Math.min(all.length - 1, k + 1)])) / 2]);
    // Tiles at the rim reach as far out as in.
    const wide = edges(xs, across.place), high = edges(ys, up.place);
    const mend = (list, all, scale) => { list[0][0] = 2 * scale(all[0]) - list[0][1]; list[list.length - 1][1] = 2 * scale(all[all.length - 1]) - list[list.length - 1][0]; };
    mend(wide, xs, across.place);
    mend(high, ys, up.place);
    const scale = 2, canvas = element('canvas', { width: (right - left) * scale, height: (bottom - top) * scale }), pen = canvas.getContext('2d');
    pen.scale(scale, scale);
    pen.translate(-left, -top);
    for (let j = 0; j < ys.length; ++j)
      for (let i = 0; i < xs.length; ++i) {
        const at = j * xs.length + i;
        pen.fillStyle = n[at] ? `rgb(${shade(part(sum[at] / n[at])).join(' ')})` : '#8a94a0';
        pen.fillRect(wide[i][0], high[j][1], wide[i][1] - wide[i][0] + 0.6, high[j][0] - high[j][1] + 0.6);
      }
    const picture = svg('image', { x: left, y: top, width: right - left, height: bottom - top, href: canvas.toDataURL('image/png') });
    picture.addEventListener('click', (event) => {
      const [cx, cy] = this.place(event, node);
      const i = wide.findIndex(([a, b]) => cx >= a && cx < b), j = high.findIndex(([a, b]) => cy <= a && cy > b);
      this.pick(i < 0 || j < 0 ? -1 : px.findIndex((x, k) => x === xs[i] && py[k] === ys[j]));
    });
    node.append(picture);
    const shared = Math.round(this.count / (xs.length * ys.length));
    return shared > 1 ? `Each tile: the mean of about ${shared} runs.` : 'Each tile is a run.';
  }

  scatter(node, places, values, part) {
    const stride = Math.ceil(values.length / 5000), r = values.length > 800 ? 2.6 : 4.5;
    const group = svg('g');
    places.forEach(([x, y], k) => {
      if (k % stride) return;
      const value = values[k];
      group.append(svg('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r, fill: Number.isFinite(value) ? `rgb(${shade(part(value)).join(' ')})` : '#8a94a0' }));
    });
    node.append(group);
    node.addEventListener('click', (event) => this.pick(this.nearest(places, node, event)));
    return stride > 1 ? `Each dot is a run; every ${stride}th is drawn.` : 'Each dot is a run.';
  }

  legend(low, high) {
    const colours = Array.from({ length: 12 }, (_, k) => `rgb(${shade(k / 11).join(' ')})`).join(', ');
    const strip = element('span', { class: 'strip', 'aria-hidden': 'true' });
    strip.style.background = `linear-gradient(90deg, ${colours})`;
    const back = (x) => shown(this.log ? 10 ** x : x);
    return element('div', { class: 'strip-row' }, back(low), strip, back(high));
  }

  // The chosen run on the map.
  ring(node, places) {
    this.ringPlaces = places;
    this.ringNode = svg('circle', { r: 8, class: 'ring', visibility: 'hidden' });
    node.append(this.ringNode);
    if (!node.querySelector('image, g')) node.addEventListener('click', (event) => this.pick(this.nearest(places, node, event)));
    this.showRing();
  }
  showRing() {
    const place = this.ringPlaces?.[this.picked];
    this.ringNode?.setAttribute('visibility', place && Number.isFinite(place[0]) ? 'visible' : 'hidden');
    if (place && Number.isFinite(place[0])) {
      this.ringNode.setAttribute('cx', place[0]);
      this.ringNode.setAttribute('cy', place[1]);
    }
  }

  drawHistogram(sound) {
    const name = label(this.columns[this.column]), [width, height] = this.size();
    if (!sound.length) {
      this.histogram.replaceChildren(element('h2', {}, 'Distribution'), element('p', {}, 'No run has this number.'));
      return;
    }
    const all = sound.map((x) => this.transform(x)), low = least(all), high = largest(all);
    const bins = high > low ? Math.max(5, Math.min(60, Math.round(2 * Math.cbrt(sound.length)))) : 1, step = (high - low) / bins || 1, counts = new Array(bins).fill(0);
    for (const x of all) counts[Math.min(bins - 1, Math.floor((x - low) / step))] += 1;
    const back = (x) => (this.log ? 10 ** x : x), start = high > low ? low : low - 0.5;
    const { node, across, up, inner } = this.frame(width, height * 0.8, { values: [back(start), back(start + bins * step)], log: this.log, pad: 0.02 }, { values: [0, Math.max(...counts) * 1.04], pad: 0 }, name, 'runs', `Distribution of ${name}`);
    counts.forEach((count, k) => {
      const from = across.place(back(start + k * step)), to = across.place(back(start + (k + 1) * step));
      const bar = svg('rect', { x: from, y: up.place(count), width: Math.max(0.5, to - from - 1), height: inner.bottom - up.place(count), class: 'bar' });
      bar.append(svg('title', {}, `${shown(back(start + k * step))} to ${shown(back(start + (k + 1) * step))}: ${count} runs`));
      node.append(bar);
    });
    const s = summaryOf(sound);
    const line = svg('line', { x1: across.place(s.quantiles[2]), x2: across.place(s.quantiles[2]), y1: inner.top, y2: inner.bottom, class: 'median' });
    line.append(svg('title', {}, 'median'));
    node.append(line);
    this.histogram.replaceChildren(element('h2', {}, 'Distribution'), node, element('p', { class: 'soft' },
      `${sound.length} runs: mean ${shown(s.mean)}, deviation ${shown(s.deviation)}; 5 % below ${shown(s.quantiles[0])}, half below ${shown(s.quantiles[2])}, 95 % below ${shown(s.quantiles[4])}.`));
  }

  drawCurves() {
    const { series } = this.data, one = this.curves[this.curve], n = this.t.length, [width, height] = this.size();
    const values = [...one.all].filter(Number.isFinite);
    const { node, across, up } = this.frame(width, height, { values: [...this.t], pad: 0.01 }, { values, pad: 0.04 }, 't', one.name, `${one.name} over time`);
    const path = (at) => {
      let out = '', pen = 'M';
      for (let k = 0; k < n; ++k) {
        const y = at(k);
        if (Number.isFinite(y)) out += `${pen}${across.place(this.t[k]).toFixed(1)} ${up.place(y).toFixed(1)}`;
        pen = Number.isFinite(y) ? 'L' : 'M';
      }
      return out;
    };
    const band = (low, high, style) => {
      let out = '';
      const sound = [...Array(n).keys()].filter((k) => Number.isFinite(one.bands[low * n + k]));
      for (const k of sound) out += `${out ? 'L' : 'M'}${across.place(this.t[k]).toFixed(1)} ${up.place(one.bands[high * n + k]).toFixed(1)}`;
      for (const k of sound.reverse()) out += `L${across.place(this.t[k]).toFixed(1)} ${up.place(one.bands[low * n + k]).toFixed(1)}`;
      node.append(svg('path', { d: out + 'z', class: style }));
    };
    band(0, 4, 'band wide-band');
    band(1, 3, 'band');
    const count = series.runs.length;
    series.runs.forEach((run, r) => {
      const line = svg('path', { d: path((k) => one.all[r * n + k]), class: 'thread', 'stroke-opacity': Math.max(0.07, Math.min(0.6, 9 / count)) });
      line.append(svg('title', {}, `run ${run}`));
      line.addEventListener('click', () => this.pick(this.runs.indexOf(run)));
      node.append(line);
    });
    node.append(svg('path', { d: path((k) => one.bands[2 * n + k]), class: 'middle' }));
    this.pickedLine = svg('path', { class: 'picked' });
    node.append(this.pickedLine);
    this.showLine = () => {
      const r = series.runs.indexOf(this.runs[this.picked]);
      this.pickedLine.setAttribute('d', r >= 0 ? path((k) => one.all[r * n + k]) : '');
    };
    this.showLine();
    const choose = element('select', { 'aria-label': 'Curves of', onchange: (event) => { this.curve = Number(event.target.value); this.drawCurves(); } },
      this.curves.map((each, k) => element('option', { value: k, selected: k === this.curve }, each.name)));
    this.lines.replaceChildren(element('h2', {}, 'Over time', choose), node, element('p', { class: 'soft hint' }, 'Dark band: the middle half of the runs; light band: nine in ten; the line: the median. Click a thread to see its run.'));
  }

  // One run: what it was given, what came of it, how to make it again.
  pick(k) {
    this.picked = k >= 0 ? k : -1;
    this.showRing();
    this.showLine?.();
    const motion = this.picked < 0 ? -1 : (this.data.motions || []).indexOf(this.runs[k]);
    if (motion !== this.motion) this.showMotion(motion);
    this.motion = motion;
    if (this.picked < 0) {
      this.chosen.replaceChildren(element('h2', {}, 'A run'), element('p', { class: 'soft' }, 'Click a run in the map or a curve, or type its number above.'), ...this.moving());
      return;
    }
    const run = this.runs[k], failure = this.data.failures.find((one) => one.run === run);
    document.getElementById('run').value = run;
    const command = this.data.command + this.parameters.map((one) => ` --set ${shellWord(`${one.name}=${one.values[k]}`)}`).join('') + ' --report';
    const verdict = failure ? `${failure.verdict}: ${failure.reason}` : ['not run yet', 'good', 'went wrong'][this.verdicts[k]];
    const row = (name, value) => element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value));
    const good = this.verdicts[k] === 1;
    this.chosen.replaceChildren(element('h2', {}, `Run ${run}`, element('span', { class: 'chip ' + (good ? 'good' : 'bad') }, good ? 'good' : 'not good')),
      ...(good ? [] : [element('p', {}, verdict)]),
      element('table', { class: 'figures' }, element('tbody', {}, this.parameters.map((one) => row(one.name, shown(one.values[k], 8))),
        this.columns.slice(0, 30).map((one) => row(label(one), shown(one.values[k], 6))))),
      element('p', { class: 'soft' }, motion >= 0 ? 'Its motion is below; to make it again:' : 'Its motion, with plots and certificate:'),
      element('div', { class: 'command' }, element('code', { id: 'command' }, command), copyButton(command)), ...this.moving());
  }

  // Runs whose motion the page holds, a button for each.
  moving() {
    const all = this.data.motions || [];
    if (!all.length) return [];
    return [element('p', { class: 'soft' }, 'Runs whose motion is here: ', all.flatMap((run) => [
      element('button', { type: 'button', class: 'quiet motion', onclick: () => this.pick(this.runs.indexOf(run)) }, String(run)), ' ']))];
  }

  summary() {
    if (!this.columns.length) return null;
    const head = ['', 'mean', 'deviation', '5 %', 'median', '95 %', 'least', 'largest'];
    const rows = this.columns.map((one) => {
      const s = summaryOf(Array.from(one.values).filter((x, k) => this.verdicts[k] === 1 && Number.isFinite(x)));
      return element('tr', {}, element('td', {}, label(one)), [s.mean, s.deviation, s.quantiles[0], s.quantiles[2], s.quantiles[4], s.least, s.largest].map((x) => element('td', { class: 'number' }, shown(x))));
    });
    return element('section', { class: 'card panel wide', 'aria-label': 'Summary' }, element('h2', {}, 'Together'), element('div', { class: 'scroll' },
      element('table', { class: 'figures' }, element('thead', {}, element('tr', {}, head.map((one) => element('th', { scope: 'col' }, one)))), element('tbody', {}, rows))));
  }

  failures() {
    const { failures } = this.data;
    if (!failures.length) return null;
    return element('section', { class: 'card panel wide', 'aria-label': 'Runs that went wrong' }, element('h2', {}, 'Runs that went wrong'), element('div', { class: 'scroll' },
      element('table', { class: 'figures' }, element('tbody', {}, failures.map((one) => element('tr', {},
        element('td', {}, element('button', { type: 'button', class: 'quiet', onclick: () => this.pick(this.runs.indexOf(one.run)) }, `run ${one.run}`)), element('td', {}, one.verdict), element('td', {}, one.reason)))))));
  }

  about() {
    const { data } = this;
    return element('section', { class: 'card panel wide', 'aria-label': 'Model' }, element('h2', {}, 'Model'),
      element('ul', {}, [...data.notes, `Numbers of a run are single precision here; the file has them all. taut ${data.version}.`].map((one) => element('li', {}, one))),
      element('details', {}, element('summary', {}, data.model_file), element('pre', {}, data.model)));
  }
}

// By hand: a spread of a million numbers does not fit on the stack.
const least = (all) => all.reduce((a, b) => (b < a ? b : a), Infinity);
const largest = (all) => all.reduce((a, b) => (b > a ? b : a), -Infinity);

function summaryOf(sound) {
  const sorted = [...sound].sort((a, b) => a - b), n = sorted.length, mean = sorted.reduce((a, b) => a + b, 0) / n;
  const quantile = (share) => {
    const at = share * (n - 1), k = Math.floor(at);
    return sorted[k] + (at - k) * (sorted[Math.min(n - 1, k + 1)] - sorted[k]);
  };
  return { mean, deviation: n > 1 ? Math.sqrt(sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1)) : NaN, quantiles: [0.05, 0.25, 0.5, 0.75, 0.95].map(quantile), least: sorted[0], largest: sorted[n - 1] };
}

// As src/taut/report/command.cpp writes it.
const shellWord = (word) => (/^[\w./=+:,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// showMotion(k): shows the k-th of the motions that the page holds in the place `below`, or none for −1.
export function showSweep(data, app, chooseTheme, below, showMotion) {
  window.taut = new Sweep(data.sweep, app, chooseTheme, below, showMotion);
}
