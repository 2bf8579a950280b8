// Triangles of shapes: points and normals in a row, three for each triangle.

const push = (out, points, normals) => {
  for (const p of points) out.position.push(...p);
  for (const n of normals) out.normal.push(...n);
};

function boxMesh([a, b, c]) {
  const out = { position: [], normal: [] };
  const size = [a / 2, b / 2, c / 2];
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [-1, 1]) {
      const u = (axis + 1) % 3, w = (axis + 2) % 3;
      const corner = (i, j) => {
        const p = [0, 0, 0];
        p[axis] = side * size[axis];
        p[u] = i * size[u];
        p[w] = j * size[w];
        return p;
      };
      const n = [0, 0, 0];
      n[axis] = side;
      const [p, q, r, s] = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
      push(out, side > 0 ? [p, q, r, p, r, s] : [p, r, q, p, s, r], [n, n, n, n, n, n]);
    }
  return out;
}

// A surface of revolution about z through rings [radius, z, normal in r, normal in z].
function revolved(rings, around = 28) {
  const out = { position: [], normal: [] };
  const at = (ring, k) => {
    const angle = (2 * Math.PI * k) / around, c = Math.cos(angle), s = Math.sin(angle);
    return [[ring[0] * c, ring[0] * s, ring[1]], [ring[2] * c, ring[2] * s, ring[3]]];
  };
  for (let i = 0; i + 1 < rings.length; ++i)
    for (let k = 0; k < around; ++k) {
      const corners = [at(rings[i], k), at(rings[i], k + 1), at(rings[i + 1], k + 1), at(rings[i + 1], k)];
      const order = [0, 1, 2, 0, 2, 3];
      push(out, order.map((n) => corners[n][0]), order.map((n) => corners[n][1]));
    }
  return out;
}

function halfSphere(radius, z, lower, steps = 10) {
  const rings = [];
  for (let k = 0; k <= steps; ++k) {
    const angle = (0.5 * Math.PI * (lower ? k - steps : k)) / steps;
    rings.push([radius * Math.cos(angle), z + radius * Math.sin(angle), Math.cos(angle), Math.sin(angle)]);
  }
  return rings;
}

export function sphereMesh(radius = 1) {
  return revolved([...halfSphere(radius, 0, true), ...halfSphere(radius, 0, false).slice(1)]);
}
export function cylinderMesh(radius = 1, low = 0, high = 1, top = radius) {
  return revolved([
    [0, low, 0, -1], [radius, low, 0, -1], [radius, low, 1, 0], [top, high, 1, 0], [top, high, 0, 1], [0, high, 0, 1],
  ], 20);
}

export function shapeMesh(shape) {
  const [a, b] = shape.size;
  let mesh;
  if (shape.kind === 'sphere') mesh = sphereMesh(a);
  else if (shape.kind === 'cylinder') mesh = revolved([
    [0, -b / 2, 0, -1], [a, -b / 2, 0, -1], [a, -b / 2, 1, 0], [a, b / 2, 1, 0], [a, b / 2, 0, 1], [0, b / 2, 0, 1],
  ]);
  else if (shape.kind === 'capsule') mesh = revolved([...halfSphere(a, -b / 2, true), ...halfSphere(a, b / 2, false)]);
  else if (shape.kind === 'rod') mesh = boxMesh([a, b, b]);
  else mesh = boxMesh(shape.size);
  const turn = (list, shift) => {
    for (let k = 0; k < list.length; k += 3) {
      const x = list.slice(k, k + 3);
      for (let c = 0; c < 3; ++c)
        list[k + c] = x[0] * shape.axes[0][c] + x[1] * shape.axes[1][c] + x[2] * shape.axes[2][c] + (shift ? shape.at[c] : 0);
    }
  };
  turn(mesh.position, true);
  turn(mesh.normal, false);
  return mesh;
}

// The outline of a shape seen along z, in the body: closed lines of points.
export function shapeOutline(shape) {
  const [a, b, c] = shape.size;
  const circle = (radius, x = 0, from = 0, to = 2 * Math.PI) => {
    const out = [];
    for (let k = 0; k <= 36; ++k) {
      const angle = from + ((to - from) * k) / 36;
      out.push([x + radius * Math.cos(angle), radius * Math.sin(angle), 0]);
    }
    return out;
  };
  const rectangle = (w, h) => [[-w / 2, -h / 2, 0], [w / 2, -h / 2, 0], [w / 2, h / 2, 0], [-w / 2, h / 2, 0]];
  const flat = Math.abs(shape.axes[2][2]) > 0.5; // its z is that of the body
  let points;
  if (shape.kind === 'sphere') points = circle(a);
  else if (shape.kind === 'cylinder' && flat) points = circle(a);
  else if (shape.kind === 'capsule' && flat) points = circle(a);
  else if (shape.kind === 'cylinder') points = rectangle(2 * a, b).map(([x, y]) => [x, 0, y]);
  else if (shape.kind === 'capsule') points = [...circle(a, 0, 0, Math.PI).map(([x, y]) => [x, 0, b / 2 + y]),
    ...circle(a, 0, Math.PI, 2 * Math.PI).map(([x, y]) => [x, 0, -b / 2 + y])];
  else if (shape.kind === 'rod') points = rectangle(a, b || 0.04 * a);
  else points = rectangle(a, b || c);
  return points.map((x) => [0, 1, 2].map((k) => shape.at[k] + x[0] * shape.axes[0][k] + x[1] * shape.axes[1][k] + x[2] * shape.axes[2][k]));
}

// A point of a body in space.
export function inSpace(frame, x) {
  return [0, 1, 2].map((k) => frame.origin[k] + x[0] * frame.axes[0][k] + x[1] * frame.axes[1][k] + x[2] * frame.axes[2][k]);
}
