import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Axis, axisTicks, CLICK_PIXELS, scaleOf, Zoom } from './axis.jsx';
import { Block } from './block.jsx';
import { focusField } from './fields.jsx';
import { time } from './format.js';
import { ClientLane, GatewayLane, gatewayText, OperationLane } from './lanes.jsx';
import { Legend, readout } from './legend.jsx';
import { EVENTS, FAULT_NEEDS, FAULTS, withItem, without } from './model.js';
import { EVENT_TEXTS, FAULT_TEXTS, nameOf } from './words.js';

const MOST_OPERATION_LANES = 12;

/** The script and what comes of it on one axis: faults are drawn where the dials are. */
export function Timeline({ state, edit, result, view, setView, isStale }) {
  const [tool, setTool] = useState('down');
  const [width, setWidth] = useState(0);
  const [cursor, setCursor] = useState();
  const ruler = useRef();
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)));
    observer.observe(ruler.current);
    return () => observer.disconnect();
  }, []);
  const horizon = Number(state.horizon) > 0 ? Number(state.horizon) : 1;
  const scale = useMemo(() => scaleOf(view, width, horizon), [view, width, horizon]);
  const lanes = useLanes(state, result);
  const onPointer = (event) => {
    const { left } = ruler.current.getBoundingClientRect();
    const x = event.clientX - left;
    setCursor(x >= 0 && x <= width ? x : undefined);
  };
  const addFault = (gateway, from, until) =>
    edit((now) => ({
      ...now,
      faults: [
        ...now.faults,
        { ...(gateway !== undefined && { gateway }), kind: tool, from, until, ...FAULT_NEEDS[tool] },
      ],
    }));
  const shared = { state, edit, scale, addFault, tool };
  return (
    <section class="card timeline" aria-labelledby="timeline-title" id="timeline">
      <div class="title">
        <h2 id="timeline-title">Time line</h2>
        <Zoom view={view} setView={setView} horizon={horizon} />
      </div>
      <div class="toolbar">
        <Tools tool={tool} setTool={setTool} />
        <Additions edit={edit} scale={scale} />
      </div>
      <div
        class={`lanes${isStale ? ' stale' : ''}`}
        onPointerMove={onPointer}
        onPointerLeave={() => setCursor(undefined)}
      >
        <Axis scale={scale} view={view} setView={setView} place={ruler} />
        <div class="grid" aria-hidden="true">
          {axisTicks(scale, view).map((at) => (
            <span key={at} style={{ left: `${scale.x(at)}px` }} />
          ))}
        </div>
        <EventLane {...shared} />
        {state.gateways.length > 1 && <FaultLane {...shared} gateway={undefined} name="all gateways" />}
        {state.gateways.map((_, index) => (
          <FaultLane
            key={index}
            {...shared}
            gateway={index}
            name={nameOf(index, state.gateways)}
            played={result?.gateways[index]}
            bucket={result?.bucket}
            isCut={result?.cutLists?.some((name) => name.startsWith(`gateways[${index}].`))}
          />
        ))}
        <Lane name="client" note={result?.state}>
          {result && result.states.length > 0 && <ClientLane result={result} scale={scale} />}
        </Lane>
        {lanes.map((lane) => (
          <OperationsLane key={lane.name} lane={lane} {...shared} until={result?.until ?? horizon} />
        ))}
        {cursor !== undefined && <span class="cursor" style={{ '--x': `${cursor}px` }} />}
      </div>
      <p class="readout" aria-hidden="true">
        {cursor === undefined ? <Legend /> : readout(result, scale.time(cursor), state.gateways)}
      </p>
    </section>
  );
}

/** The operations of the script by their names, each with those that were played. */
function useLanes({ operations }, result) {
  return useMemo(() => {
    const nameOfOperation = ({ name, kind }) => name ?? kind;
    const names = [...new Set(operations.map(nameOfOperation))].slice(0, MOST_OPERATION_LANES);
    return names.map((name) => ({
      name,
      script: operations.flatMap((operation, index) =>
        nameOfOperation(operation) === name ? [{ operation, index }] : [],
      ),
      played: (result?.operations ?? []).filter((operation) => nameOfOperation(operation) === name),
    }));
  }, [operations, result]);
}

