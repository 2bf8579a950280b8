// The picture of the motion: what is drawn of which run, by whom, seen from where.
import { Drawer2d } from './draw2d.js';
import { Drawer3d } from './draw3d.js';
import { mix, runColours } from './colours.js';
import { PlaneView, SpaceView, bindPointer } from './view.js';

// The largest of 1, 2, 5 times a power of ten that is not above x.
function roundedDown(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return [5, 2, 1].find((digit) => digit * ten <= x) * ten;
}

// A wall, which is a body that no coordinate moves.
const standsStill = (solid) => solid.origin.every((form) => typeof form === 'number');

export class Stage {
  constructor(runs, host) {
    this.runs = runs.filter((run) => run.frames > 0);
    this.options = { traces: new Set(), reactions: false, strobe: false, labels: false, follow: -1, hidden: new Set() };
    this.space = this.runs.some((run) => run.dim === 3);
    this.view = this.space ? new SpaceView() : new PlaneView();
    this.canvas = host.canvas;
    this.overlay = host.overlay;
    this.makeDrawers(host);
    bindPointer(this.overlay, this);
    this.t = this.runs.length ? this.runs[0].start : 0;
    this.buffers = this.runs.map(() => null);
    const main = this.runs[0];
    if (main) {
      const masses = main.scene.places.map((one, p) => [one, p]).filter(([one]) => one.kind === 'mass');
      if (masses.length && masses.length <= 40 && !main.scene.curves.length) this.options.traces.add(masses[masses.length - 1][1]);
      for (const curve of main.scene.curves)
        if (curve.kind === 'beam' && main.scene.curves.length < 5) this.options.traces.add(curve.places[curve.places.length - 1]);
      this.options.labels = masses.length > 0 && masses.length <= 8;
      const bodies = main.scene.solids.filter((one) => !standsStill(one)).length;
      if (bodies > 0 && bodies <= 8) this.options.labels = true;
    }
    this.chooseStretch();
    this.dirty = true;
  }

  makeDrawers(host) {
    this.drawer2d = new Drawer2d(this.overlay);
    this.drawer = this.drawer2d;
    this.webgl = false;
    if (!this.space || host.noWebgl) return;
    try {
      this.drawer = new Drawer3d(this.canvas);
      this.webgl = true;
    } catch {
      this.drawer = this.drawer2d; // no WebGL: lines and shaded faces on the canvas
    }
  }

  // Strings move across their length by so little that they are drawn larger that way.
  chooseStretch() {
    const main = this.runs[0];
    if (!main || this.space || !main.scene.curves.length || !main.scene.curves.every((c) => c.kind !== 'beam')) return;
    if (!main.scene.curves.some((c) => c.kind === 'string') || main.scene.links.length) return;
    const box = this.box();
    const ratio = (0.42 * (box.high[0] - box.low[0])) / Math.max(box.high[1] - box.low[1], 1e-300);
    if (ratio > 2) this.view.stretch = roundedDown(ratio);
  }

  box() {
    const boxes = this.runs.map((run) => run.box()).filter(Boolean);
    if (!boxes.length) return { low: [-1, -1, -1], high: [1, 1, 1], size: 2 };
    const low = [0, 1, 2].map((k) => Math.min(...boxes.map((box) => box.low[k])));
    const high = [0, 1, 2].map((k) => Math.max(...boxes.map((box) => box.high[k])));
    const size = Math.max(...[0, 1, 2].map((k) => high[k] - low[k]), 1e-9);
    return { low, high, size };
  }

