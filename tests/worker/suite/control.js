// What the tests in workerd ask of the gateways.
import { inject } from 'vitest';

export const gateways = inject('gateways');

async function ask(path, body) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(inject('control') + path, init);
  const value = await response.json();
  if (!response.ok) throw new Error(`${path}: ${value.error}`);
  return value;
}

/** Calls a method of the gateway at this place of the list. */
export const act = (at, action, ...args) => ask(`/gateways/${at}/${action}`, args);
export const heal = () => ask('/gateways/all/heal', []);

/** How many connections each gateway has. */
const open = async () => (await ask('/stats')).gateways.map((gateway) => gateway.open);

/** The place of the gateway that has a connection. */
export const openAt = async () => (await open()).findIndex((count) => count > 0);

/** The number of connections, when it has become what was expected, or after a while what it is. */
export async function openConnections(expected) {
  for (let turns = 0; ; turns += 1) {
    const sum = (await open()).reduce((total, count) => total + count, 0);
    if (sum === expected || turns === 200) return sum;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