function Lane({ name, note, children, onAdd, addLabel, ...track }) {
  return (
    <div class="lane" role="group" aria-label={note ? `${name}: ${note}` : name}>
      <div class="lane-name">
        <span class="name">{name}</span>
        {note && <span class="note">{note}</span>}
        {onAdd && (
          <button type="button" class="quiet" aria-label={addLabel} title={addLabel} onClick={onAdd}>
            +
          </button>
        )}
      </div>
      <div class="track" {...track}>
        {children}
      </div>
    </div>
  );
}

function FaultLane({ state, edit, scale, addFault, tool, gateway, name, played, bucket, isCut }) {
  const [draft, setDraft] = useState();
  // One gateway alone is all of them, so that what is said of all stands in its lane.
  const isAlone = state.gateways.length === 1;
  const isHere = (fault) => fault.gateway === gateway || (isAlone && fault.gateway === undefined);
  const faults = state.faults.map((fault, index) => ({ fault, index })).filter(({ fault }) => isHere(fault));
  const everywhere =
    isAlone || gateway === undefined ? [] : state.faults.filter((fault) => fault.gateway === undefined);
  const snap = (x) =>
    Math.min(scale.horizon, Math.max(0, Math.round(scale.time(x) / scale.step) * scale.step));
  const xOf = (event) => event.clientX - event.currentTarget.getBoundingClientRect().left;
  const addDefault = (from) => addFault(gateway, from, Math.min(scale.horizon, from + scale.step * 20));
  return (
    <Lane
      name={name}
      note={played && gatewayText(played)}
      onAdd={() => addDefault(Math.min(scale.horizon - 1, snap(scale.width / 3)))}
      addLabel={`Add “${tool}” to ${name}`}
      data-gateway={gateway ?? 'all'}
      onPointerDown={(event) => {
        if (event.button !== 0 || event.pointerType === 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDraft([xOf(event), xOf(event)]);
      }}
      onPointerMove={(event) => draft && setDraft([draft[0], xOf(event)])}
      onPointerUp={() => {
        if (draft === undefined) return;
        const [a, b] = draft.map(snap).sort((one, other) => one - other);
        if (Math.abs(draft[1] - draft[0]) > CLICK_PIXELS && b > a) addFault(gateway, a, b);
        setDraft(undefined);
      }}
      onDblClick={(event) => addDefault(Math.min(scale.horizon - 1, snap(xOf(event))))}
    >
      <div class="script">
        {everywhere.map(({ from, until, kind }, index) => (
          <span
            key={index}
            class={`shade is-${kind}`}
            style={{ left: `${scale.x(from)}px`, width: `${Math.max(2, scale.x(until) - scale.x(from))}px` }}
          />
        ))}
        {draft && (
          <span
            class={`block span draft is-${tool}`}
            style={{ left: `${Math.min(...draft)}px`, width: `${Math.abs(draft[1] - draft[0])}px` }}
          />
        )}
        {faults.map(({ fault, index }) => (
          <Block
            key={index}
            item={fault}
            scale={scale}
            kind={fault.kind}
            text={faultText(fault)}
            label={`${faultText(fault)}, ${name}, from ${time(fault.from)} to ${time(fault.until)}`}
            onMove={(item) =>
              edit((now) => ({ ...now, faults: withItem(now.faults, index, item) }), `fault ${index}`)
            }
            onLane={(by) =>
              edit((now) => ({
                ...now,
                faults: withItem(now.faults, index, {
                  gateway: otherLane(gateway, by, state.gateways.length),
                }),
              }))
            }
            onDelete={() => edit((now) => ({ ...now, faults: without(now.faults, index) }))}
            onEnter={() => focusField(`faults[${index}].from`)}
          />
        ))}
      </div>
      {played && <GatewayLane gateway={played} bucket={bucket} isCut={isCut} scale={scale} />}
    </Lane>
  );
}

const faultText = ({ kind, code }) => (code === undefined ? kind : `${kind} ${code}`);

/** The lanes from the top: all gateways, the first, the second, ... */
function otherLane(gateway, by, gateways) {
  const least = gateways > 1 ? -1 : 0;
  const lane = Math.min(gateways - 1, Math.max(least, (gateway ?? -1) + by));
  return lane === -1 ? undefined : lane;
}

function EventLane({ state, edit, scale }) {
  const { events } = state;
  return (
    <Lane name="events">
      <div class="script">
        {events.map((event, index) => (
          <Block
            key={index}
            item={event}
            scale={scale}
            kind={`event-${EVENTS.includes(event.kind) ? event.kind : 'other'}`}
            text={event.kind}
            label={`${EVENT_TEXTS[event.kind] ?? event.kind}, at ${time(event.at)}${event.until === undefined ? '' : ` until ${time(event.until)}`}`}
            onMove={(item) =>
              edit((now) => ({ ...now, events: withItem(now.events, index, item) }), `event ${index}`)
            }
            onDelete={() => edit((now) => ({ ...now, events: without(now.events, index) }))}
            onEnter={() => focusField(`events[${index}].at`)}
          />
        ))}
      </div>
    </Lane>
  );
}

function OperationsLane({ lane, edit, scale, until }) {
  const ok = lane.played.filter(({ outcome }) => outcome?.code === 'OK').length;
  const other = lane.played.find(({ outcome }) => outcome !== undefined && outcome.code !== 'OK');
  const note =
    lane.played.length === 1
      ? (lane.played[0].outcome?.code ?? 'pending')
      : `${ok} of ${lane.played.length} OK${other ? `, ${other.outcome.code}` : ''}`;
  return (
    <Lane name={lane.name} note={lane.played.length > 0 ? note : undefined}>
      <OperationLane operations={lane.played} until={until} scale={scale} />
      <div class="script calls">
        {lane.script.map(({ operation, index }) => (
          <Block
            key={index}
            item={{ at: operation.at }}
            scale={scale}
            kind={`call-${operation.kind}`}
            text=""
            label={`${lane.name}, ${operation.kind}, called at ${time(operation.at)}`}
            onMove={({ at }) =>
              edit(
                (now) => ({ ...now, operations: withItem(now.operations, index, { at }) }),
                `operation ${index}`,
              )
            }
            onDelete={() => edit((now) => ({ ...now, operations: without(now.operations, index) }))}
            onEnter={() => focusField(`operations[${index}].at`)}
          />
        ))}
      </div>
    </Lane>
  );
}

const ADDITIONS = [
  ['operations', 'read'],
  ['operations', 'write'],
  ['operations', 'redo', 'write with redo'],
  ['events', 'cut'],
  ['events', 'drop'],
  ['events', 'sleep'],
];

/** What is added in the middle of what is shown, to be moved from there. */
function Additions({ edit, scale }) {
  const add = (list, kind) =>
    edit((now) => {
      const middle = Math.round(scale.time(scale.width / 2) / scale.step) * scale.step;
      const at = Math.min(scale.horizon - 1, middle);
      const until = Math.min(scale.horizon, at + scale.step * 20);
      return { ...now, [list]: [...now[list], { kind, at, ...(kind === 'sleep' && { until }) }] };
    });
  return (
    <fieldset class="tools">
      <legend>Add:</legend>
      {ADDITIONS.map(([list, kind, text = kind]) => (
        <button type="button" key={kind} title={EVENT_TEXTS[kind]} onClick={() => add(list, kind)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** What a stroke on a lane draws. */
function Tools({ tool, setTool }) {
  return (
    <fieldset class="tools">
      <legend>Draw on a lane:</legend>
      {FAULTS.map(({ kind }) => (
        <label key={kind} class={`tool is-${kind}`} title={FAULT_TEXTS[kind]}>
          <input type="radio" name="tool" checked={tool === kind} onChange={() => setTool(kind)} />
          <span>{kind}</span>
        </label>
      ))}
    </fieldset>
  );
}
