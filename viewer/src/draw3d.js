// Draws a picture in space with WebGL.
import { Camera, Geometry, Mesh, Program, Renderer, Transform } from 'ogl';
import { cylinderMesh, shapeMesh, sphereMesh } from './shapes.js';

const lightCode = `
  vec3 lit(vec3 colour, vec3 n) {
    float key = max(dot(n, normalize(vec3(0.4, 0.65, 0.75))), 0.0), sky = 0.5 + 0.5 * n.y;
    return colour * (0.42 + 0.22 * sky + 0.5 * key);
  }`;
const fragment = `#version 300 es
  precision highp float;
  in vec3 n; in vec4 colour; out vec4 result;
  ${lightCode}
  void main() { result = vec4(lit(colour.rgb, normalize(n)), colour.a); }`;

// Spheres: a place, a radius, a colour each.
const sphereVertex = `#version 300 es
  in vec3 position; in vec3 normal; in vec4 place; in vec4 tint;
  uniform mat4 viewMatrix; uniform mat4 projectionMatrix; out vec3 n; out vec4 colour;
  void main() {
    n = mat3(viewMatrix) * normal; colour = tint;
    gl_Position = projectionMatrix * viewMatrix * vec4(place.xyz + place.w * position, 1.0);
  }`;
// Bars from one place to another, of a radius; the same for heads of arrows.
const barVertex = `#version 300 es
  in vec3 position; in vec3 normal; in vec4 start; in vec3 end; in vec4 tint;
  uniform mat4 viewMatrix; uniform mat4 projectionMatrix; out vec3 n; out vec4 colour;
  void main() {
    vec3 d = end - start.xyz; float size = length(d); vec3 z = size > 0.0 ? d / size : vec3(0.0, 0.0, 1.0);
    vec3 x = normalize(abs(z.z) < 0.9 ? cross(z, vec3(0.0, 0.0, 1.0)) : cross(z, vec3(1.0, 0.0, 0.0))), y = cross(z, x);
    mat3 turn = mat3(x, y, z);
    n = mat3(viewMatrix) * (turn * normal); colour = tint;
    vec3 p = start.xyz + turn * vec3(start.w * position.xy, size * position.z);
    gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
  }`;
const lineVertex = `#version 300 es
  in vec3 position; in vec4 tint; uniform mat4 viewMatrix; uniform mat4 projectionMatrix; out vec4 colour;
  void main() { colour = tint; gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }`;
const lineFragment = `#version 300 es
  precision highp float;
  in vec4 colour; out vec4 result;
  void main() { result = colour; }`;
const solidVertex = `#version 300 es
  in vec3 position; in vec3 normal; uniform mat4 place;
  uniform mat4 viewMatrix; uniform mat4 projectionMatrix; uniform vec4 uTint; out vec3 n; out vec4 colour;
  void main() {
    n = mat3(viewMatrix) * (mat3(place) * normal); colour = uTint;
    gl_Position = projectionMatrix * viewMatrix * place * vec4(position, 1.0);
  }`;

// Many copies of a mesh; numbers of each copy grow with what is drawn.
class Copies {
  constructor(gl, scene, mesh, vertex, layout, ghosts = false) {
    Object.assign(this, { gl, layout, ghosts, capacity: 0, count: 0, data: {} });
    this.program = new Program(gl, { vertex, fragment, transparent: true, cullFace: null, depthWrite: !ghosts });
    this.base = { position: { size: 3, data: new Float32Array(mesh.position) }, normal: { size: 3, data: new Float32Array(mesh.normal) } };
    this.scene = scene;
    this.grow(64);
  }
  grow(capacity) {
    if (this.node) this.node.setParent(null);
    this.capacity = capacity;
    const attributes = { ...this.base };
    for (const name in this.layout) {
      const data = new Float32Array(capacity * this.layout[name]);
      if (this.data[name]) data.set(this.data[name]);
      this.data[name] = data;
      attributes[name] = { instanced: 1, size: this.layout[name], data, usage: this.gl.DYNAMIC_DRAW };
    }
    this.geometry = new Geometry(this.gl, attributes);
    this.node = new Mesh(this.gl, { geometry: this.geometry, program: this.program, frustumCulled: false });
    this.node.renderOrder = this.ghosts ? 1 : 0; // they hide nothing
    this.node.setParent(this.scene);
  }
  add(values) {
    if (this.count === this.capacity) this.grow(2 * this.capacity);
    for (const name in this.layout) this.data[name].set(values[name], this.count * this.layout[name]);
    ++this.count;
  }
  finish() {
    for (const name in this.layout) this.geometry.attributes[name].needsUpdate = true;
    this.geometry.setInstancedCount?.(this.count);
    this.geometry.instancedCount = this.count;
    this.node.visible = this.count > 0;
  }
}

const rgba = (hex, alpha = 1) => {
  const number = parseInt(hex.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255, alpha];
};

