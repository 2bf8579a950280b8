// Plots over time, tied to the motion: a line shows the moment, a click goes there, a drag zooms all of them.
import uPlot from 'uplot';
import { button, element, menu } from './dom.js';
import { shown } from './data.js';
import { runColours } from './colours.js';

const groups = ['outputs', 'energy', 'coordinates', 'velocities', 'multipliers', 'accuracy'];
const titles = { outputs: 'Outputs', energy: 'Energy', coordinates: 'Coordinates', velocities: 'Velocities', multipliers: 'Multipliers \u03bb', accuracy: 'Accuracy and steps' };
const dashes = [[], [6, 4], [2, 3], [8, 3, 2, 3], [1, 2]];
const palettes = {
  light: ['#2a66d9', '#d9622b', '#2a9d6f', '#a347ba', '#b08900', '#c2385a', '#0f8b9d', '#6b6f76'],
  dark: ['#6ea3ff', '#ff9a66', '#5fd0a0', '#d28ae6', '#e0bd4a', '#ff7d9c', '#5fc9da', '#a9b0ba'],
};

const theme = () => (document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// The value at a time, between the points in a straight line.
function valueAt(t, times, values) {
  const sign = times[times.length - 1] < times[0] ? -1 : 1;
  let low = 0, high = times.length - 1;
  if (high < 0) return NaN;
  if (sign * (t - times[0]) <= 0) return values[0];
  if (sign * (t - times[high]) >= 0) return values[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sign * (times[middle] - t) <= 0) low = middle;
    else high = middle;
  }
  const part = (t - times[low]) / (times[high] - times[low]);
  return values[low] + part * (values[high] - values[low]);
}

class Plot {
  constructor(board, keys) {
    this.board = board;
    this.keys = keys; // [group, name]
    this.log = false;
    this.chart = element('div', { class: 'chart' });
    this.legend = element('div', { class: 'legend' });
    this.logButton = element('button', { type: 'button', class: 'quiet', title: 'Logarithmic scale', 'aria-pressed': 'false', onclick: () => {
      this.log = !this.log;
      this.build();
    } }, 'log');
    this.node = element('section', { class: 'plot card', 'aria-label': 'Plot' },
      element('div', { class: 'plot-head' }, this.legend, element('div', { class: 'plot-tools' },
        this.logButton, this.picker(), button('close', 'Remove this plot', () => board.remove(this)))),
      this.chart);
    this.now = element('div', { class: 'now-line' });
  }

  picker() {
    const search = element('input', { type: 'search', placeholder: 'Search a name', 'aria-label': 'Search a series by name' });
    const list = element('div', { class: 'choices', role: 'group', 'aria-label': 'Series' });
    const most = 200;
    const fill = () => {
      const word = search.value.toLowerCase(), found = this.board.keys.filter(([, name]) => name.toLowerCase().includes(word));
      list.replaceChildren();
      let group = '';
      for (const [g, name] of found.slice(0, most)) {
        if (g !== group) list.append(element('div', { class: 'choice-group' }, titles[g] || g));
        group = g;
        const on = this.has(g, name);
        list.append(element('label', { class: 'choice' }, element('input', { type: 'checkbox', checked: on, onchange: (event) => {
          if (event.target.checked) this.keys.push([g, name]);
          else this.keys = this.keys.filter((key) => key[0] !== g || key[1] !== name);
          this.build();
        } }), element('span', {}, name)));
      }
      if (found.length > most) list.append(element('div', { class: 'soft' }, `${found.length - most} more: search by name`));
      if (!found.length) list.append(element('div', { class: 'soft' }, 'no such name'));
    };
    search.addEventListener('input', fill);
    const details = menu('Series', [search, list], { class: 'menu right' });
    details.addEventListener('toggle', () => {
      if (!details.open) return;
      fill();
      search.focus();
    });
    return details;
  }

  has(group, name) {
    return this.keys.some((key) => key[0] === group && key[1] === name);
  }

  // Every run's series of each name.
  curves() {
    const out = [], runs = this.board.runs, palette = palettes[theme()];
    this.keys.forEach(([group, name], k) => {
      runs.forEach((run, r) => {
        const series = run.find(group, name);
        if (!series) return;
        const alone = this.keys.length === 1 && runs.length > 1;
        out.push({ run, name, times: series.t, values: run.valuesOf(series),
          colour: alone ? runColours[theme()][r % 5] : palette[k % palette.length], dash: alone ? [] : dashes[r % dashes.length] });
      });
    });
    return out;
  }

