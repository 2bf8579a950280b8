// What a page holds, decoded: see src/taut/report in the sources of taut.

export const bytesOf = (text) => {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; ++k) out[k] = raw.charCodeAt(k);
  return out;
};
export const doubles = (text) => new Float64Array(bytesOf(text || '').buffer);
export const floats = (text) => new Float32Array(bytesOf(text || '').buffer);

// Bits, the highest of each byte first.
class Bits {
  constructor(bytes) {
    Object.assign(this, { bytes, at: 0, left: 8 });
  }
  take(count) {
    let value = 0;
    while (count > 0) {
      const now = Math.min(count, this.left);
      this.left -= now;
      value = value * (1 << now) + ((this.bytes[this.at] >> this.left) & ((1 << now) - 1));
      count -= now;
      if (this.left === 0) ++this.at, (this.left = 8);
    }
    return value;
  }
  // Ones before a zero, which is taken too; no more than `most`.
  ones(most) {
    let count = 0;
    while (count < most && this.take(1) === 1) ++count;
    return count;
  }
}

// Rows of whole numbers as differences from numbers before and from rows before: see src/taut/report/pack.hpp.
export function unpackRows(text, rows, length, lags) {
  const bits = new Bits(bytesOf(text)), out = new Float64Array(rows * length);
  for (let r = 0; r < rows; ++r) {
    const kind = bits.take(8), way = kind >> 2, row = out.subarray(r * length, (r + 1) * length);
    let sum = 0;
    for (let k = 0; k < length; ++k) {
      const mean = Math.floor(sum / 4), tail = mean > 0 ? 31 - Math.clz32(Math.min(mean, 2 ** 30)) : 0, ones = bits.ones(20);
      const z = ones < 20 ? ones * 2 ** tail + bits.take(tail) : bits.take(bits.take(6));
      row[k] = z % 2 === 0 ? z / 2 : -(z + 1) / 2;
      sum += Math.min(z, 4 * mean + 8) - mean;
    }
    for (let order = kind & 3; order > 0; --order) for (let k = 1; k < length; ++k) row[k] += row[k - 1];
    if (way === 0) continue;
    const lag = lags[(way - 1) >> 1], twice = way % 2 === 0, one = (r - lag) * length, two = (r - 2 * lag) * length;
    for (let k = 0; k < length; ++k) row[k] += twice ? 2 * out[one + k] - out[two + k] : out[one + k];
  }
  return out;
}

// One run: its scene, where its places are over time, its series.
export class Run {
  constructor(data, number) {
    Object.assign(this, { data, number, name: data.name || data.file, scene: data.scene, events: data.events || [] });
    this.dim = this.scene.dim;
    this.scene.links = this.scene.links.map(([kind, a, b]) => ({ kind, a, b }));
    let index = 0; // of curves that move, for their colours
    for (const curve of this.scene.curves) if (curve.places) curve.index = index++;
    const motion = data.motion;
    this.frames = motion ? motion.frames : 0;
    this.t = motion ? doubles(motion.t) : new Float64Array();
    this.plotT = doubles(data.plots.t);
    const times = this.frames > 1 ? this.t : this.plotT;
    this.start = times.length ? times[0] : 0;
    this.end = times.length ? times[times.length - 1] : 0;
    this.sign = this.end < this.start ? -1 : 1;
    if (motion) {
      this.quantum = motion.quantum;
      this.scalars = unpackRows(motion.data, motion.scalars, motion.frames, motion.lags);
      const units = new Set(motion.units);
      for (let s = 0; s < motion.scalars; ++s) {
        const unit = units.has(s) ? motion.unit_quantum : motion.quantum;
        for (let f = 0; f < motion.frames; ++f) this.scalars[s * motion.frames + f] *= unit;
      }
    }
    if (data.lambda) {
      const forces = this.scene.reactions.reduce((most, one) => Math.max(most, one[2] + 1), 0), stride = Math.ceil(forces / 300);
      this.drawnReactions = this.scene.reactions.filter((one) => one[2] % stride === 0);
      this.lambda = unpackRows(data.lambda.data, data.lambda.rows, motion.frames, data.lambda.lags);
      for (let k = 0; k < this.lambda.length; ++k) this.lambda[k] *= data.lambda.quantum;
    }
    this.series = data.plots.series.map((one) => ({ ...one, t: this.plotT, values: null }));
    this.addDrawnSeries();
  }

