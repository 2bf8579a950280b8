// Cameras: where a point of space is on the canvas.

export class PlaneView {
  constructor() {
    this.centre = [0, 0, 0];
    this.scale = 100; // pixels per unit of length
    this.stretch = 1; // of y, for strings
    this.width = this.height = 1;
  }
  get space() {
    return false;
  }
  resize(width, height) {
    this.width = width;
    this.height = height;
  }
  fit(box) {
    const w = box.high[0] - box.low[0], h = (box.high[1] - box.low[1]) * this.stretch;
    const pad = Math.min(64, 0.1 * Math.min(this.width, this.height));
    const size = Math.max(w, h, 1e-12);
    this.scale = Math.min((this.width - 2 * pad) / Math.max(w, 0.02 * size), (this.height - 2 * pad) / Math.max(h, 0.02 * size));
    this.centre = [(box.low[0] + box.high[0]) / 2, (box.low[1] + box.high[1]) / 2, 0];
    this.fitted = this.scale;
  }
  project(x, y) {
    return [this.width / 2 + (x - this.centre[0]) * this.scale, this.height / 2 - (y - this.centre[1]) * this.scale * this.stretch, 0];
  }
  unproject(px, py) {
    return [this.centre[0] + (px - this.width / 2) / this.scale, this.centre[1] - (py - this.height / 2) / (this.scale * this.stretch), 0];
  }
  // Pixels of a length at a place.
  pixels(length) {
    return length * this.scale;
  }
  drag(dx, dy) {
    this.centre[0] -= dx / this.scale;
    this.centre[1] += dy / (this.scale * this.stretch);
  }
  pan(dx, dy) {
    this.drag(dx, dy);
  }
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const before = this.unproject(px, py);
    this.scale = Math.min(Math.max(this.scale * factor, 1e-3 * (this.fitted || 1)), 1e4 * (this.fitted || 1));
    const after = this.unproject(px, py);
    for (const k of [0, 1]) this.centre[k] += before[k] - after[k];
  }
  get target() {
    return this.centre;
  }
}

const fov = (35 * Math.PI) / 180;

// In space z is upward; the camera goes round a target.
export class SpaceView {
  constructor() {
    this.target = [0, 0, 0];
    this.distance = 5;
    this.azimuth = -0.9;
    this.elevation = 0.42;
    this.width = this.height = 1;
  }
  get space() {
    return true;
  }
  resize(width, height) {
    this.width = width;
    this.height = height;
  }
  // As near as all `points`, three numbers each, allow, with a margin for names.
  fit(box, points) {
    const middle = [0, 1, 2].map((k) => (box.low[k] + box.high[k]) / 2), { right, up, back } = this.basis();
    const radius = 0.5 * Math.hypot(...[0, 1, 2].map((k) => box.high[k] - box.low[k])) || 1;
    const along = (axis, p) => axis[0] * (points[p] - middle[0]) + axis[1] * (points[p + 1] - middle[1]) + axis[2] * (points[p + 2] - middle[2]);
    const halfway = (axis) => {
      let low = Infinity, high = -Infinity;
      for (let p = 0; p < points.length; p += 3) {
        low = Math.min(low, along(axis, p));
        high = Math.max(high, along(axis, p));
      }
      return high >= low ? (low + high) / 2 : 0;
    };
    const r = halfway(right), u = halfway(up), pad = 0.1 * Math.min(this.width, this.height);
    this.target = middle.map((x, k) => x + r * right[k] + u * up[k]);
    const focus = this.height / 2 / Math.tan(0.5 * fov), wide = focus / (this.width / 2 - pad), high = focus / (this.height / 2 - pad);
    this.distance = 1.2 * radius;
    for (let p = 0; p < points.length; p += 3)
      this.distance = Math.max(this.distance, along(back, p) + Math.max(Math.abs(along(right, p) - r) * wide, Math.abs(along(up, p) - u) * high));
    this.radius = radius;
    this.fitted = this.distance;
  }
  // Right, up and towards the camera.
  basis() {
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth), ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    return { right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], back: [ce * ca, ce * sa, se] };
  }
  eye() {
    const { back } = this.basis();
    return this.target.map((x, k) => x + this.distance * back[k]);
  }
  project(x, y, z) {
    const { right, up, back } = this.basis();
    const d = [x - this.target[0], y - this.target[1], z - this.target[2]];
    const dot = (a) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2];
    const depth = this.distance - dot(back);
    const f = this.height / 2 / Math.tan(0.5 * fov) / Math.max(depth, 1e-3 * this.distance);
    return [this.width / 2 + f * dot(right), this.height / 2 - f * dot(up), depth];
  }
  pixels(length, depth = this.distance) {
    return (length * this.height) / 2 / Math.tan(0.5 * fov) / Math.max(depth, 1e-3 * this.distance);
  }
  drag(dx, dy) {
    this.azimuth -= 0.007 * dx;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + 0.007 * dy));
  }
  pan(dx, dy) {
    const { right, up } = this.basis();
    const unit = 1 / this.pixels(1);
    for (let k = 0; k < 3; ++k) this.target[k] += unit * (-dx * right[k] + dy * up[k]);
  }
  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance / factor, 1e-3 * (this.fitted || 1)), 50 * (this.fitted || 1));
  }
  get fovDegrees() {
    return (fov * 180) / Math.PI;
  }
}

// Drag turns or moves, with Shift or the right button it moves; the wheel and two fingers zoom; two clicks fit.
export function bindPointer(canvas, stage) {
  const down = new Map();
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, at(event));
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!down.has(event.pointerId)) return;
    const now = at(event), before = down.get(event.pointerId);
    const dx = now[0] - before[0], dy = now[1] - before[1];
    if (down.size === 2) {
      const other = [...down.entries()].find(([id]) => id !== event.pointerId)[1];
      const size = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      stage.view.zoom(size(now) / size(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      stage.view.pan(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons & 2) {
      stage.view.pan(dx, dy);
    } else {
      stage.view.drag(dx, dy);
    }
    down.set(event.pointerId, now);
    stage.moved();
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, (event) => down.delete(event.pointerId));
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('dblclick', () => stage.fit());
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 1 ? 24 * event.deltaY : event.deltaY;
      stage.view.zoom(Math.exp(-0.0016 * pixels), ...at(event));
      stage.moved();
    },
    { passive: false },
  );
}
