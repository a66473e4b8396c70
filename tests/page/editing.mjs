// A configuration and a script, changed by mouse and by keyboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figures, open, played } from './support.mjs';

const field = (page, path) => page.locator(`[id="f-${path}"]`);
const fault = (page) => page.locator('.lane .block.span');

/** The first fault's `from` and `until` as the table has them. */
async function times(page) {
  return [
    Number(await field(page, 'faults_0_.from').inputValue()),
    Number(await field(page, 'faults_0_.until').inputValue()),
  ];
}

test('an option that is changed is emphasised, counted, and played; and goes back', async (t) => {
  const page = await open(t, '#story=2');
  await played(page);
  await field(page, 'options.networking.connectTimeouts').fill('1000:60000:100:8000');
  await page.getByText('10 waits, 1 min 3 s in all').waitFor();
  await page.locator('.figures dd', { hasText: /^11$/ }).first().waitFor();
  assert.equal((await figures(page)).waits, '10');
  await page.getByRole('button', { name: /back to 250:60000/ }).click();
  await page.getByText('16 waits, 1 min 2.75 s in all').waitFor();
  await page.waitForURL('**/#story=2');
});

test('what is wrong is said at its field and in a list that leads there; what was right stays', async (t) => {
  const page = await open(t, '#story=2');
  await played(page);
  const wrong = {
    'options.networking.connectTimeouts': ['1:2:x', /must have a whole number in ASCII digits as backoff/],
    'options.networking.jitter': ['1.5', /1\.5: it must be a number within 0..=1/],
    'options.gateways_0_': ['https://a.example', /must be an absolute URL with the scheme ws: or wss:/],
    'faults_0_.until': ['-3', /it must be/],
    horizon: ['soon', /"soon": it must be a whole number/],
  };
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  for (const [path, [text, message]] of Object.entries(wrong)) {
    const input = field(page, path);
    await input.fill(text);
    const error = field(page, `${path}-error`);
    await error.waitFor();
    assert.match(await error.textContent(), message);
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    assert.equal(await input.getAttribute('aria-describedby'), await error.getAttribute('id'));
  }
  await page.getByText('5 fields are wrong').waitFor();
  assert.equal(await page.locator('.figures dd').first().textContent(), '16');
  await page.getByRole('button', { name: 'networking.jitter', exact: true }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'f-options.networking.jitter');
  await page.getByRole('link', { name: 'One gateway hangs' }).click();
  await played(page);
  assert.equal(await page.locator('.error').count(), 0);
});

test('a fault is drawn, dragged, resized and deleted with the mouse', async (t) => {
  const page = await open(t, '#story=3');
  await played(page);
  const lane = page.locator('.track[data-gateway="2"]');
  await lane.scrollIntoViewIfNeeded();
  await page.getByRole('radio', { name: 'hang' }).check();
  const { x, y, width } = await lane.boundingBox();
  const before = await fault(page).count();
  const at = (milliseconds) => x + (width * milliseconds) / 70_000;
  const drag = async (from, to) => {
    await page.mouse.move(at(from), y + 12);
    await page.mouse.down();
    await page.mouse.move(at(to), y + 12, { steps: 4 });
    await page.mouse.up();
  };
  await drag(10_000, 20_000);
  assert.equal(await fault(page).count(), before + 1);
  const drawn = page.getByRole('button', { name: /^hang, c\.example/ });
  assert.match(
    await drawn.getAttribute('aria-label'),
    /from (9\.\d+|10(\.\d+)?) s to (20(\.\d+)?|19\.\d+) s/,
  );
  await drag(15_000, 25_000);
  assert.match(await drawn.getAttribute('aria-label'), /from (19|20)(\.\d+)? s to (29|30)(\.\d+)? s/);
  const box = await drawn.boundingBox();
  await page.mouse.move(box.x + box.width - 3, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(at(40_000), box.y + 8, { steps: 4 });
  await page.mouse.up();
  assert.match(await drawn.getAttribute('aria-label'), /from (19|20)(\.\d+)? s to (39|40)(\.\d+)? s/);
  await page.keyboard.press('Delete');
  assert.equal(await fault(page).count(), before);
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.equal(await fault(page).count(), before + 1);
});

test('the same by keyboard: moved, resized, to another lane, to its fields, deleted, undone', async (t) => {
  const page = await open(t, '#story=4');
  await played(page);
  const block = fault(page).first();
  await block.focus();
  const [from, until] = await times(page);
  await page.keyboard.press('Alt+ArrowRight');
  const [later] = await times(page);
  assert.ok(later > from);
  await page.keyboard.press('Shift+ArrowLeft');
  assert.ok((await times(page))[1] < until);
  await page.keyboard.press('ArrowLeft');
  assert.equal((await times(page))[0], from);
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: /^hang, b\.example/ }).waitFor();
  await fault(page).first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'f-faults_0_.from');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('7000');
  await page.getByRole('button', { name: /from 7 s/ }).waitFor();
  await fault(page).first().focus();
  await page.keyboard.press('Delete');
  assert.equal(await fault(page).count(), 0);
  await page.keyboard.press('Control+z');
  assert.equal(await fault(page).count(), 1);
});

