// Pages of studies: words, tables, and charts of any numbers, logarithmic or not.
import { button, element } from './dom.js';
import { shown } from './data.js';

const colours = ['#2a66d9', '#d9622b', '#2a9d6f', '#a347ba', '#b08900', '#c2385a', '#0f8b9d', '#6b6f76'];
const shapes = ['circle', 'square', 'diamond'];

export function svg(tag, properties = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function scaleOf(values, log, from, to, pad = 0.06) {
  const usable = values.filter((x) => Number.isFinite(x) && (!log || x > 0)), f = log ? Math.log10 : (x) => x;
  let low = f(usable.reduce((a, b) => (b < a ? b : a), Infinity)), high = f(usable.reduce((a, b) => (b > a ? b : a), -Infinity));
  if (!usable.length) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  [low, high] = [low - pad * (high - low), high + pad * (high - low)];
  const place = (x) => from + ((f(x) - low) / (high - low)) * (to - from);
  const ticks = [];
  if (log) {
    const stride = Math.max(1, Math.ceil((high - low) / 6));
    for (let k = Math.ceil(low); k <= high; ++k) if (k % stride === 0) ticks.push([place(10 ** k), `1e${k}`]);
    if (ticks.length < 3) {
      ticks.length = 0;
      for (let k = Math.floor(low); k <= high; ++k)
        for (const digit of [1, 2, 5]) if (Math.log10(digit) + k >= low && Math.log10(digit) + k <= high) ticks.push([place(digit * 10 ** k), shown(digit * 10 ** k, 2)]);
    }
  } else {
    const ten = 10 ** Math.floor(Math.log10((high - low) / 4)), step = [10, 5, 2, 1].find((d) => (high - low) / (d * ten) >= 3) * ten || ten;
    // As many digits as tell one tick from the next.
    const digits = Math.min(9, Math.max(3, 1 + Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step))));
    for (let k = Math.ceil(low / step); k * step <= high; ++k) ticks.push([place(k * step), shown(k * step, digits)]);
  }
  return { place, ticks, good: (x) => Number.isFinite(x) && (!log || x > 0) };
}

// Ends that make units as long in y as in x, for pictures of shapes, on an area of this width and height.
export function sameUnits(x, y, width, height) {
  const span = (all) => all.filter(Number.isFinite).reduce(([low, high], one) => [one < low ? one : low, one > high ? one : high], [Infinity, -Infinity]);
  const [left, right] = span(x), [bottom, top] = span(y);
  const unit = Math.max((right - left) / width, (top - bottom) / height);
  const ends = (low, high, length) => [(low + high - unit * length) / 2, (low + high + unit * length) / 2];
  return [ends(left, right, width), ends(bottom, top, height)];
}

function mark(kind, x, y, colour) {
  if (kind === 'square') return svg('rect', { x: x - 4, y: y - 4, width: 8, height: 8, fill: colour });
  if (kind === 'diamond') return svg('path', { d: `M${x} ${y - 5.5}L${x + 5.5} ${y}L${x} ${y + 5.5}L${x - 5.5} ${y}z`, fill: colour });
  return svg('circle', { cx: x, cy: y, r: 4.2, fill: colour });
}

// Points of a line, stroke by stroke: a place that is nothing lifts the pen.
function strokes(line) {
  const out = [[]];
  line.x.forEach((a, i) => { if (a === null) out.push([]); else out[out.length - 1].push([a, line.y[i]]); });
  return out;
}