export class Drawer3d {
  constructor(canvas) {
    this.renderer = new Renderer({ canvas, dpr: 1, alpha: true, antialias: true, depth: true, webgl: 2, preserveDrawingBuffer: true });
    const { gl } = this.renderer;
    if (!this.renderer.isWebgl2) throw new Error('no WebGL 2');
    gl.clearColor(0, 0, 0, 0);
    this.camera = new Camera(gl, { fov: 35, near: 0.01, far: 100 });
    this.scene = new Transform();
    const spheres = (ghosts) => new Copies(gl, this.scene, sphereMesh(), sphereVertex, { place: 4, tint: 4 }, ghosts);
    const bars = (ghosts) => new Copies(gl, this.scene, cylinderMesh(), barVertex, { start: 4, end: 3, tint: 4 }, ghosts);
    Object.assign(this, { spheres: spheres(false), bars: bars(false), ghostSpheres: spheres(true), ghostBars: bars(true) });
    this.cones = new Copies(gl, this.scene, cylinderMesh(1, 0, 1, 0), barVertex, { start: 4, end: 3, tint: 4 });
    this.copies = [this.spheres, this.bars, this.cones, this.ghostSpheres, this.ghostBars];
    this.solids = new Map();
    this.makeLines(4096);
  }

  makeLines(capacity) {
    const { gl } = this.renderer;
    this.lines?.node.setParent(null);
    const position = new Float32Array(3 * capacity), tint = new Float32Array(4 * capacity);
    const geometry = new Geometry(gl, {
      position: { size: 3, data: position, usage: gl.DYNAMIC_DRAW },
      tint: { size: 4, data: tint, usage: gl.DYNAMIC_DRAW },
    });
    const program = new Program(gl, { vertex: lineVertex, fragment: lineFragment, transparent: true, depthWrite: false });
    const node = new Mesh(gl, { mode: gl.LINES, geometry, program, frustumCulled: false });
    node.setParent(this.scene);
    this.lines = { capacity, count: 0, position, tint, geometry, node };
  }

  resize(width, height, ratio) {
    this.renderer.dpr = ratio;
    this.renderer.setSize(width, height);
    this.camera.perspective({ aspect: width / height });
  }

  line(a, b, colour) {
    if (this.lines.count + 2 > this.lines.capacity) {
      const old = this.lines;
      this.makeLines(2 * old.capacity);
      this.lines.position.set(old.position);
      this.lines.tint.set(old.tint);
      this.lines.count = old.count;
    }
    const { position, tint } = this.lines, k = this.lines.count;
    position.set(a, 3 * k);
    position.set(b, 3 * k + 3);
    tint.set(colour, 4 * k);
    tint.set(colour, 4 * k + 4);
    this.lines.count += 2;
  }