test('faults, events, operations and gateways come and go by their buttons', async (t) => {
  const page = await open(t, '#story=4');
  await played(page);
  await page.locator('#script > summary').click();
  for (const [name, what] of [
    ['Add a fault', 'fault'],
    ['Add an event', 'event'],
    ['Add an operation', 'operation'],
  ]) {
    const remove = page.getByRole('button', { name: new RegExp(`^Remove ${what} `) });
    const before = await remove.count();
    await page.getByRole('button', { name, exact: true }).click();
    assert.equal(await remove.count(), before + 1);
    await remove.last().click();
    assert.equal(await remove.count(), before);
  }
  for (const name of ['read', 'write', 'write with redo', 'cut', 'drop', 'sleep']) {
    const before = await page.locator('.lane .block').count();
    await page.locator('.toolbar').getByRole('button', { name, exact: true }).click();
    assert.equal(await page.locator('.lane .block').count(), before + 1, name);
  }
  await played(page);
  await page.getByRole('button', { name: 'Add a gateway' }).click();
  assert.equal(await page.locator('.track[data-gateway="2"]').count(), 1);
  await page.getByRole('button', { name: /^Remove gateway 1/ }).click();
  assert.equal(await page.locator('.block.is-hang').count(), 0, 'the fault was of that gateway');
  await played(page);
  assert.equal(await page.locator('#problems .error').count(), 0);
});

test('every kind of fault and of event can be chosen and is played', async (t) => {
  const page = await open(t, '#story=4');
  await played(page);
  await page.locator('#script > summary').click();
  for (const kind of ['down', 'close', 'busy', 'error', 'mute', 'slow', 'hang']) {
    await field(page, 'faults_0_.kind').selectOption(kind);
    await played(page);
  }
  await page.getByRole('button', { name: 'Add an event', exact: true }).click();
  for (const kind of ['drop', 'sleep', 'wake', 'reconnect', 'connect', 'close', 'cut']) {
    await field(page, 'events_0_.kind').selectOption(kind);
    await played(page);
  }
  assert.equal(await page.locator('.error').count(), 0);
});

test('closer, later, all; a part drawn over on the axis; an operation shown', async (t) => {
  const page = await open(t, '#story=5');
  await played(page);
  const shown = page.locator('.zoom .note');
  assert.equal(await shown.textContent(), '0 s to 3 min');
  await page.getByRole('button', { name: 'Closer' }).click();
  assert.equal(await shown.textContent(), '1 min to 2 min');
  await page.getByRole('button', { name: 'Later' }).click();
  assert.equal(await shown.textContent(), '1 min 30 s to 2 min 30 s');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  const { x, y, width } = await page.locator('.axis .track').boundingBox();
  await page.mouse.move(x + width / 4, y + 8);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + 8, { steps: 3 });
  await page.mouse.up();
  assert.match(await shown.textContent(), /^(45|44\.\d+|45\.\d+) s to 1 min (30|29\.\d+|30\.\d+) s$/);
  await page.getByRole('button', { name: 'show read too early' }).click();
  assert.equal(await shown.textContent(), '20 s to 27 s');
});

test('the number of clients: played as it is typed, refused at its field, without the focus being lost', async (t) => {
  const page = await open(t, '#story=3');
  await played(page);
  await page.locator('#fleet > summary').click();
  const clients = field(page, 'clients');
  await clients.fill('');
  await clients.pressSequentially('20');
  await page.getByText('20 of 20 clients connected').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'f-clients');
  await clients.fill('20000');
  assert.match(await field(page, 'clients-error').textContent(), /must be a whole number within 1..=10000/);
});
