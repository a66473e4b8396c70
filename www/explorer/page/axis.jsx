// What is shown of the time: its scale, its axis, and how it is changed.
import { useState } from 'preact/hooks';
import { niceStep, ticks, time } from './format.js';

/** A stroke shorter than that is a click. */
export const CLICK_PIXELS = 4;
const SHORTEST_VIEW = 20;

/** From time to place and back, and the step by which things are moved. */
export function scaleOf([from, until], width, horizon) {
  const perMillisecond = width / (until - from);
  return {
    x: (at) => (at - from) * perMillisecond,
    time: (x) => from + x / perMillisecond,
    width,
    horizon,
    perMillisecond,
    step: niceStep((until - from) / Math.max(100, width / 4)),
  };
}

/** The points of time that are written and drawn. */
export const axisTicks = ({ width }, view) => {
  if (width === 0) return [];
  const label = view[1] > 3_600_000 ? 130 : 90;
  return ticks(view, Math.max(2, Math.floor(width / label)));
};

/** The scale; a part of it that is drawn over is shown alone. */
export function Axis({ scale, view, setView, place }) {
  const [drag, setDrag] = useState();
  const xOf = (event) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const onPointerUp = () => {
    const [from, until] = drag.map((x) => Math.round(scale.time(x))).sort((a, b) => a - b);
    if (Math.abs(drag[1] - drag[0]) > CLICK_PIXELS) setView(within([from, until], scale.horizon));
    setDrag(undefined);
  };
  return (
    <div class="lane axis" aria-hidden="true">
      <div class="lane-name" />
      <div
        class="track"
        ref={place}
        title="Draw over a part to see it alone"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([xOf(event), xOf(event)]);
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], xOf(event)])}
        onPointerUp={() => drag && onPointerUp()}
      >
        {axisTicks(scale, view).map((at) => (
          <span key={at} class="tick" style={{ left: `${scale.x(at)}px` }}>
            {time(at)}
          </span>
        ))}
        {drag && (
          <span
            class="brush"
            style={{ left: `${Math.min(...drag)}px`, width: `${Math.abs(drag[1] - drag[0])}px` }}
          />
        )}
      </div>
    </div>
  );
}

/** A view kept inside of what is played, and not too short to be drawn. */
export function within([from, until], horizon) {
  const length = Math.min(horizon, Math.max(SHORTEST_VIEW, until - from));
  const begin = Math.round(Math.min(horizon - length, Math.max(0, from)));
  return [begin, begin + Math.round(length)];
}

export function Zoom({ view: [from, until], setView, horizon }) {
  const length = until - from;
  const middle = (from + until) / 2;
  const zoom = (factor) =>
    setView(within([middle - (length * factor) / 2, middle + (length * factor) / 2], horizon));
  const pan = (by) => setView(within([from + length * by, until + length * by], horizon));
  return (
    <div class="zoom" role="group" aria-label="What is shown">
      <span class="note">
        {time(from)} to {time(until)}
      </span>
      <button
        type="button"
        aria-label="Earlier"
        title="Earlier"
        disabled={from <= 0}
        onClick={() => pan(-0.5)}
      >
        ←
      </button>
      <button
        type="button"
        aria-label="Later"
        title="Later"
        disabled={until >= horizon}
        onClick={() => pan(0.5)}
      >
        →
      </button>
      <button
        type="button"
        aria-label="Closer"
        title="Closer"
        disabled={length <= SHORTEST_VIEW}
        onClick={() => zoom(1 / 3)}
      >
        +
      </button>
      <button
        type="button"
        aria-label="Farther"
        title="Farther"
        disabled={length >= horizon}
        onClick={() => zoom(3)}
      >
        −
      </button>
      <button type="button" disabled={length >= horizon} onClick={() => setView([0, horizon])}>
        All
      </button>
    </div>
  );
}
