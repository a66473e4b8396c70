import { time } from './format.js';
import { nameOf } from './words.js';

export function Legend() {
  return (
    <>
      {['opened', 'failed', 'abandoned'].map((end) => (
        <span class="key" key={end}>
          <i class={`dial-${end}`} />
          dial {end}
        </span>
      ))}
      <span class="key">
        <i class="dial-connection" />
        connection
      </span>
      <span class="key">
        <i class="dial-wait" />
        wait
      </span>
      <span class="key">
        <i class="dial-performed" />
        performed
      </span>
    </>
  );
}

/** What was the case at a moment. */
export function readout(result, at, gateways) {
  if (result === undefined) return time(Math.round(at));
  const during = (list) =>
    list.findLast(({ from, to }) => from <= at && at <= (to ?? Number.POSITIVE_INFINITY));
  const client = during(result.states)?.state;
  const wait = during(result.waits);
  const parts = result.gateways.flatMap((gateway, index) => {
    const name = nameOf(index, gateways);
    if (during(gateway.connections)) return [`${name} connected`];
    if (during(gateway.dials)) return [`${name} being dialled`];
    const last = gateway.dials.findLast(({ to }) => to <= at);
    return last?.end === 'failed' ? [`${name} failed, ${last.cause}`] : [];
  });
  const waiting = wait && `waiting ${time(wait.milliseconds)} after round ${wait.round}`;
  return [time(Math.round(at)), client, waiting, ...parts].filter(Boolean).join(' · ');
}