  data(curves) {
    // Runs backward are plotted from left to right all the same.
    const usable = (value) => (Number.isFinite(value) && (!this.log || value > 0) ? value : null);
    const tables = new Map();
    curves.forEach((curve, k) => {
      if (!tables.has(curve.times)) tables.set(curve.times, []);
      tables.get(curve.times).push(k);
    });
    const order = [], parts = [];
    for (const [times, which] of tables) {
      const back = times.length > 1 && times[times.length - 1] < times[0];
      const turned = (list) => (back ? Array.from(list).reverse() : Array.from(list));
      parts.push([turned(times), ...which.map((k) => turned(Array.from(curves[k].values, usable)))]);
      order.push(...which);
    }
    const joined = parts.length > 1 ? uPlot.join(parts, parts.map((part) => part.map(() => 1))) : parts[0] || [[0]];
    const out = [joined[0]];
    order.forEach((k, at) => (out[k + 1] = joined[at + 1]));
    return { data: out, joined: parts.length > 1 };
  }

  build() {
    this.curves_ = this.curves();
    const { data, joined } = this.data(this.curves_);
    const ink = css('soft'), grid = css('grid');
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
    // As many digits as tell neighbouring ticks apart.
    const label = (self, values) => {
      const known = values.filter((x) => x !== null), step = known.length > 1 ? Math.abs(known[1] - known[0]) : 0;
      const most = Math.max(...known.map(Math.abs), 0);
      const digits = !this.log && step > 0 && most > 0 ? Math.min(12, Math.max(1, 2 + Math.floor(Math.log10(most / step)))) : 3;
      return values.map((x) => (x === null ? '' : Math.abs(x) < 1e-9 * step ? '0' : shown(x, digits)));
    };
    const options = {
      width: Math.max(160, this.chart.clientWidth), height: 170, padding: [10, 12, 0, 0],
      legend: { show: false }, cursor: { y: false, sync: { key: 'taut', setSeries: false }, drag: { x: true, y: false }, points: { size: 7 } },
      scales: { x: { time: false }, y: this.log ? { distr: 3 } : { range: (u, low, high) => padded(low, high) } },
      axes: [{ ...axis, size: 26, gap: 2, values: label }, { ...axis, size: 58, gap: 4, values: label, space: 28 }],
      series: [{}, ...this.curves_.map((curve) => ({ label: curve.name, stroke: curve.colour, width: 1.6, dash: curve.dash, points: { show: false }, spanGaps: joined }))],
      hooks: {
        ready: [(u) => {
          u.over.append(this.now);
          let from = null;
          u.over.addEventListener('pointerdown', (event) => (from = event.clientX));
          u.over.addEventListener('pointerup', (event) => {
            if (from !== null && Math.abs(event.clientX - from) < 4) this.board.onseek(u.posToVal(event.clientX - u.over.getBoundingClientRect().left, 'x'));
            from = null;
          });
        }],
        setScale: [(u, key) => {
          if (key === 'x') this.board.zoomed(this, u.scales.x.min, u.scales.x.max);
        }],
      },
    };
    this.u?.destroy();
    this.u = new uPlot(options, data, this.chart);
    if (this.board.range) this.u.setScale('x', this.board.range);
    this.logButton.setAttribute('aria-pressed', String(this.log));
    this.legend.replaceChildren(...this.curves_.map((curve) => {
      curve.value = element('output', { class: 'value' });
      const swatch = element('span', { class: 'swatch' });
      swatch.style.background = curve.colour;
      const many = this.board.runs.length > 1;
      return element('span', { class: 'key', title: curve.name + (many ? ', ' + curve.run.data.file : '') }, swatch,
        element('span', { class: 'key-name' }, curve.name + (many ? ' \u00b7 ' + (curve.run.number + 1) : '')), curve.value);
    }));
    if (!this.curves_.length) this.legend.append(element('span', { class: 'soft' }, 'Choose a series'));
    this.node.setAttribute('aria-label', 'Plot of ' + (this.keys.map((key) => key[1]).join(', ') || 'nothing'));
    this.show(this.board.t);
  }

  show(t) {
    if (!this.u) return;
    const x = this.u.valToPos(t, 'x'), inside = x >= -1 && x <= this.u.over.clientWidth + 1;
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !inside;
    for (const curve of this.curves_) curve.value.textContent = shown(valueAt(t, curve.times, curve.values));
  }

