// Does an adapter do what the bench takes for granted? Asked before anything is measured, and by the tests.

const OPEN_LIMIT_MILLISECONDS = 8000;

/** Throws where an adapter connects to no gateway, answers wrongly, or runs an operation other than once. */
export async function checkAdapters(names, bench) {
  for (const name of names) await checkAdapter(name, bench);
}

async function checkAdapter(name, { browser, gateways }) {
  const page = await browser.open(name);
  const gateway = await gateways.start(page.meta.server);
  try {
    const began = await page.call('connect', [gateway.url], { isProbed: false });
    const reached = page.meta.isLazy || (await page.call('until', 'open', began, OPEN_LIMIT_MILLISECONDS));
    if (!reached) throw new Error('it did not connect');
    expect('echo', await page.call('request', 'echo', ['said']), 'said');
    expect('op', await page.call('request', 'op', [{ id: 7 }]), 7);
    const { counts } = await gateway.ask('executed');
    expect('what ran', JSON.stringify(counts), '[[7,1]]');
  } catch (error) {
    throw new Error(`adapter ${name}: ${error.message}`, { cause: error });
  } finally {
    await page.call('close');
    await page.close();
    await gateway.kill();
  }
}

function expect(what, found, wanted) {
  if (found !== wanted)
    throw new Error(`${what} gave ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}