function chart(given) {
  const width = innerWidth < 600 ? 440 : 760, height = innerWidth < 600 ? 360 : 430, left = 78, bottom = 54, top = 14, right = 14;
  const along = given.lines.flatMap((line) => line.x), up = given.lines.flatMap((line) => line.y);
  const [wide, high] = given.equal ? sameUnits(along, up, width - right - left, height - bottom - top) : [along, up];
  const x = scaleOf(wide, given.logx, left, width - right);
  const y = scaleOf(given.equal ? high : high.concat(given.span || []), given.logy, height - bottom, top);
  const node = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'study-chart', 'aria-label': given.title });
  for (const [at, label] of x.ticks) {
    node.append(svg('line', { x1: at, x2: at, y1: top, y2: height - bottom, class: 'grid' }));
    node.append(svg('text', { x: at, y: height - bottom + 20, 'text-anchor': 'middle' }, label));
  }
  for (const [at, label] of y.ticks) {
    node.append(svg('line', { x1: left, x2: width - right, y1: at, y2: at, class: 'grid' }));
    node.append(svg('text', { x: left - 8, y: at + 5, 'text-anchor': 'end' }, label));
  }
  node.append(svg('text', { x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle' }, given.xlabel || ''));
  node.append(svg('text', { x: 16, y: (top + height - bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 16 ${(top + height - bottom) / 2})` }, given.ylabel || ''));
  const keys = element('div', { class: 'legend' });
  const groups = given.lines.map((line, k) => {
    const colour = colours[k % colours.length], kind = shapes[Math.floor(k / colours.length) % shapes.length], group = svg('g');
    const points = line.x.map((a, i) => [a, line.y[i]]).filter(([a, b]) => x.good(a) && y.good(b)).map(([a, b]) => [x.place(a), y.place(b)]);
    if (!line.pointsOnly) {
      for (const part of strokes(line)) {
        const places = part.filter(([a, b]) => x.good(a) && y.good(b)).map(([a, b]) => x.place(a).toFixed(1) + ',' + y.place(b).toFixed(1));
        group.append(svg('polyline', { points: places.join(' '), fill: 'none', stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round' }));
      }
    }
    if (line.marks || line.pointsOnly) for (const [a, b] of points) group.append(mark(kind, a, b, colour));
    const title = svg('title', {}, line.name);
    group.append(title);
    node.append(group);
    return group;
  });
  given.lines.forEach((line, k) => {
    const swatch = element('span', { class: 'swatch' });
    swatch.style.background = colours[k % colours.length];
    const dim = (on) => groups.forEach((group, other) => group.setAttribute('opacity', on && other !== k ? 0.12 : 1));
    keys.append(element('button', { type: 'button', class: 'quiet key', onmouseenter: () => dim(true), onmouseleave: () => dim(false), onfocus: () => dim(true), onblur: () => dim(false) },
      swatch, element('span', { class: 'key-name' }, line.name)));
  });
  return element('section', { class: 'card panel', 'aria-label': given.title }, element('h2', {}, given.title), node, keys);
}

function table(given) {
  const cell = (value) => (typeof value === 'number' ? shown(value, 6) : value === null ? '\u2013' : String(value));
  return element('section', { class: 'card panel wide', 'aria-label': given.title }, element('h2', {}, given.title),
    element('div', { class: 'scroll' }, element('table', { class: 'figures' },
      element('thead', {}, element('tr', {}, given.head.map((one) => element('th', { scope: 'col' }, one)))),
      element('tbody', {}, given.rows.map((row) => element('tr', {}, row.map((value) => element('td', { class: typeof value === 'number' ? 'number' : '' }, cell(value)))))))));
}

export function showStudy(data, app, chooseTheme) {
  const { study } = data, root = document.documentElement;
  document.title = study.title;
  const turn = () => chooseTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
  const tone = study.tone || 'neutral';
  app.replaceChildren(
    element('header', {}, element('div', { class: 'title' }, element('h1', {}, study.title), element('p', { class: 'soft' }, study.subtitle || '')),
      element('div', { class: 'head-tools' }, study.verdict ? element('span', { class: 'chip ' + tone, id: 'verdict' }, study.verdict) : null, button('theme', 'Light or dark', turn))),
    element('main', { class: 'study' },
      (study.text || []).length ? element('section', { class: 'card panel wide' }, study.text.map((line) => element('p', {}, line))) : null,
      (study.charts || []).filter((one) => one.lines.length).map(chart), (study.tables || []).map(table),
      study.model && !data.runs ? element('section', { class: 'card panel wide' }, element('h2', {}, 'Model'), element('details', {}, element('summary', {}, 'Text'), element('pre', {}, study.model))) : null));
}
