import { useRef } from 'preact/hooks';

const EDGE_PIXELS = 9;

/**
 * Something of the script that can be moved: a block with two ends, or a marker of one moment.
 * By keyboard: arrows move it, with Shift its end, with Alt its beginning; up and down, another lane; Delete; Enter, to its fields.
 */
export function Block({ item, scale, kind, text, label, onMove, onLane, onDelete, onEnter }) {
  const drag = useRef();
  const { at, from = at, until } = item;
  const isSpan = until !== undefined;
  const [left, right] = [scale.x(Number(from) || 0), scale.x(Number(until ?? from) || 0)];
  if (right < -20 || left > scale.width + 20) return null;
  const shownLeft = Math.max(-4, left);
  const move = (part, by) => onMove(moved(item, part, by, scale.horizon));

  const onKeyDown = (event) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const lane = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (direction !== undefined)
      move(event.shiftKey ? 'until' : event.altKey ? 'from' : 'all', direction * scale.step);
    else if (lane !== undefined && onLane !== undefined) onLane(lane);
    else if (event.key === 'Delete' || event.key === 'Backspace') onDelete();
    else if (event.key === 'Enter' && onEnter !== undefined) onEnter();
    else return;
    event.preventDefault();
  };
  const onPointerDown = (event) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    const target = event.currentTarget;
    const box = target.getBoundingClientRect();
    const inside = event.clientX - box.left;
    const edge = Math.min(EDGE_PIXELS, box.width / 4);
    const part = !isSpan ? 'all' : inside < edge ? 'from' : inside > box.width - edge ? 'until' : 'all';
    drag.current = { part, x: event.clientX, item };
    target.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event) => {
    if (drag.current === undefined) return;
    const { part, x, item: before } = drag.current;
    const by = Math.round((event.clientX - x) / scale.perMillisecond / scale.step) * scale.step;
    onMove(moved(before, part, by, scale.horizon));
  };
  const onPointerUp = () => {
    drag.current = undefined;
  };
  return (
    <button
      type="button"
      class={`block ${isSpan ? 'span' : 'marker'} is-${kind}`}
      style={{
        left: `${shownLeft}px`,
        width: isSpan ? `${Math.max(5, Math.min(right, scale.width + 4) - shownLeft)}px` : undefined,
      }}
      aria-label={label}
      aria-keyshortcuts="ArrowLeft ArrowRight Shift+ArrowRight Alt+ArrowRight Delete Enter"
      title={`${label}\nDrag it, or its ends. Keys: arrows, Shift or Alt with them for the ends, Delete, Enter for its fields.`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDblClick={onEnter}
    >
      <span aria-hidden="true">{text}</span>
    </button>
  );
}

/** The item with a part of it moved, within the horizon; its length stays where all of it moves. */
function moved(item, part, by, horizon) {
  const start = item.from === undefined ? 'at' : 'from';
  const clamp = (value, least, most) => Math.round(Math.min(most, Math.max(least, value)));
  const from = Number(item[start]) || 0;
  if (item.until === undefined) return { ...item, [start]: clamp(from + by, 0, horizon - 1) };
  const until = Number(item.until) || 0;
  if (part === 'from') return { ...item, [start]: clamp(from + by, 0, until - 1) };
  if (part === 'until') return { ...item, until: clamp(until + by, from + 1, horizon) };
  const length = until - from;
  const begin = clamp(from + by, 0, Math.max(0, horizon - length));
  return { ...item, [start]: begin, until: begin + length };
}
