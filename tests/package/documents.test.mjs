// What the documents show of the package is so: code, frames, names, links.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { settle, virtualClock } from './support/clock.mjs';
import { fakeSockets } from './support/fake_ws.mjs';
import { installedProject, packageFolder, project, ready } from './support/installed.mjs';

const { ClusterClient } = await ready();

const README = readFileSync(join(project, 'README.md'), 'utf8');
const TYPES = readFileSync(join(project, 'pkg-config/index.d.ts'), 'utf8');
/** What the examples import beside the package. */
const OTHERS = ['cloudflare:workers', 'graphql-ws', 'mqtt', 'ws'];

const blocks = (language) =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text);
const scriptsOf = (html) =>
  [...html.matchAll(/<script type="module">(.*?)<\/script>/gs)].map(([, text]) => text);

test('the JavaScript of the README parses, and imports only what the package exports', async () => {
  const scripts = [...blocks('js'), ...blocks('html').flatMap(scriptsOf)];
  assert.ok(scripts.length >= 5);
  for (const contents of scripts) {
    const { warnings } = await build({
      bundle: true,
      external: OTHERS,
      format: 'esm',
      logLevel: 'silent',
      stdin: { contents, resolveDir: installedProject() },
      write: false,
    });
    // An entry that runs in Node too asks for `node:fs`, and so on: only what is wrong with the example counts.
    assert.deepEqual(
      warnings.filter(({ location }) => location?.file === '<stdin>'),
      [],
    );
  }
});

test('the import map of the README leads to an entry of the package', () => {
  const [map] = blocks('html').flatMap((html) => /<script type="importmap">(.*?)<\/script>/s.exec(html)[1]);
  const { regate } = JSON.parse(map).imports;
  assert.ok(existsSync(join(packageFolder(), regate.replace('/node_modules/regate/', ''))), regate);
});

test('the README names every error code and every event', () => {
  const codes = TYPES.split('export type RegateErrorCode =')[1].split(';\n')[0];
  const events = TYPES.split('export interface ClientEvents {')[1].split('\n}')[0];
  const names = [
    ...[...codes.matchAll(/\| '(\w+)'/g)].map(([, name]) => name),
    ...[...events.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name),
  ];
  assert.equal(names.length, 18 + 8);
  for (const name of names) assert.ok(README.includes(`\`${name}\``), `${name} is not in it`);
});

test('the frames of the README are those that the client sends', async (t) => {
  const clock = virtualClock(t);
  const fake = fakeSockets();
  const client = new ClusterClient({
    gateways: ['wss://a.example/ws'],
    WebSocket: fake.WebSocket,
    networking: { steadyMilliseconds: 0 },
  });
  client.connect();
  await settle();
  fake.last.open();
  await settle();
  const heard = [];
  const results = [];
  let subscription;
  /** What makes each frame that is sent, in turn. */
  const causes = [
    () => results.push(client.invoke('map.get', ['k'])),
    () => results.push(client.invoke('queue.offer', ['x'], { operationKey: 'offer-17' })),
    () => clock.advance(500), // retryAfterMilliseconds
    () => client.notify('log', ['a notification: no id, no answer']),
    () => {
      subscription = client.subscribe('topic.subscribe', ['news'], (message) => heard.push(message));
    },
    () => subscription.unsubscribe(),
    () => clock.advance(15_000), // heartbeat.periodMilliseconds
  ];
  const [format] = blocks('text');
  let sent = 0;
  for (const line of format.trim().split('\n')) {
    const frame = line.slice(2);
    if (line.startsWith('> ')) {
      await causes[sent]();
      await settle();
      assert.equal(fake.last.sent[sent], frame);
      sent += 1;
    } else {
      assert.ok(line.startsWith('< '), line);
      fake.last.message(JSON.parse(frame));
      await settle();
    }
  }
  assert.equal(sent, causes.length);
  assert.equal(fake.last.sent.length, sent);
  assert.deepEqual(await Promise.all(results), ['v', 1]);
  assert.deepEqual(heard, ['hello']);
  assert.equal(client.stats().unmatchedAnswers, 0);
  client.close();
});

test('links between the documents lead somewhere', () => {
  const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: project, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => !path.startsWith('tests/vectors/'));
  assert.ok(documents.includes('README.md'));
  for (const path of documents) {
    const text = readFileSync(join(project, path), 'utf8');
    const prose = text.replace(/^```.*?^```/gms, '');
    const anchors = new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchorOf(title)));
    for (const [, target] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      if (target.startsWith('#')) assert.ok(anchors.has(target.slice(1)), `${path}: ${target}`);
      else assert.ok(existsSync(join(project, dirname(path), target.split('#')[0])), `${path}: ${target}`);
    }
  }
});

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