  draw(picture) {
    const { view, colours } = picture;
    for (const copies of this.copies) copies.count = 0;
    this.lines.count = 0;
    for (const parts of this.solids.values()) for (const part of parts) part.node.visible = false;
    const grid = rgba(colours.gridSolid, 0.9);
    for (const [a, b] of picture.floor || []) this.line(a, b, grid);
    const main = picture.layers[0];
    if (main) {
      const rail = rgba(colours.rail, 0.7);
      for (const curve of main.run.scene.curves)
        for (let k = 1; k < (curve.fixed || []).length; ++k) this.line(curve.fixed[k - 1], curve.fixed[k], rail);
    }
    for (const layer of picture.layers) {
      for (const ghost of layer.ghosts) this.bodies(layer, ghost.at, ghost.moment, ghost.alpha, picture);
      for (const trace of layer.traces) this.trace(trace, layer);
      this.bodies(layer, layer.at, layer.moment, layer.alpha, picture);
      for (const arrow of layer.arrows) this.arrow(arrow, picture);
    }
    for (const copies of this.copies) copies.finish();
    this.lines.geometry.attributes.position.needsUpdate = true;
    this.lines.geometry.attributes.tint.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, this.lines.count);
    this.camera.perspective({ near: 0.01 * view.distance, far: 20 * view.distance + 20 * picture.size, fov: view.fovDegrees });
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(...view.eye());
    this.camera.lookAt(view.target);
    this.renderer.render({ scene: this.scene, camera: this.camera });
  }

  trace({ points, colour, recent }, layer) {
    const count = points.length / 3, from = count - recent;
    const near = rgba(colour, 0.95 * layer.alpha), far = rgba(colour, 0.5 * layer.alpha);
    for (let k = 1; k < count; ++k)
      this.line(points.subarray(3 * k - 3, 3 * k), points.subarray(3 * k, 3 * k + 3), k >= from ? near : far);
  }

  bodies(layer, at, moment, alpha, { size }) {
    const { run, style } = layer, { scene } = run;
    const place = (p) => [at[3 * p], at[3 * p + 1], at[3 * p + 2]];
    const thick = 0.006 * size * style.thin, rod = rgba(style.rod, alpha);
    const ghost = alpha < 0.5, bars = ghost ? this.ghostBars : this.bars, balls = ghost ? this.ghostSpheres : this.spheres;
    const bar = (a, b, radius, tint) => bars.add({ start: [...a, radius], end: b, tint });
    const ball = (x, radius, tint) => balls.add({ place: [...x, radius], tint });
    for (const link of scene.links) {
      const tint = link.kind === 'rod' ? rod : rgba(style[link.kind] || style.rod, alpha);
      if (link.kind === 'spring') this.coil(place(link.a), place(link.b), thick, tint, bar);
      else bar(place(link.a), place(link.b), thick, tint);
    }
    for (const one of scene.curves) {
      if (!one.places) continue;
      const curve = rgba(style.curves[one.index % style.curves.length], alpha), seen = one.stripe ? 0.009 * size : 1.2 * thick;
      const radius = one.radius > 0.15 * seen ? one.radius : seen; // its own, where that can be seen
      for (let k = 0; k < one.places.length; ++k) {
        if (k > 0) bar(place(one.places[k - 1]), place(one.places[k]), radius, curve);
        if (!ghost) ball(place(one.places[k]), radius, curve);
      }
      if (one.stripe && alpha > 0.5) this.stripe(one, place, run, moment, radius, rgba(style.stripe, alpha), bar);
    }
    const mass = rgba(style.mass, alpha), point = rgba(style.point, alpha);
    scene.places.forEach((one, p) => {
      if (one.kind === 'mass') ball(place(p), 0.02 * size * style.thin, mass);
      else if (one.kind === 'point' || one.kind === 'mark') ball(place(p), (one.kind === 'point' ? 0.012 : 0.007) * size * style.thin, point);
    });
    for (const solid of layer.solids(moment)) this.solid(solid, layer, alpha);
  }

  // A line along a rod, where its first director points: it shows the twist.
  stripe(curve, place, run, moment, radius, tint, bar) {
    let before;
    for (let k = 0; k < curve.places.length; ++k) {
      const d = run.vector(curve.stripe[k], moment), size = Math.hypot(...d) || 1, x = place(curve.places[k]);
      const now = x.map((a, i) => a + (0.72 * radius * d[i]) / size);
      if (before) bar(before, now, 0.5 * radius, tint);
      before = now;
    }
  }

  coil(a, b, thick, tint, bar) {
    const d = [0, 1, 2].map((k) => b[k] - a[k]), length = Math.hypot(...d);
    if (length === 0) return;
    const z = d.map((x) => x / length), helper = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    const x = cross(z, helper), size = Math.hypot(...x), u = x.map((s) => s / size), w = cross(z, u);
    const turns = 8, radius = Math.min(3.2 * thick, 0.2 * length);
    let before = a;
    for (let k = 1; k <= 12 * turns; ++k) {
      const s = k / (12 * turns), angle = 2 * Math.PI * turns * s, wide = radius * Math.min(1, 8 * s, 8 * (1 - s));
      const now = [0, 1, 2].map((i) => a[i] + s * d[i] + wide * (Math.cos(angle) * u[i] + Math.sin(angle) * w[i]));
      bar(before, now, 0.5 * thick, tint);
      before = now;
    }
  }

  solid(solid, layer, alpha) {
    if (alpha < 0.5) return; // ghosts of bodies would hide each other
    const { gl } = this.renderer, key = layer.run.number + '\n' + solid.index;
    if (!this.solids.has(key)) {
      this.solids.set(key, solid.shapes.map((shape) => {
        const mesh = shapeMesh(shape);
        const geometry = new Geometry(gl, {
          position: { size: 3, data: new Float32Array(mesh.position) },
          normal: { size: 3, data: new Float32Array(mesh.normal) },
        });
        const program = new Program(gl, {
          vertex: solidVertex, fragment, cullFace: null,
          uniforms: { place: { value: new Float32Array(16) }, uTint: { value: new Float32Array(4) } },
        });
        const node = new Mesh(gl, { geometry, program, frustumCulled: false });
        node.setParent(this.scene);
        return { node, program };
      }));
    }
    for (const { node, program } of this.solids.get(key)) {
      const { origin, axes } = solid;
      program.uniforms.place.value.set([...axes[0], 0, ...axes[1], 0, ...axes[2], 0, ...origin, 1]);
      program.uniforms.uTint.value.set(rgba(solid.still ? layer.style.wall : layer.style.solids[solid.index % layer.style.solids.length], alpha));
      node.visible = true;
    }
  }

  arrow({ from, to }, { colours, size }) {
    const d = [0, 1, 2].map((k) => to[k] - from[k]), length = Math.hypot(...d), radius = 0.006 * size;
    if (length < radius) return;
    const head = Math.min(0.4 * length, 6 * radius), neck = from.map((x, k) => x + d[k] * (1 - head / length));
    const tint = rgba(colours.force);
    this.bars.add({ start: [...from, radius], end: neck, tint });
    this.cones.add({ start: [...neck, 2.4 * radius], end: to, tint });
  }
}
