// Opens reports in Debian's Chromium, from disk, without a network: node page_test.mjs PROGRAM REPOSITORY FOLDER_WITH_NODE_MODULES
// Exit code 77: there is no browser, nothing was tested.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , program, repository, modules] = process.argv;
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath) {
  console.log('skipped: there is no chromium; install it (Debian: apt-get install chromium)');
  process.exit(77);
}
const { chromium } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'taut-page-'));
const taut = (...words) => execFileSync(program, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const model = (name) => join(repository, 'cases', name + '.yaml');

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
});

// A page that must not complain nor ask for anything.
async function open(file, hash = '', size = { width: 1280, height: 800 }, options = {}, ready = '#certificate') {
  const context = await browser.newContext({ viewport: size, ...options });
  context.setDefaultTimeout(120_000); // without a graphics card, beside other tests
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('request', (request) => !/^(file|data|blob):/.test(request.url()) && trouble.push('asks for ' + request.url()));
  await page.goto(pathToFileURL(join(folder, file)).href + hash);
  await page.waitForSelector(ready);
  return { page, context, trouble };
}
const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Rows of a CSV file by the names of its columns.
function table(file) {
  const [head, ...rows] = readFileSync(join(folder, file), 'utf8').trim().split('\n');
  const names = head.split(',');
  return rows.map((row) => Object.fromEntries(row.split(',').map((x, k) => [names[k], Number(x)])));
}