  resize() {
    const width = this.overlay.clientWidth, height = this.overlay.clientHeight;
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2.5), first = this.view.width === 1;
    this.view.resize(width, height);
    this.drawer2d.resize(width, height, ratio);
    if (this.webgl) this.drawer.resize(width, height, ratio);
    if (first || !this.touched) this.fit();
    this.dirty = true;
  }
  fit() {
    this.view.fit(this.box(), this.view.space ? this.runs.flatMap((run) => run.outline()) : []);
    this.touched = false;
    this.dirty = true;
  }
  moved() {
    this.touched = true;
    this.dirty = true;
  }
  set(option, value) {
    this.options[option] = value;
    this.dirty = true;
  }
  seek(t) {
    if (t === this.t) return;
    this.t = t;
    this.dirty = true;
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue('--' + name).trim();
    const dark = document.documentElement.dataset.theme === 'dark';
    return {
      dark, ink: get('ink'), soft: get('soft'), grid: get('grid'), gridSolid: get('grid-solid'), halo: get('stage'), wall: get('wall'),
      rail: get('rail'), force: get('force'), axes: [get('axis-x'), get('axis-y'), get('axis-z')], runs: runColours[dark ? 'dark' : 'light'],
      steel: get('steel'), point: get('point'), stripe: dark ? '#ff8a1e' : '#ffd54a',
    };
  }

  styleOf(run, colours) {
    const own = colours.runs[run.number % colours.runs.length], many = this.runs.length > 1;
    const links = run.scene.links.length, box = run.box();
    const pixels = this.view.pixels(box ? box.size : 1);
    // The shorter the links, the smaller what is drawn at their ends.
    const crowd = Math.max(links, run.scene.places.length / 2);
    const thin = crowd > 24 ? Math.max(0.25, Math.sqrt(24 / crowd)) : 1;
    const rod = many ? mix(own, colours.dark ? 0.85 : 0.9) : colours.steel;
    return {
      thin, rod, spring: rod, damper: rod, curves: many ? [own] : colours.runs, mass: own, point: colours.point, stripe: colours.stripe, edge: colours.halo, wall: colours.wall, solids: many ? [own] : colours.runs, radius: Math.max(1.5, Math.min(8, 0.02 * pixels) * thin), anchor: Math.min(8, 0.02 * pixels + 3),
      rodWidth: Math.max(1.2, Math.min(4, 0.011 * pixels) * thin), curveWidth: Math.max(1.5, Math.min(3.5, 0.01 * pixels)),
    };
  }

  solidsOf(run) {
    return (moment) =>
      run.scene.solids.map((solid, index) => ({
        ...solid, index, still: standsStill(solid), origin: run.vector(solid.origin, moment), axes: solid.axes.map((axis) => run.vector(axis, moment)),
      }));
  }

  layer(run, number, colours) {
    const moment = run.moment(this.t);
    const at = (this.buffers[number] = run.places(moment, this.buffers[number]));
    const layer = { run, moment, at, style: this.styleOf(run, colours), alpha: number === 0 ? 1 : 0.75, ghosts: [], traces: [], arrows: [], solids: this.solidsOf(run) };
    if (this.options.strobe) {
      const count = Math.max(3, Math.min(14, Math.floor(40000 / run.scene.places.length)));
      for (let k = 0; k < count; ++k) {
        const then = { frame: Math.round((k * (run.frames - 1)) / (count - 1)), part: 0 };
        layer.ghosts.push({ at: run.places(then), moment: then, alpha: 0.12 + (0.2 * k) / count });
      }
    }
    let colour = 0;
    for (const p of this.options.traces) {
      if (p >= run.scene.places.length) continue;
      const tint = this.runs.length > 1 ? layer.style.mass : colours.runs[(colour++ + 1) % colours.runs.length];
      layer.traces.push(this.trace(run, p, moment, tint));
    }
    if (this.options.reactions) this.addArrows(layer);
    return layer;
  }

  trace(run, p, moment, colour) {
    const count = moment.frame + 1 + (moment.part > 0 ? 1 : 0), points = new Float64Array(3 * count);
    const { x } = run.scene.places[p];
    for (let k = 0; k < 3; ++k)
      for (let f = 0; f < count; ++f)
        points[3 * f + k] = run.number_(x[k], f <= moment.frame ? { frame: f, part: 0 } : moment);
    return { points, colour, recent: Math.max(2, 0.08 * run.frames) };
  }

  addArrows(layer) {
    const { run } = layer, typical = run.typicalForce();
    if (!(typical > 0)) return;
    const scale = (0.2 * this.box().size) / typical;
    this.arrowScale = scale;
    for (const { x, force } of run.reactions(layer.moment, layer.at)) {
      const size = Math.hypot(...force), shorter = size * scale > 0.6 * this.box().size ? (0.6 * this.box().size) / (size * scale) : 1;
      layer.arrows.push({ from: x, to: x.map((a, k) => a + scale * shorter * force[k]) });
    }
  }

  floor(box) {
    if (!this.space) return null;
    if (this.floor_) return this.floor_;
    const size = 1.2 * box.size, step = 10 ** Math.round(Math.log10(size / 8)), lines = [];
    const middle = [0, 1].map((k) => Math.round((box.low[k] + box.high[k]) / 2 / step) * step), z = box.low[2] - 0.02 * box.size;
    const reach = Math.min(12, Math.ceil(0.6 * size / step)) * step;
    for (let d = -reach; d <= reach + 1e-9 * step; d += step) {
      lines.push([[middle[0] + d, middle[1] - reach, z], [middle[0] + d, middle[1] + reach, z]]);
      lines.push([[middle[0] - reach, middle[1] + d, z], [middle[0] + reach, middle[1] + d, z]]);
    }
    return (this.floor_ = lines);
  }

  draw() {
    if (!this.dirty || this.view.width === 1) return;
    this.dirty = false;
    const colours = this.colours(), box = this.box();
    const layers = this.runs.filter((run) => !this.options.hidden.has(run.number)).map((run, k) => this.layer(run, k, colours));
    if (this.options.follow >= 0 && layers.length) {
      const { at } = layers[0], p = this.options.follow, target = this.view.target;
      for (let k = 0; k < (this.space ? 3 : 2); ++k) target[k] = at[3 * p + k];
    }
    const unit = this.runs[0]?.data.certificate?.units ? 'm' : '';
    const picture = { view: this.view, colours, layers, labels: this.options.labels, box, size: box.size, floor: this.floor(box), unit };
    if (this.webgl) {
      this.drawer.draw(picture);
      this.drawer2d.clear();
      this.drawer2d.over({ ...picture, arrowsDrawn: true });
    } else {
      this.drawer2d.draw(picture);
    }
  }

  // Where a place is drawn, in pixels of the stage.
  pixel(p, run = this.runs[0]) {
    return this.view.project(...run.place(p, run.moment(this.t)));
  }
}