  resize() {
    const width = this.chart.clientWidth;
    if (this.u && width && width !== this.u.width) this.u.setSize({ width, height: this.u.height });
    this.show(this.board.t);
  }
}

function padded(low, high) {
  if (low === null || high === null) return [0, 1];
  if (low === high) {
    const pad = Math.abs(low) * 0.1 || 1;
    return [low - pad, high + pad];
  }
  const pad = 0.06 * (high - low);
  return [low - pad, high + pad];
}

export class Board {
  constructor(runs, onseek) {
    Object.assign(this, { runs, onseek, plots: [], range: null, t: runs[0].start });
    const names = new Map();
    for (const run of runs) for (const one of run.series) names.set(one.group + '\n' + one.name, [one.group, one.name]);
    this.keys = [...names.values()].sort((a, b) => groups.indexOf(a[0]) - groups.indexOf(b[0]));
    this.list = element('div', { class: 'plots' });
    this.reset = element('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.zoom(null) }, 'Whole time');
    this.node = element('section', { class: 'board', 'aria-label': 'Plots' },
      element('div', { class: 'board-head' }, element('h2', {}, 'Plots'), this.reset,
        element('button', { type: 'button', class: 'quiet', onclick: () => this.add([this.unused()]).node.scrollIntoView({ block: 'nearest' }) }, '+ Plot')),
      this.list, element('p', { class: 'soft hint' }, 'Click in a plot to go there, drag to zoom, double-click for the whole time.'));
    for (const keys of this.defaults()) this.add(keys);
  }

  // What is worth seeing first: what the model asks for, energies, accuracy.
  defaults() {
    const of = (group) => this.keys.filter((key) => key[0] === group), out = [];
    const named = (group, words) => of(group).filter((key) => words.includes(key[1]));
    const most = this.runs.length > 1 ? 2 : 4;
    if (of('outputs').length) out.push(of('outputs').slice(0, most));
    else if (of('coordinates').length) out.push(this.tip(of('coordinates')).slice(-most));
    out.push(named('energy', this.runs.length > 1 ? ['total energy'] : ['kinetic energy', 'potential energy', 'total energy']));
    const conservative = this.runs.every((run) => run.data.certificate?.conservative);
    out.push(conservative ? named('energy', ['change of total energy']) : named('accuracy', ['|g|, constraints']));
    return out.filter((keys) => keys.length);
  }
  // Few coordinates are shown all, of many those of the last mass.
  tip(all) {
    const masses = this.runs[0].scene.places.filter((place) => place.kind === 'mass'), last = masses[masses.length - 1];
    const own = last ? all.filter(([, name]) => name.startsWith(last.name + '.')) : [];
    return all.length > 6 && own.length ? own : all.slice(0, 4);
  }
  unused() {
    return this.keys.find(([group, name]) => !this.plots.some((plot) => plot.has(group, name))) || this.keys[0];
  }

  add(keys) {
    const plot = new Plot(this, keys.map((key) => [...key]));
    this.plots.push(plot);
    this.list.append(plot.node);
    if (this.built) plot.build();
    return plot;
  }
  remove(plot) {
    this.plots = this.plots.filter((one) => one !== plot);
    plot.u?.destroy();
    plot.node.remove();
  }
  build() {
    this.built = true;
    for (const plot of this.plots) plot.build();
  }
  resize() {
    for (const plot of this.plots) plot.resize();
  }
  show(t) {
    this.t = t;
    for (const plot of this.plots) plot.show(t);
  }

  zoomed(from, min, max) {
    if (this.zooming || min === undefined || min === null) return;
    const all = this.runs.flatMap((run) => [run.start, run.end]), low = Math.min(...all), high = Math.max(...all);
    const whole = min <= low + 1e-9 * (high - low) && max >= high - 1e-9 * (high - low);
    this.zoom(whole ? null : { min, max }, from);
  }
  zoom(range, from) {
    this.zooming = true;
    this.range = range;
    this.reset.hidden = !range;
    const all = this.runs.flatMap((run) => [run.start, run.end]);
    for (const plot of this.plots)
      if (plot !== from && plot.u) plot.u.setScale('x', range || { min: Math.min(...all), max: Math.max(...all) });
    this.zooming = false;
    this.show(this.t);
  }
}
