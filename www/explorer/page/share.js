// A scenario in the fragment of the address: JSON, deflated, in base64url. The fragment is sent to no server.

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(reader).arrayBuffer());
}

export async function encode(scenario) {
  const text = new TextEncoder().encode(JSON.stringify(scenario));
  const bytes = await through(text, new CompressionStream('deflate-raw'));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export async function decode(text) {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const json = await through(bytes, new DecompressionStream('deflate-raw'));
  const scenario = JSON.parse(new TextDecoder().decode(json));
  if (scenario === null || typeof scenario !== 'object' || Array.isArray(scenario))
    throw new TypeError('no scenario');
  return scenario;
}

/** What an address names: a story by its number and its run, a scenario, or nothing. */
export async function read(hash) {
  const [, story, run] = /^#story=(\d+)(?:\.(\d+))?$/.exec(hash) ?? [];
  if (story !== undefined) return { story: Number(story) - 1, run: Number(run ?? 1) - 1 };
  if (!hash.startsWith('#s=')) return {};
  return { scenario: await decode(hash.slice(3)) };
}
