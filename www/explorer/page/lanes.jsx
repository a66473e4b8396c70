// What happened, drawn by hand: one path for each kind of thing in a lane, however many there are.

const LEAST_PIXELS = 2;

/** One path of boxes; what would be drawn twice on one pixel is drawn once. */
function boxes(list, scale, top, height) {
  let path = '';
  let last = -1;
  for (const { from, to } of list) {
    const left = scale.x(from);
    const right = to === undefined ? scale.width : scale.x(to);
    if (right < 0 || left > scale.width) continue;
    const x = Math.max(-1, left);
    const wide = Math.max(LEAST_PIXELS, Math.min(scale.width + 1, right) - x);
    if (x + wide <= last + 0.5) continue;
    last = x + wide;
    path += `M${x.toFixed(1)} ${top}h${wide.toFixed(1)}v${height}h${(-wide).toFixed(1)}z`;
  }
  return path;
}

function ticks(list, scale, top, height) {
  return boxes(
    list.map(({ from }) => ({ from, to: from })),
    scale,
    top,
    height,
  );
}

/** A gateway: its connections, and every dial by how it ended; where the list is cut, how many there were. */
export function GatewayLane({ gateway, bucket, isCut, scale }) {
  const by = isCut ? {} : Object.groupBy(gateway.dials, ({ end }) => end);
  const { failed = [], opened = [], abandoned = [], pending = [] } = by;
  return (
    <svg class="trace" width={scale.width} height="26" aria-hidden="true">
      <path class="connection" d={boxes(gateway.connections, scale, 14, 8)} />
      <path class="dial pending" d={boxes([...pending, ...abandoned], scale, 8, 4)} />
      <path class="dial dialling" d={boxes(opened, scale, 8, 14)} />
      <path class="dial failed" d={`${boxes(failed, scale, 3, 4)}${ticks(failed, scale, 3, 12)}`} />
      <path class="dial opened" d={ticks(opened, scale, 3, 19)} />
      <path class="dial abandoned" d={abandoned.map(({ to }) => cross(scale.x(to), 10)).join('')} />
      {isCut && <path class="dial density" d={density(gateway.buckets, bucket, scale)} />}
    </svg>
  );
}

const cross = (x, y) => (x < -4 || x > 1e5 ? '' : `M${x - 3} ${y - 3}l6 6M${x - 3} ${y + 3}l6 -6`);

function density(buckets, bucket, scale) {
  const most = Math.max(1, ...buckets);
  return buckets
    .map((dials, at) => {
      const [left, right] = [scale.x(at * bucket), scale.x((at + 1) * bucket)];
      if (dials === 0 || right < 0 || left > scale.width) return '';
      const high = Math.max(1, (dials / most) * 19);
      const wide = Math.max(1, right - left + 0.2).toFixed(1);
      return `M${left.toFixed(1)} ${22 - high}h${wide}v${high}h-${wide}z`;
    })
    .join('');
}

/** The client's state as a band, with the waits below it. */
export function ClientLane({ result, scale }) {
  const shown = result.states.filter(
    ({ from, to }) => scale.x(to ?? result.until) > 0 && scale.x(from) < scale.width,
  );
  return (
    <svg class="trace" width={scale.width} height="38" aria-hidden="true">
      {shown.map(({ state, from, to }) => {
        const left = Math.max(-2, scale.x(from));
        const right = Math.min(scale.width + 2, scale.x(to ?? result.until));
        const wide = Math.max(1.5, right - left);
        return (
          <g key={from + state}>
            <rect class={`state is-${state}`} x={left} y="2" width={wide} height="18" />
            {wide > state.length * 6.6 + 10 && (
              <text class="in-band" x={Math.max(0, left) + 6} y="15">
                {state}
              </text>
            )}
          </g>
        );
      })}
      <path class="wait" d={boxes(result.waits, scale, 25, 6)} />
      <path class="wait-end" d={ticks(result.waits, scale, 22, 12)} />
    </svg>
  );
}

/** The operations of one name: from the call to the outcome, each attempt, and what was performed in truth. */
export function OperationLane({ operations, until, scale }) {
  const attempts = operations.flatMap((operation) => operation.attempts);
  const spans = operations.map(({ at, outcome }) => ({ from: at, to: outcome?.at ?? until }));
  const asBoxes = (list) => list.map(({ at, ended }) => ({ from: at, to: ended ?? until }));
  const performed = operations.flatMap((operation) => operation.performed);
  const failed = operations.filter(({ outcome }) => outcome !== undefined && outcome.code !== 'OK');
  const dot = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  const visible = (x) => x > -8 && x < scale.width + 8;
  const marks = (list, draw) =>
    thin(list.map(({ at }) => scale.x(at)).filter(visible))
      .map(draw)
      .join('');
  return (
    <svg class="trace" width={scale.width} height="26" aria-hidden="true">
      <path class="whole" d={boxes(spans, scale, 12, 2)} />
      <path
        class="attempt bad"
        d={boxes(asBoxes(attempts.filter(({ decision }) => decision !== 'answered')), scale, 8, 10)}
      />
      <path
        class="attempt good"
        d={boxes(asBoxes(attempts.filter(({ decision }) => decision === 'answered')), scale, 8, 10)}
      />
      <path
        class="outcome bad"
        d={marks(
          failed.map(({ outcome }) => outcome),
          (x) => cross(x, 13),
        )}
      />
      <path class="performed" d={marks(performed, (x) => dot(x, 22, 2.2))} />
    </svg>
  );
}

/** Of points closer than half a pixel, the first. */
function thin(list) {
  let last = Number.NEGATIVE_INFINITY;
  return list.filter((x) => {
    if (x - last < 0.5) return false;
    last = x;
    return true;
  });
}

/** The same as a sentence, for who cannot see the lane. */
export function gatewayText({ counts }) {
  const parts = [
    [counts.dials, 'dials'],
    [counts.opened, 'opened'],
    [counts.failed, 'failed'],
    [counts.abandoned, 'abandoned'],
  ];
  return parts
    .filter(([number], index) => index === 0 || number > 0)
    .map(([number, word]) => `${number.toLocaleString('en')} ${number === 1 ? word.replace(/s$/, '') : word}`)
    .join(', ');
}