const tests = {
  async 'plays, scrubs, steps, tells the verdict'() {
    const { page, context, trouble } = await open('plane.html');
    const clock = () => page.textContent('#clock');
    await page.waitForFunction(() => window.taut.playing && window.taut.t > window.taut.start);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => !window.taut.playing);
    const before = await clock();
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await clock(), before);
    await page.locator('#time').fill('0.5');
    assert.ok(Math.abs((await page.evaluate(() => window.taut.t)) - 0.5 * (await page.evaluate(() => window.taut.end))) < 0.05);
    assert.match(await page.textContent('#verdict'), /Good/);
    assert.match(await page.textContent('#certificate'), /energy/);
    assert.match(await page.textContent('body'), /taut run double_pendulum\.yaml/);
    await page.click('#play');
    await page.waitForFunction(() => window.taut.playing);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'draws every place where the data say, within the quantum'() {
    for (const [file, least] of [['plane', 400], ['chain', 1000]]) {
      const { page, context, trouble } = await open(file + '.html', '#pause');
      const drawn = await page.evaluate(() => {
        const run = window.taut.runs[0], out = [], forces = [];
        run.scene.places.forEach((place, p) => {
          if (place.kind !== 'mass') return;
          for (let frame = 0; frame < run.frames; ++frame) out.push([place.name, run.t[frame], ...run.place(p, { frame, part: 0 })]);
        });
        run.data.lambda.names.forEach((name, row) => {
          for (let frame = 0; frame < run.frames; ++frame) forces.push([name, run.t[frame], run.lambdaAt(row, { frame, part: 0 })]);
        });
        return { out, forces, quantum: run.quantum, force: run.data.lambda.quantum };
      });
      const rows = new Map(table(file + '.csv').map((row) => [row.t, row]));
      assert.ok(drawn.out.length > least && drawn.forces.length > least);
      for (const [name, t, x, y] of drawn.out) {
        const row = rows.get(t);
        assert.ok(row, `t = ${t} is a record`);
        assert.ok(Math.abs(row[name + '.x'] - x) <= 0.5001 * drawn.quantum && Math.abs(row[name + '.y'] - y) <= 0.5001 * drawn.quantum);
      }
      for (const [name, t, x] of drawn.forces) assert.ok(Math.abs(rows.get(t)['lambda of ' + name] - x) <= 0.5001 * drawn.force, `force of ${name} at t = ${t}`);
      assert.deepEqual(trouble, []);
      await context.close();
    }
  },

  async 'makes a picture that is asked for by its name'() {
    taut('report', 'plane.h5', '--out', 'tip.png', '--at', '1');
    assert.equal(readFileSync(join(folder, 'tip.png')).subarray(1, 4).toString(), 'PNG');
    assert.match(readFileSync(join(folder, 'tip.html'), 'utf8'), /^<!doctype html>/);
  },

  async 'paints the tip where the data say'() {
    const { page, context } = await open('plane.html', '#pause');
    const rows = table('plane.csv');
    await page.evaluate(() => {
      window.taut.stage.options.traces.clear();
      window.taut.toggle('labels', false);
    });
    for (const row of [rows[0], rows[Math.floor(rows.length / 3)], rows[rows.length - 1]]) {
      await page.evaluate((t) => window.taut.seek(t), row.t);
      await frames(page);
      const found = await page.evaluate(([x, y]) => {
        const { stage, canvas } = window.taut, { view } = stage;
        void canvas;
        const ratio = stage.overlay.width / view.width;
        // Where (x, y) is: the middle of the stage is the centre of the view, y goes up.
        const px = view.width / 2 + (x - view.centre[0]) * view.scale, py = view.height / 2 - (y - view.centre[1]) * view.scale;
        const at = (dx, dy) => Array.from(stage.overlay.getContext('2d').getImageData(Math.round((px + dx) * ratio), Math.round((py + dy) * ratio), 1, 1).data);
        return { middle: at(0, 0), beside: at(30, 30), colour: stage.colours().runs[0] };
      }, [row['B.x'], row['B.y']]);
      const colour = [1, 3, 5].map((k) => parseInt(found.colour.slice(k, k + 2), 16));
      assert.deepEqual(found.middle.slice(0, 3), colour, `at t = ${row.t}`);
      assert.notDeepEqual(found.beside.slice(0, 3), colour);
    }
    await context.close();
  },

  async 'selects series by name and goes where a plot is clicked'() {
    const { page, context, trouble } = await open('plane.html', '#pause');
    const first = page.locator('.plot').first();
    const keys = await first.locator('.key').count();
    await first.locator('summary').click();
    await first.locator('input[type=search]').fill('lambda');
    await first.locator('input[type=search]').fill('kinetic');
    await first.locator('.choice input').first().check();
    assert.equal(await first.locator('.key').count(), keys + 1);
    await page.keyboard.press('Escape');
    const over = first.locator('.u-over'), box = await over.boundingBox();
    await page.mouse.click(box.x + 0.75 * box.width, box.y + 0.5 * box.height);
    const part = await page.evaluate(() => window.taut.t / window.taut.end);
    assert.ok(Math.abs(part - 0.75) < 0.03, `at ${part} of the time`);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'draws in space with WebGL, and without'() {
    for (const [hash, webgl] of [['#pause', true], ['#pause&nowebgl', false]]) {
      const { page, context, trouble } = await open('space.html', hash);
      assert.equal(await page.evaluate(() => window.taut.stage.webgl), webgl);
      await page.evaluate(() => window.taut.toggle('labels', false));
      await frames(page);
      const found = await page.evaluate(() => {
        const { stage, runs } = window.taut, { view } = stage;
        const p = runs[0].scene.places.findIndex((place) => place.kind === 'mass'), [px, py] = stage.pixel(p);
        const copy = document.createElement('canvas');
        copy.width = view.width;
        copy.height = view.height;
        copy.getContext('2d').drawImage(stage.webgl ? stage.canvas : stage.overlay, 0, 0, view.width, view.height);
        return Array.from(copy.getContext('2d').getImageData(Math.round(px), Math.round(py), 1, 1).data);
      });
      assert.ok(found[3] === 255 && found[2] > 1.3 * found[0], `a blue ball, got ${found}`);
      // The whole motion is in sight.
      const outside = await page.evaluate(() => {
        const { stage, runs: [run] } = window.taut, { view } = stage, out = [];
        for (let frame = 0; frame < run.frames; ++frame)
          run.scene.places.forEach((place, p) => {
            const [x, y] = view.project(...run.place(p, { frame, part: 0 }));
            if (x < 0 || y < 0 || x > view.width || y > view.height) out.push([place.name, frame]);
          });
        return out;
      });
      assert.deepEqual(outside, []);
      assert.deepEqual(trouble, []);
      await context.close();
    }
  },

  async 'draws bodies, reactions, strobe, several runs'() {
    // A body with every shape in a scene made by hand, on the motion of the two masses.
    const html = readFileSync(join(folder, 'two.html'), 'utf8');
    const start = html.indexOf('id="data">') + 10, end = html.indexOf('</script>', start);
    const data = JSON.parse(html.slice(start, end));
    const scene = data.runs[0].scene, x = scene.places.find((place) => place.kind === 'mass').x, turned = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    scene.solids.push({ name: 'all shapes', origin: x, axes: turned, shapes: ['box', 'sphere', 'cylinder', 'capsule', 'plate', 'rod'].map((kind, k) =>
      ({ kind, size: [0.2, 0.1, 0.05], at: [0.1 * k, 0, 0], axes: turned })) });
    for (const dim of [2, 3]) {
      scene.dim = dim;
      writeFileSync(join(folder, `bodies${dim}.html`), html.slice(0, start) + JSON.stringify(data) + html.slice(end));
      for (const more of dim === 2 ? [''] : ['', '&nowebgl']) {
        const { page, context, trouble } = await open(`bodies${dim}.html`, '#pause&strobe&reactions' + more);
        await page.evaluate(() => window.taut.seek(1));
        await frames(page);
        assert.equal(await page.locator('.run-key').count(), 2);
        assert.ok(await page.evaluate(() => window.taut.stage.options.reactions && window.taut.stage.options.strobe));
        assert.deepEqual(trouble, []);
        await context.close();
      }
    }
  },

  async 'shows hostile words and does nothing else'() {
    const bad = `<script>window.hacked = 1</script><img src=x onerror="window.hacked=1"> "' \\u0007 \u0007 \u2028 </script>`;
    const text = `name: ${JSON.stringify(bad)}\nsource: ${JSON.stringify('x'.repeat(1_000_000))}\nmasses: {A: {mass: 1, at: [0, 1]}}\ngravity: 9.81\noutputs: {${JSON.stringify(bad)}: A.y}\n` +
      `events: [{name: ${JSON.stringify(bad)}, when: "A.y - 0.9"}]\nrun: {until: 0.3, step: 0.01, integrator: newmark}\n`;
    writeFileSync(join(folder, 'bad.yaml'), text);
    taut('run', 'bad.yaml', '--report');
    const { page, context, trouble } = await open('bad.html');
    await frames(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.match(await page.textContent('h1'), /<script>window\.hacked = 1<\/script>/);
    assert.equal(await page.locator('img').count(), 0);
    assert.ok((await page.locator('pre.model').textContent()).length > 1_000_000);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'shows a sweep: map, distribution, curves, how to make a run'() {
    const bad = '<img src=x onerror=alert(1)>';
    writeFileSync(join(folder, 'many.yaml'), `name: ${JSON.stringify(bad)}\nparameters: {l: 1, g: 9.81}\nmasses: {A: {mass: 1, at: ["l", 0]}}\npoints: {O: [0, 0]}\nrods: [[O, A]]\n` +
      `gravity: g\noutputs: {${JSON.stringify(bad)}: A.y}\nrun: {until: 1, step: 0.02, integrator: midpoint}\n`);
    taut('sweep', 'many.yaml', '--vary', 'l=0.5:2:7', '--vary', 'g=5:10:5', '--keep', 'outputs', '--keep', 'times=0:1:11', '--out', 'many.h5');
    taut('report', 'many.h5');
    assert.throws(() => taut('report', 'many.h5', 'plane.h5', '--out', 'both.html'), /give it alone/);
    const { page, context, trouble } = await open('many.html', '', undefined, {}, '#histogram svg');
    assert.match(await page.textContent('h1'), /<img src=x/);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.textContent('#verdict'), 'All runs good');
    // Numbers are those of the file: run 12 is l = 1, g = 7.5, and so is the command.
    await page.fill('#run', '12');
    await page.keyboard.press('Enter');
    assert.match(await page.textContent('#command'), /^taut run many\.yaml --set l=1 --set g=7\.5 --report$/);
    const told = await page.evaluate(() => window.taut.columns[0].values[12]);
    const alone = JSON.parse(taut('run', 'many.yaml', '--set', 'l=1', '--set', 'g=7.5', '--no-file', '--json'));
    assert.ok(Math.abs(told - alone.outputs[bad]) < 1e-6);
    // A click on the tile of the last run, at the top on the right.
    const box = await page.locator('#map image').boundingBox();
    await page.mouse.click(box.x + 0.95 * box.width, box.y + 0.06 * box.height);
    assert.match(await page.textContent('#command'), /--set l=2 --set g=10 /);
    assert.equal(await page.locator('#curves .thread').count(), 35);
    // Bands: at the end the median of 35 values, found by sorting them.
    const [median, values] = await page.evaluate(() => {
      const { curves, t } = window.taut, n = t.length, [one] = curves;
      return [one.bands[2 * n + n - 1], Array.from({ length: 35 }, (_, r) => one.all[r * n + n - 1])];
    });
    assert.equal(median, values.sort((a, b) => a - b)[17]);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'shows the motion of a run of a sweep that is clicked'() {
    taut('sweep', model('double_pendulum_ensemble'), '--vary', 'a1=1,2,3', '--until', '0.5', '--keep', 'outputs,motion=3', '--out', 'moving.h5');
    taut('report', 'moving.h5');
    const { page, context, trouble } = await open('moving.html', '', undefined, {}, '#histogram svg');
    assert.deepEqual(await page.locator('.motion').allTextContents(), ['0', '1', '2']);
    assert.equal(await page.locator('.below canvas.gl').count(), 0);
    for (const run of [2, 1]) {
      await page.locator('.motion').nth(run).click();
      await page.waitForSelector('.below #clock');
      assert.equal(await page.locator('.below canvas.gl').count(), 1, 'one motion at a time');
      assert.match(await page.textContent('#command'), new RegExp(`--set a1=${run + 1} `));
    }
    // How it is made again is said there too, with its own numbers.
    assert.match(await page.textContent('.below'), /--set a1=2/);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'shows motions beside the plots of a comparison'() {
    taut('compare', model('pendulum'), '--until', '1', '--integrator', 'midpoint', '--integrator', 'rattle', '--halvings', '1', '--report');
    const { page, context, trouble } = await open('pendulum.compare.html');
    assert.equal(await page.locator('.study-chart').count(), 3);
    assert.deepEqual((await page.evaluate(() => window.taut.runs.map((run) => run.data.integrator))).sort(), ['RATTLE', 'midpoint']);
    await page.waitForFunction(() => window.taut.t > 0);
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'draws what stands in the way, as thick as it is'() {
    const walls = 'walls:\n  - {beam: rope, radius: 0.05, name: peg, cylinder: {along: [[0, -1, 0], [0, 1, 0]], radius: 0.1}}\n' +
      '  - {beam: rope, radius: 0.05, name: vessel, inside: true, sphere: {at: [0, 0, 0], radius: 1.5}}\n';
    writeFileSync(join(folder, 'walls.yaml'), 'dimension: 3\ngravity: 9.81\nbeams: {rope: {length: 2, elements: 10, shape: ["s - 1", 0, 0.16]}}\n' + walls +
      'run: {until: 0.1, step: 0.01, integrator: moreau-jean}\n');
    taut('run', 'walls.yaml', '--out', 'walls.h5', '--report');
    for (const hash of ['#pause', '#pause&nowebgl']) {
      const { page, context, trouble } = await open('walls.html', hash);
      await frames(page);
      const found = await page.evaluate(() => {
        const { stage, runs: [run] } = window.taut, { view } = stage, { scene } = run;
        const [peg] = stage.solidsOf(run)(run.moment(0)), [px, py] = view.project(0, -0.9, 0);
        const copy = document.createElement('canvas');
        copy.width = view.width;
        copy.height = view.height;
        copy.getContext('2d').drawImage(stage.webgl ? stage.canvas : stage.overlay, 0, 0, view.width, view.height);
        const pixel = Array.from(copy.getContext('2d').getImageData(Math.round(px), Math.round(py), 1, 1).data);
        const vessel = scene.curves.filter((curve) => curve.name === 'vessel').flatMap((curve) => curve.fixed.map((x) => Math.hypot(...x)));
        return { name: peg.name, still: peg.still, pixel, thick: scene.curves.find((curve) => curve.name === 'rope').radius, least: Math.min(...vessel), most: Math.max(...vessel) };
      });
      assert.deepEqual([found.name, found.still, found.thick], ['peg', true, 0.05]);
      assert.ok(Math.abs(found.least - 1.5) < 1e-6 && Math.abs(found.most - 1.5) < 1e-6, JSON.stringify(found));
      const [red, green, blue, alpha] = found.pixel; // a wall is grey, and no body is
      assert.ok(alpha === 255 && Math.abs(red - blue) < 60 && Math.abs(green - red) < 40 && red < 220, JSON.stringify(found));
      assert.deepEqual(trouble, []);
      await context.close();
    }
  },

  async 'draws a stripe along a rod where its director is'() {
    taut('run', model('helical_spring'), '--until', '0.1', '--out', 'rod.h5', '--report');
    const { page, context, trouble } = await open('rod.html', '#pause');
    await page.evaluate(() => window.taut.seek(window.taut.end));
    await frames(page);
    const worst = await page.evaluate(() => {
      const run = window.taut.runs[0], moment = run.moment(run.end), curve = run.scene.curves.find((one) => one.stripe);
      let length = 0, lean = 0;
      curve.stripe.forEach((form, k) => {
        const d = run.vector(form, moment), at = (i) => run.place(curve.places[Math.max(0, Math.min(curve.places.length - 1, i))], moment);
        const a = at(k - 1), b = at(k + 1), along = b.map((x, i) => x - a[i]), size = Math.hypot(...along);
        length = Math.max(length, Math.abs(Math.hypot(...d) - 1));
        if (k > 0 && k + 1 < curve.places.length) lean = Math.max(lean, Math.abs(d.reduce((sum, x, i) => sum + x * along[i], 0)) / size);
      });
      return { length, lean };
    });
    // Directors have length one and stand across the rod, as far as neighbours on it tell its direction.
    assert.ok(worst.length < 0.02 && worst.lean < 0.1, JSON.stringify(worst));
    assert.deepEqual(trouble, []);
    await context.close();
  },

  async 'fits a phone, light and dark'() {
    for (const scheme of ['light', 'dark']) {
      const { page, context, trouble } = await open('plane.html', '#pause', { width: 375, height: 780 }, { colorScheme: scheme });
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
      assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), 'nothing stands out at the side');
      await page.click('[aria-label="Light or dark"]');
      assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
      const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, canvas[tabindex]')]
        .filter((one) => !(one.ariaLabel || one.textContent.trim() || one.labels?.length || one.title)).map((one) => one.outerHTML.slice(0, 80)));
      assert.deepEqual(nameless, []);
      assert.deepEqual(trouble, []);
      await context.close();
    }
  },
};

let failed = 0;
try {
  taut('run', model('double_pendulum'), '--out', 'plane.h5', '--report');
  taut('convert', 'plane.h5', 'plane.csv');
  taut('run', model('chain'), '--out', 'chain.h5', '--report');
  taut('convert', 'chain.h5', 'chain.csv');
  taut('run', model('spherical_pendulum'), '--out', 'space.h5', '--report');
  taut('run', model('double_pendulum'), '--integrator', 'midpoint', '--until', '2', '--out', 'a.h5');
  taut('run', model('double_pendulum'), '--integrator', 'energy-momentum', '--until', '2', '--out', 'b.h5');
  taut('report', 'a.h5', 'b.h5', '--out', 'two.html');
  assert.ok(statSync(join(folder, 'plane.html')).size < 2e6);
  for (const [name, test] of Object.entries(tests)) {
    const begin = Date.now();
    try {
      await test();
      console.log(`good  ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`WRONG ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
