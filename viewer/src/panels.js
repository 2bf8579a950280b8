// What is said in words: the verdict, the certificate, the model, how the page was made.
import { copyButton, element, icon } from './dom.js';
import { shown } from './data.js';

const grades = {
  good: ['good', 'check', 'Good'], fair: ['fair', 'warn', 'Fair'], poor: ['bad', 'warn', 'Poor'],
  unverified: ['neutral', 'dash', 'Unverified'], bad: ['bad', 'cross', 'Failed'],
};

export function gradeOf(run) {
  const certificate = run.data.certificate;
  if (!certificate) return ['neutral', 'dash', run.data.verdict === 'running' ? 'Not finished' : 'No certificate'];
  if (['failed', 'diverged'].includes(certificate.verdict)) return ['bad', 'cross', certificate.verdict === 'failed' ? 'Failed' : 'Diverged'];
  return grades[certificate.grade] || grades.unverified;
}

export function chip(run) {
  const [tone, sign, word] = gradeOf(run);
  return element('span', { class: 'chip ' + tone, id: run.number === 0 ? 'verdict' : undefined }, icon(sign), word);
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : '');

export function summaryOf(run) {
  const certificate = run.data.certificate;
  if (!certificate) return 'The run did not end; this is what there is of it.';
  return sentence(certificate.summary.replace(/^(good|fair|poor|bad|unverified): /i, ''));
}

function table(rows) {
  return element('table', { class: 'figures' }, element('tbody', {}, rows.filter(Boolean).map(([name, value, note]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value), element('td', { class: 'soft' }, note || '')))));
}

function conservedRow(one, unit) {
  const relative = one.scale > 0 ? `${shown(one.deviation / one.scale, 2)} of ${shown(one.scale, 3)}${unit}` : '';
  return [one.name || 'energy', '\u00b1' + shown(one.deviation, 3) + unit, `starts at ${shown(one.start)}${unit}, drifts by ${shown(one.drift, 2)}${unit}${relative ? '; ' + relative : ''}`];
}

export function certificatePanel(run) {
  const c = run.data.certificate;
  const node = element('section', { class: 'card panel', 'aria-label': 'Certificate', id: run.number === 0 ? 'certificate' : undefined });
  node.append(element('h2', {}, 'Certificate', chip(run)));
  node.append(element('p', { class: 'summary' }, summaryOf(run)));
  if (!c) {
    node.append(element('p', {}, sentence(run.data.message || '')));
    return node;
  }
  if (!['reached'].includes(c.verdict)) node.append(element('p', {}, `${sentence(c.verdict)} ${sentence(c.message)}`));
  const joule = c.units ? ' J' : '', metre = c.units ? ' m' : '';
  node.append(table([
    ['time', `${shown(c.t_start)} to ${shown(c.t_end)}${c.units ? ' s' : ''}`, run.data.until !== c.t_end ? `asked for ${shown(run.data.until)}` : ''],
    c.conservative ? conservedRow(c.energy, joule) : ['energy', 'changes', 'forces do work, or something is driven: it says nothing of accuracy'],
    c.own_energy && conservedRow(c.own_energy, joule),
    ...c.momenta.map((one) => conservedRow(one, '')),
    ['constraints', shown(c.gap, 3) + metre, c.worst ? `largest gap, of ${c.worst}` : ''],
    ['their rates', shown(c.velocity_gap, 3) + (c.units ? ' m/s' : ''), ''],
    c.penetration > 0 && ['penetration', shown(c.penetration, 3), ''],
    c.singular.length > 0 && ['singular places', String(c.singular.length), 'at t = ' + c.singular.slice(0, 5).map((x) => shown(x)).join(', ')],
    ['steps', String(c.steps), `${shown(c.smallest_step, 3)} to ${shown(c.largest_step, 3)}${c.retried ? `, ${c.retried} retried` : ''}${c.rejected ? `, ${c.rejected} rejected` : ''}`],
    ['integrator', c.integrator, c.solver],
    c.dependent.length > 0 && ['dependent', String(c.dependent.length), 'constraints that follow from others: ' + c.dependent.slice(0, 4).join(', ')],
  ]));
  node.append(element('details', {}, element('summary', {}, 'As the program prints it'), element('pre', {}, c.text || '')));
  return node;
}

export function modelPanel(run) {
  const { model, model_file: file, command } = run.data;
  return element('section', { class: 'card panel', 'aria-label': 'Model' },
    element('h2', {}, 'Model'),
    element('div', { class: 'command' }, element('code', {}, command), copyButton(command)),
    element('p', { class: 'soft' }, `makes this run again, from the text below${file ? ' in ' + file : ''}.`),
    element('details', { open: (model || '').length < 4000 }, element('summary', {}, 'Text'), element('pre', { class: 'model' }, model || ''),
      copyButton(model || '')));
}

const keys = [
  ['Space', 'play, pause'], ['\u2190 \u2192', 'one record back, on; with Shift ten'], ['Home End', 'first, last record'], ['[ ]', 'slower, faster'],
  ['+ \u2212', 'zoom'], ['F', 'fit'], ['T', 'traces'], ['R', 'reactions'], ['S', 'strobe picture'], ['L', 'names'],
];

export function aboutPanel(runs, extra) {
  const run = runs[0], notes = runs.flatMap((one) => one.data.notes || []);
  const reactions = run.lambda ? `, multipliers to ${shown(run.data.lambda.quantum, 2)}` : '';
  const quantum = run.quantum ? `Places are drawn to ${shown(run.quantum, 2)}${run.data.certificate?.units ? ' m' : ''}${reactions} (their quantum in this file); plots keep seven digits.` : '';
  return element('section', { class: 'card panel', 'aria-label': 'About this page' },
    element('h2', {}, 'About this page'),
    element('ul', {}, [...new Set(notes), quantum,
      `Made from ${runs.map((one) => one.data.file).join(', ')} by taut ${run.data.version}; ${run.data.records} records. It loads nothing from any network.`,
      ...extra].filter(Boolean).map((note) => element('li', {}, note))),
    element('details', {}, element('summary', {}, 'Keys'), element('table', { class: 'figures' }, element('tbody', {},
      keys.map(([key, what]) => element('tr', {}, element('th', { scope: 'row' }, element('kbd', {}, key)), element('td', {}, what)))))));
}