  // Of large models coordinates and multipliers are plotted as they are drawn.
  addDrawnSeries() {
    if (this.series.some((one) => one.group === 'coordinates') || !this.frames) return;
    const from = (row, all) => all.subarray(row * this.frames, (row + 1) * this.frames);
    this.scene.places.forEach((place) => {
      for (let k = 0; place.plain && k < this.dim; ++k)
        this.series.push({ group: 'coordinates', name: place.name + '.' + 'xyz'[k], t: this.t, values: from(place.x[k][0], this.scalars) });
    });
    if (this.lambda)
      this.data.lambda.names.forEach((name, row) =>
        this.series.push({ group: 'multipliers', name, t: this.t, values: from(row, this.lambda) }));
  }

  valuesOf(series) {
    if (!series.values) series.values = floats(series.data);
    return series.values;
  }
  find(group, name) {
    return this.series.find((one) => one.group === group && one.name === name);
  }

  // The moment t as a frame and the part of the way to the next one.
  moment(t) {
    const last = this.frames - 1;
    let low = 0, high = last;
    if (last <= 0 || this.sign * (t - this.t[0]) <= 0) return { frame: 0, part: 0 };
    if (this.sign * (t - this.t[last]) >= 0) return { frame: last, part: 0 };
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.sign * (this.t[middle] - t) <= 0) low = middle;
      else high = middle;
    }
    return { frame: low, part: (t - this.t[low]) / (this.t[high] - this.t[low]) };
  }
  nearestFrame(t) {
    const { frame, part } = this.moment(t);
    return part > 0.5 ? frame + 1 : frame;
  }

  number_(form, { frame, part }) {
    if (typeof form === 'number') return form;
    const at = form[0] * this.frames + frame;
    const x = this.scalars[at];
    return part > 0 ? x + part * (this.scalars[at + 1] - x) : x;
  }
  vector(form, moment) {
    return [this.number_(form[0], moment), this.number_(form[1], moment), this.number_(form[2], moment)];
  }
  place(p, moment) {
    return this.vector(this.scene.places[p].x, moment);
  }
  // All places, three numbers each.
  places(moment, out) {
    const all = this.scene.places;
    const to = out && out.length === 3 * all.length ? out : new Float64Array(3 * all.length);
    for (let p = 0; p < all.length; ++p)
      for (let k = 0; k < 3; ++k) to[3 * p + k] = this.number_(all[p].x[k], moment);
    return to;
  }
  lambdaAt(row, { frame, part }) {
    const at = row * this.frames + frame;
    const x = this.lambda[at];
    return part > 0 ? x + part * (this.lambda[at + 1] - x) : x;
  }

  // Forces that hold places: {place, x, force}; several rows may be parts of one. Of more than 300 every so many-th: they would hide each other.
  reactions(moment, at) {
    if (!this.lambda) return [];
    const found = new Map();
    for (const [place, row, number, way] of this.drawnReactions) {
      const x = [at[3 * place], at[3 * place + 1], at[3 * place + 2]];
      if (!found.has(number)) found.set(number, { place, x, force: [0, 0, 0] });
      const lambda = this.lambdaAt(row, moment), { force } = found.get(number);
      for (let k = 0; k < 3; ++k) force[k] -= lambda * (Array.isArray(way) ? way[k] : x[k] - at[3 * way + k]);
    }
    return [...found.values()];
  }

  // The smallest box around everything that moves, and around what stands still near it.
  box() {
    if (this.box_) return this.box_;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const range = new Map();
    const grow = (k, x) => {
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    };
    const add = (form, k, pad) => {
      if (typeof form === 'number') {
        grow(k, form - pad);
        grow(k, form + pad);
        return;
      }
      const s = form[0];
      if (!range.has(s)) {
        let a = Infinity, b = -Infinity;
        for (let f = 0; f < this.frames; ++f) {
          const x = this.scalars[s * this.frames + f];
          if (x < a) a = x;
          if (x > b) b = x;
        }
        range.set(s, [a, b]);
      }
      grow(k, range.get(s)[0] - pad);
      grow(k, range.get(s)[1] + pad);
    };
    for (const place of this.scene.places) place.x.forEach((form, k) => add(form, k, 0));
    for (const solid of this.scene.solids) solid.origin.forEach((form, k) => add(form, k, radiusOf(solid)));
    if (low[0] > high[0]) return null;
    const size = Math.max(...[0, 1, 2].map((k) => high[k] - low[k]), 1e-9);
    const inner = { low: [...low], high: [...high] };
    for (const curve of this.scene.curves)
      for (const x of curve.fixed || [])
        for (let k = 0; k < 3; ++k)
          grow(k, Math.min(Math.max(x[k], inner.low[k] - 0.12 * size), inner.high[k] + 0.12 * size));
    for (const plane of this.scene.planes) {
      // The point of the plane nearest to the middle.
      const middle = [0, 1, 2].map((k) => (inner.low[k] + inner.high[k]) / 2);
      const d = plane.offset - plane.normal.reduce((sum, n, k) => sum + n * middle[k], 0);
      if (Math.abs(d) < 1.5 * size) plane.normal.forEach((n, k) => grow(k, middle[k] + d * n));
    }
    this.box_ = { low, high, size };
    return this.box_;
  }

  // Points that a picture is to show, three numbers each: places and bodies at some moments, and of what stands still as much as is near.
  outline() {
    if (this.outline_) return this.outline_;
    const out = [], box = this.box();
    if (!box) return out;
    // Of many places, bodies and moments some: 600, 100, and as many as make 12 000 points.
    const some = (all, most) => all.filter((_, k) => k % Math.ceil(all.length / most) === 0);
    const places = some(this.scene.places, 600), solids = some(this.scene.solids, 100);
    const moments = Math.max(1, Math.floor(12000 / (places.length + 6 * solids.length)));
    for (let frame = 0; frame < this.frames; frame += Math.ceil(this.frames / moments)) {
      for (const { x } of places) out.push(...this.vector(x, { frame, part: 0 }));
      for (const solid of solids)
        for (let k = 0; k < 6; ++k) {
          const x = this.vector(solid.origin, { frame, part: 0 });
          x[k >> 1] += (k % 2 === 0 ? 1 : -1) * radiusOf(solid);
          out.push(...x);
        }
    }
    // Curves that stay near are shown whole, of others what is in the box.
    const far = 1.2 * box.size, near = (x) => x.every((at, k) => at > box.low[k] - far && at < box.high[k] + far);
    for (const { fixed = [] } of this.scene.curves) {
      const whole = fixed.every(near);
      for (const x of fixed) out.push(...x.map((at, k) => (whole ? at : Math.min(Math.max(at, box.low[k]), box.high[k]))));
    }
    return (this.outline_ = out);
  }

  // A length for arrows: the force that only one in fifty is above.
  typicalForce() {
    if (this.typical_ !== undefined) return this.typical_;
    const sizes = [];
    const stride = Math.max(1, Math.floor(this.frames / 60));
    for (let f = 0; f < this.frames && this.lambda; f += stride) {
      const moment = { frame: f, part: 0 };
      for (const one of this.reactions(moment, this.places(moment))) sizes.push(Math.hypot(...one.force));
    }
    sizes.sort((a, b) => a - b);
    this.typical_ = sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
    return this.typical_;
  }
}

export function radiusOf(solid) {
  let most = 0;
  for (const shape of solid.shapes) most = Math.max(most, Math.hypot(...shape.at) + 0.5 * Math.hypot(...shape.size));
  return most;
}

// A number for people: four digits, no trailing zeros.
export function shown(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return '\u2013';
  if (x === 0) return '0';
  if (!Number.isFinite(x)) return x > 0 ? '\u221e' : '\u2212\u221e';
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(digits - 1) : x.toPrecision(digits);
  const [mantissa, exponent] = text.split('e');
  const plain = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return (exponent === undefined ? plain : plain + 'e' + Number(exponent)).replace('-', '\u2212').replace('e-', 'e\u2212');
}
