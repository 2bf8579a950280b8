// Opens the playground in Debian's Chromium, from disk: node playground_test.mjs PROGRAM REPOSITORY FOLDER_WITH_NODE_MODULES PAGE
// Exit code 77: there is no browser or no page, nothing was tested.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , program, repository, modules, file] = process.argv;
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath || !existsSync(file)) {
  console.log(`skipped: ${browserPath ? 'there is no playground; tools/playground builds it, with emscripten' : 'there is no chromium; install it (Debian: apt-get install chromium)'}`);
  process.exit(77);
}
const { chromium } = createRequire(join(resolve(modules), 'package.json'))('playwright-core');
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
});
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
const trouble = [];
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()) && trouble.push(message.text()));
page.on('pageerror', (error) => trouble.push(String(error)));
page.on('request', (request) => !/^(file|data|blob|about):/.test(request.url()) && trouble.push('asks for ' + request.url()));
page.on('dialog', (dialog) => trouble.push('opens ' + dialog.message()));
await page.goto(pathToFileURL(resolve(file)).href);
const finished = () => page.waitForFunction(() => window.playground && !window.playground.running, null, { timeout: 120_000 });
await finished();

// The last state here and by the program itself; how far they are apart, over the largest number in it or 1.
async function apart(name) {
  await page.evaluate((one) => window.playground.choose(one), name + '.yaml');
  await finished();
  assert.equal(await page.isVisible('#error'), false, `${name}: ${await page.textContent('#error')}`);
  const { last } = await page.evaluate(() => ({ last: window.playground.last.last }));
  const { last: native } = JSON.parse(execFileSync(program, ['run', join(repository, 'cases', name + '.yaml'), '--json', '--no-file'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  const { t, ...q } = native, values = Object.values(q);
  assert.equal(last.q.length, values.length);
  assert.ok(Math.abs(last.t - t) <= 1e-12 * Math.max(1, Math.abs(t)));
  const scale = Math.max(1, ...values.map(Math.abs));
  return Math.max(...values.map((x, k) => Math.abs(x - last.q[k]))) / scale;
}

const cases = ['pendulum', 'double_pendulum', 'four_bar', 'slider_crank', 'lagrange_top', 'swinging_pipe', 'coupled_strings', 'bouncing_ball', 'spherical_pendulum', 'helical_spring'];
const tests = {
  async 'ends ten cases where the program does'() {
    for (const name of cases) {
      const error = await apart(name);
      console.log(`     ${name}: ${error.toExponential(1)}`);
      assert.ok(error <= 1e-9, `${name}: ${error}`);
    }
  },

  async 'shows the run in the viewer of reports'() {
    await page.evaluate(() => window.playground.choose('pendulum.yaml'));
    await finished();
    const view = page.frameLocator('#view');
    await view.locator('#certificate').waitFor();
    assert.match(await view.locator('h1').textContent(), /pendulum/i);
    await page.waitForFunction(() => document.getElementById('view').contentWindow.taut.t > 0);
  },

  async 'marks the line of a mistake and runs again when it is mended'() {
    const good = await page.inputValue('#model'), line = good.split('\n').findIndex((one) => one.startsWith('run:'));
    const lines = good.split('\n');
    lines[line] = 'run: {until: 10, stepp: 0.01}';
    await page.fill('#model', lines.join('\n'));
    await page.keyboard.press('Control+Enter');
    await finished();
    assert.match(await page.textContent('#error'), new RegExp(`^Line ${line + 1}: .*stepp`));
    const at = await page.evaluate(() => {
      const { mark, text } = window.playground, top = mark.getBoundingClientRect().top - text.getBoundingClientRect().top + text.scrollTop;
      return { line: Math.round((top - parseFloat(getComputedStyle(text).paddingTop)) / parseFloat(getComputedStyle(text).lineHeight)), caret: text.value.slice(0, text.selectionStart).split('\n').length - 1 };
    });
    assert.deepEqual(at, { line, caret: line });
    await page.fill('#model', good.replace('until: 10', 'until: 1'));
    await page.click('#run');
    await finished();
    assert.equal(await page.isVisible('#error'), false);
    assert.equal(await page.evaluate(() => window.playground.last.last.t), 1);
  },

  async 'tells what is no YAML, with its line'() {
    await page.fill('#model', 'name: x\nmasses: {A: [\n');
    await page.click('#run');
    await finished();
    assert.match(await page.textContent('#error'), /^Line \d+: this is not YAML/);
  },

  async 'can be stopped'() {
    await page.evaluate(() => window.playground.choose('pendulum.yaml'));
    await finished();
    await page.fill('#model', (await page.inputValue('#model')).replace('until: 10, step: 0.01', 'until: 1e5, step: 0.001, every: 100000'));
    await page.click('#run');
    await page.waitForFunction(() => window.playground.bar.value > 0);
    await page.click('#stop');
    assert.equal(await page.textContent('#status'), 'Stopped');
    await page.evaluate(() => window.playground.choose('pendulum.yaml'));
    await finished();
    assert.match(await page.textContent('#status'), /^reached/);
  },

  async 'shows hostile texts and does nothing with them'() {
    const text = (await page.inputValue('#model')).replace(/^name:.*$/m, `name: "</script><script>alert(1)</script><img src=x onerror=alert(2)>"`);
    await page.fill('#model', text);
    await page.click('#run');
    await finished();
    const heading = page.frameLocator('#view').locator('h1');
    await heading.filter({ hasText: '<img src=x' }).waitFor();
    await page.fill('#model', `"<img src=x onerror=alert(3)>": 1`);
    await page.click('#run');
    await finished();
    assert.match(await page.textContent('#error'), /<img src=x/);
    assert.equal(await page.locator('#error img').count(), 0);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log('ok   ' + name);
  } catch (error) {
    failed += 1;
    console.log('FAIL ' + name + '\n' + error.stack);
  }
}
if (trouble.length) {
  failed += 1;
  console.log('FAIL the browser complains: ' + trouble.slice(0, 5).join('; '));
}
await browser.close();
process.exit(failed ? 1 : 0);
