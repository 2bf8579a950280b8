// Draws a picture on a canvas, in the plane, and in space where there is no WebGL.
import { inSpace, shapeMesh, shapeOutline } from './shapes.js';
import { radiusOf, shown } from './data.js';
import { mix } from './colours.js';

const tau = 2 * Math.PI;

function niceStep(least) {
  const ten = 10 ** Math.floor(Math.log10(least));
  for (const digit of [1, 2, 5, 10]) if (digit * ten >= least) return digit * ten;
  return 10 * ten;
}

export class Drawer2d {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
  }

  resize(width, height, ratio) {
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.ratio = ratio;
  }

  clear() {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.lineCap = this.context.lineJoin = 'round';
  }

  draw(picture) {
    this.clear();
    const { view, colours } = picture;
    this.view = view;
    this.colours = colours;
    if (view.space) this.floor(picture);
    else this.grid(picture);
    const main = picture.layers[0];
    if (main) {
      for (const plane of main.run.scene.planes) this.plane(plane, picture);
      for (const curve of main.run.scene.curves) if (curve.fixed) this.rail(curve);
    }
    for (const layer of picture.layers) for (const ghost of layer.ghosts) this.bodies(layer, ghost.at, ghost.moment, ghost.alpha);
    for (const layer of picture.layers) for (const trace of layer.traces) this.trace(trace, layer);
    for (let k = picture.layers.length - 1; k >= 0; --k) {
      const layer = picture.layers[k];
      this.bodies(layer, layer.at, layer.moment, layer.alpha);
    }
    this.over(picture);
  }

  // What stands before everything else: arrows, names, the scale. Space with WebGL calls this alone.
  over(picture) {
    this.view = picture.view;
    this.colours = picture.colours;
    if (!picture.arrowsDrawn) for (const layer of picture.layers) for (const arrow of layer.arrows) this.arrow(arrow);
    if (picture.labels) for (const layer of picture.layers.slice(0, 1)) this.labels(layer, picture.size);
    if (picture.view.space) this.axes();
    else this.scaleBar(picture);
  }

  point(at, p) {
    return this.view.project(at[3 * p], at[3 * p + 1], at[3 * p + 2]);
  }

  grid({ colours, view }) {
    const c = this.context;
    const step = niceStep(70 / view.scale);
    const [left, top] = view.unproject(0, 0), [right, bottom] = view.unproject(view.width, view.height);
    c.lineWidth = 1;
    c.strokeStyle = colours.grid;
    c.beginPath();
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      const px = Math.round(view.project(x, 0)[0]) + 0.5;
      c.moveTo(px, 0);
      c.lineTo(px, view.height);
    }
    const stepY = niceStep(70 / (view.scale * view.stretch));
    for (let y = Math.ceil(bottom / stepY) * stepY; y <= top; y += stepY) {
      const py = Math.round(view.project(0, y)[1]) + 0.5;
      c.moveTo(0, py);
      c.lineTo(view.width, py);
    }
    c.stroke();
  }

  scaleBar({ view, colours, unit }) {
    const c = this.context;
    const length = niceStep(60 / view.scale), pixels = length * view.scale, y = view.height - 14;
    c.strokeStyle = c.fillStyle = colours.soft;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(14, y - 4);
    c.lineTo(14, y);
    c.lineTo(14 + pixels, y);
    c.lineTo(14 + pixels, y - 4);
    c.stroke();
    c.font = '12px system-ui, sans-serif';
    c.textAlign = 'left';
    c.textBaseline = 'alphabetic';
    const stretch = view.stretch === 1 ? '' : `   y drawn \u00d7${shown(view.stretch, 2)}`;
    c.fillText(shown(length) + (unit ? ' ' + unit : '') + stretch, 14, y - 8);
  }

  // In space: a square of lines below everything.
  floor({ floor, colours }) {
    if (!floor) return;
    const c = this.context;
    c.lineWidth = 1;
    c.strokeStyle = colours.grid;
    c.beginPath();
    for (const [a, b] of floor) {
      const p = this.view.project(...a), q = this.view.project(...b);
      c.moveTo(p[0], p[1]);
      c.lineTo(q[0], q[1]);
    }
    c.stroke();
  }

  axes() {
    const c = this.context, { right, up, back } = this.view.basis();
    const x0 = 40, y0 = this.view.height - 40, size = 26;
    const order = [0, 1, 2].sort((a, b) => back[a] - back[b]);
    c.font = '600 11px system-ui, sans-serif';
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    for (const k of order) {
      const dx = right[k], dy = -up[k];
      c.strokeStyle = c.fillStyle = this.colours.axes[k];
      c.lineWidth = 2;
      c.beginPath();
      c.moveTo(x0, y0);
      c.lineTo(x0 + size * dx, y0 + size * dy);
      c.stroke();
      c.fillText('xyz'[k], x0 + (size + 9) * dx, y0 + (size + 9) * dy);
    }
  }

  plane(plane, { view, colours, box }) {
    if (view.space) return; // the floor of lines is enough there
    const c = this.context, [nx, ny] = plane.normal;
    const size = Math.hypot(nx, ny);
    if (size === 0) return;
    const middle = view.unproject(view.width / 2, view.height / 2);
    const d = (plane.offset - nx * middle[0] - ny * middle[1]) / (size * size);
    const at = [middle[0] + d * nx, middle[1] + d * ny], reach = (view.width + view.height) / view.scale;
    const a = view.project(at[0] - ny * reach, at[1] + nx * reach), b = view.project(at[0] + ny * reach, at[1] - nx * reach);
    const away = view.project(at[0] - nx, at[1] - ny), here = view.project(at[0], at[1]);
    const out = [away[0] - here[0], away[1] - here[1]], far = Math.hypot(...out);
    c.save();
    c.strokeStyle = colours.wall;
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(a[0], a[1]);
    c.lineTo(b[0], b[1]);
    c.stroke();
    c.lineWidth = 1;
    c.globalAlpha = 0.6;
    c.beginPath();
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]), ux = (b[0] - a[0]) / length, uy = (b[1] - a[1]) / length;
    for (let s = 0; s < length; s += 12) {
      const x = a[0] + s * ux, y = a[1] + s * uy;
      c.moveTo(x, y);
      c.lineTo(x + (9 * out[0]) / far - 7 * ux, y + (9 * out[1]) / far - 7 * uy);
    }
    c.stroke();
    c.restore();
    void box;
  }

  path(points) {
    const c = this.context;
    c.beginPath();
    points.forEach((p, k) => (k === 0 ? c.moveTo(p[0], p[1]) : c.lineTo(p[0], p[1])));
  }

  rail(curve) {
    const c = this.context;
    c.save();
    c.strokeStyle = this.colours.rail;
    c.lineWidth = this.view.space ? 1 : 2;
    this.path(curve.fixed.map((x) => this.view.project(...x)));
    c.stroke();
    c.restore();
  }

  trace(trace, layer) {
    const c = this.context, { points, colour } = trace;
    const count = points.length / 3, recent = Math.max(0, count - Math.ceil(trace.recent));
    c.save();
    c.strokeStyle = colour;
    for (const [from, alpha, width] of [[0, 0.3, 1.2], [recent, 0.85, 2]]) {
      c.globalAlpha = alpha * layer.alpha;
      c.lineWidth = width;
      c.beginPath();
      for (let k = from; k < count; ++k) {
        const p = this.view.project(points[3 * k], points[3 * k + 1], points[3 * k + 2]);
        if (k === from) c.moveTo(p[0], p[1]);
        else c.lineTo(p[0], p[1]);
      }
      c.stroke();
    }
    c.restore();
  }

  // A line along a rod where its first director points, as far as it faces the eye.
  stripe(curve, at, run, moment, style) {
    const c = this.context, wide = c.lineWidth;
    c.save();
    c.strokeStyle = style.stripe;
    c.lineWidth = 0.4 * wide;
    c.beginPath();
    let before = false;
    curve.places.forEach((p, k) => {
      const d = run.vector(curve.stripe[k], moment), x = [at[3 * p], at[3 * p + 1], at[3 * p + 2]], here = this.view.project(...x);
      const reach = (0.3 * wide) / Math.max(this.view.pixels(1, here[2]), 1e-12), there = this.view.project(...x.map((a, i) => a + reach * d[i]));
      const seen = there[2] <= here[2];
      if (seen && before) c.lineTo(there[0], there[1]);
      else if (seen) c.moveTo(there[0], there[1]);
      before = seen;
    });
    c.stroke();
    c.restore();
  }

  bodies(layer, at, moment, alpha) {
    const c = this.context, { run, style } = layer, { scene } = run;
    c.save();
    c.globalAlpha = alpha;
    // Ghosts of bodies would hide each other in space.
    if (!this.view.space || alpha >= 0.5) for (const solid of layer.solids(moment)) this.solid(solid, layer);
    for (const curve of scene.curves) {
      if (!curve.places) continue;
      c.strokeStyle = style.curves[curve.index % style.curves.length];
      c.lineWidth = style.curveWidth;
      if (curve.stripe) c.lineWidth *= 2.2;
      this.path(curve.places.map((p) => this.point(at, p)));
      c.stroke();
      if (curve.stripe) this.stripe(curve, at, run, moment, style);
    }
    // Many rods in one path, because there may be thousands; not all, because paths that cross themselves are slow.
    let waiting = 0;
    c.strokeStyle = style.rod;
    c.lineWidth = style.rodWidth;
    c.beginPath();
    for (const link of scene.links) {
      if (link.kind !== 'rod') continue;
      const a = this.point(at, link.a), b = this.point(at, link.b);
      c.moveTo(a[0], a[1]);
      c.lineTo(b[0], b[1]);
      if (++waiting % 100 === 0) {
        c.stroke();
        c.beginPath();
      }
    }
    c.stroke();
    for (const link of scene.links) if (link.kind !== 'rod') this.link(link, at, style);
    const small = style.radius < 2; // too small for their shape to be seen
    c.fillStyle = style.mass;
    scene.places.forEach((place, p) => {
      if (place.kind === 'between' || place.kind === 'node') return;
      const x = this.point(at, p);
      if (small && place.kind === 'mass') c.fillRect(x[0] - style.radius, x[1] - style.radius, 2 * style.radius, 2 * style.radius);
      else this.place(place, x, style);
    });
    c.restore();
  }

  link(link, at, style) {
    const c = this.context, a = this.point(at, link.a), b = this.point(at, link.b);
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    const ux = length > 0 ? dx / length : 1, uy = length > 0 ? dy / length : 0;
    c.strokeStyle = style[link.kind] || style.rod;
    c.lineWidth = Math.min(2, style.rodWidth);
    c.beginPath();
    c.moveTo(a[0], a[1]);
    if (link.kind === 'spring' && length > 12) {
      const lead = Math.min(0.15 * length, 14), turns = 9, wide = Math.min(7, 0.2 * length);
      c.lineTo(a[0] + lead * ux, a[1] + lead * uy);
      for (let k = 0; k < 2 * turns; ++k) {
        const s = lead + ((length - 2 * lead) * (k + 0.5)) / (2 * turns), w = k % 2 === 0 ? wide : -wide;
        c.lineTo(a[0] + s * ux - w * uy, a[1] + s * uy + w * ux);
      }
      c.lineTo(b[0] - lead * ux, b[1] - lead * uy);
    } else if (link.kind === 'damper' && length > 16) {
      // A pot, and a piston in it.
      const m = length / 2, w = Math.min(7, 0.2 * length), s = Math.min(12, 0.2 * length);
      const to = (along, across, move) => c[move ? 'moveTo' : 'lineTo'](a[0] + along * ux - across * uy, a[1] + along * uy + across * ux);
      to(m - s, 0);
      to(m + s, w, true);
      to(m - s, w);
      to(m - s, -w);
      to(m + s, -w);
      to(m + 0.3 * s, w * 0.75, true);
      to(m + 0.3 * s, -w * 0.75);
      to(m + 0.3 * s, 0, true);
    }
    c.lineTo(b[0], b[1]);
    c.stroke();
  }

  place(place, p, style) {
    const c = this.context, r = style.radius;
    c.beginPath();
    if (place.kind === 'mass') {
      c.arc(p[0], p[1], r, 0, tau);
      c.fillStyle = style.mass;
      c.fill();
      if (r >= 3) {
        c.lineWidth = 1.5;
        c.strokeStyle = style.edge;
        c.stroke();
      }
      return;
    }
    const fixed = place.x.every((form) => typeof form === 'number');
    const s = Math.max(3, 0.8 * style.anchor);
    if (place.kind === 'point' && fixed) {
      c.moveTo(p[0], p[1]);
      c.lineTo(p[0] - 1.2 * s, p[1] + 1.7 * s);
      c.lineTo(p[0] + 1.2 * s, p[1] + 1.7 * s);
      c.closePath();
      c.fillStyle = style.point;
      c.fill();
      c.beginPath();
      c.arc(p[0], p[1], 0.55 * s, 0, tau);
      c.fillStyle = style.edge;
      c.fill();
      c.lineWidth = 1.5;
      c.strokeStyle = style.point;
      c.stroke();
      return;
    }
    c.moveTo(p[0], p[1] - s);
    c.lineTo(p[0] + s, p[1]);
    c.lineTo(p[0], p[1] + s);
    c.lineTo(p[0] - s, p[1]);
    c.closePath();
    c.fillStyle = style.point;
    c.fill();
  }

  solid(solid, layer) {
    const c = this.context, own = solid.still ? layer.style.wall : layer.style.solids[solid.index % layer.style.solids.length];
    if (!this.view.space) {
      for (const shape of solid.shapes) {
        this.path(shapeOutline(shape).map((x) => this.view.project(...inSpace(solid, x))));
        c.closePath();
        c.fillStyle = own + '55';
        c.fill();
        c.lineWidth = 1.5;
        c.strokeStyle = own;
        c.stroke();
      }
      return;
    }
    // Triangles from far to near, the brighter the more they face the camera.
    const faces = [], { back } = this.view.basis();
    for (const shape of solid.shapes) {
      shape.mesh ??= shapeMesh(shape);
      const { position, normal } = shape.mesh;
      for (let k = 0; k < position.length; k += 9) {
        const n = [0, 1, 2].map((d) => solid.axes.reduce((sum, axis, i) => sum + normal[k + i] * axis[d], 0));
        const light = n[0] * back[0] + n[1] * back[1] + n[2] * back[2];
        if (light <= 0) continue;
        const corners = [0, 3, 6].map((o) => this.view.project(...inSpace(solid, position.slice(k + o, k + o + 3))));
        faces.push({ corners, light, depth: corners[0][2] + corners[1][2] + corners[2][2] });
      }
    }
    faces.sort((a, b) => b.depth - a.depth);
    for (const { corners, light } of faces) {
      this.path(corners);
      c.closePath();
      c.fillStyle = c.strokeStyle = mix(own, 0.45 + 0.55 * light);
      c.lineWidth = 0.7;
      c.fill();
      c.stroke();
    }
  }

  arrow({ from, to }) {
    const c = this.context, a = this.view.project(...from), b = this.view.project(...to);
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (length < 2) return;
    const ux = dx / length, uy = dy / length, head = Math.min(9, 0.6 * length);
    c.save();
    c.strokeStyle = c.fillStyle = this.colours.force;
    c.lineWidth = 2.2;
    c.beginPath();
    c.moveTo(a[0], a[1]);
    c.lineTo(b[0] - head * ux, b[1] - head * uy);
    c.stroke();
    c.beginPath();
    c.moveTo(b[0], b[1]);
    c.lineTo(b[0] - head * ux - 0.5 * head * uy, b[1] - head * uy + 0.5 * head * ux);
    c.lineTo(b[0] - head * ux + 0.5 * head * uy, b[1] - head * uy - 0.5 * head * ux);
    c.closePath();
    c.fill();
    c.restore();
  }

  // The axes of a body from its origin: short lines in the colours of x, y, z.
  bodyAxes(solid, size) {
    const c = this.context, from = this.view.project(...solid.origin), length = Math.min(0.3 * radiusOf(solid), 0.08 * size);
    c.lineWidth = 2;
    solid.axes.slice(0, this.view.space ? 3 : 2).forEach((axis, k) => {
      const to = this.view.project(...solid.origin.map((x, i) => x + length * axis[i]));
      c.strokeStyle = this.colours.axes[k];
      c.beginPath();
      c.moveTo(from[0], from[1]);
      c.lineTo(to[0], to[1]);
      c.stroke();
    });
  }

  labels(layer, size) {
    const c = this.context, { scene } = layer.run;
    c.font = '500 12px system-ui, sans-serif';
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    const taken = [];
    const write = (text, p) => {
      const name = text.length > 40 ? text.slice(0, 39) + '\u2026' : text;
      const x = p[0] + layer.style.radius + 5, y = p[1] - 8, wide = c.measureText(name).width;
      // What would lie on another name is left out; what comes first stays.
      if (taken.some((one) => x < one.x + one.wide && one.x < x + wide && Math.abs(y - one.y) < 14)) return;
      taken.push({ x, y, wide });
      c.lineWidth = 3;
      c.strokeStyle = this.colours.halo;
      c.strokeText(name, x, y);
      c.fillStyle = this.colours.ink;
      c.fillText(name, x, y);
    };
    const bodies = layer.solids(layer.moment).filter((solid) => !solid.still);
    for (const solid of bodies) this.bodyAxes(solid, size);
    for (const solid of bodies)
      if (!scene.places.some((place) => place.name === solid.name)) write(solid.name, this.view.project(...solid.origin));
    let count = 0;
    scene.places.forEach((place, p) => {
      if (!place.name || place.kind === 'node' || place.kind === 'between' || ++count > 60) return;
      write(place.name, this.point(layer.at, p));
    });
    for (const curve of scene.curves)
      if (curve.places && curve.places.length) write(curve.name, this.point(layer.at, curve.places[curve.places.length >> 1]));
  }
}
