import { Check, Choice, Field } from './fields.jsx';
import { plural, unitOf } from './format.js';
import { clean, EVENTS, FAULT_NEEDS, FAULTS, withItem, without } from './model.js';
import { nameOf } from './words.js';

const OPERATIONS = ['read', 'write', 'redo'];
const WORLD = [
  ['dialMilliseconds', 40, 'a dial opens after'],
  ['refuseMilliseconds', 20, 'a dial is refused after'],
  ['answerMilliseconds', 30, 'an answer comes after'],
  ['listMilliseconds', undefined, 'the list is a function that takes'],
  ['tokenMilliseconds', undefined, 'a token is good for'],
];
/** Of a fault: what else it has, and what that is by default. */
const MORE = { close: ['code', 1012], error: ['code', -32000], busy: ['retryAfterMilliseconds', 0] };
const fieldsOf = (kind) => FAULTS.find((fault) => fault.kind === kind)?.fields ?? [];

/** The script without a mouse, exact to the millisecond. */
export function Script({ state, edit }) {
  const change = (list) => (index, part) =>
    edit((now) => ({ ...now, [list]: withItem(now[list], index, part) }));
  const remove = (list) => (index) => edit((now) => ({ ...now, [list]: without(now[list], index) }));
  const shared = (list) => ({ state, list: state[list], change: change(list), remove: remove(list) });
  const add = (list, item) => edit((now) => ({ ...now, [list]: [...now[list], item] }));
  const quarter = Math.round((Number(state.horizon) || 0) / 4);
  return (
    <details class="card" id="script">
      <summary>
        <h2>The script as tables</h2>
        <span class="note">
          {plural(state.faults.length, 'fault')}, {plural(state.events.length, 'event')},{' '}
          {plural(state.operations.length, 'operation')}, the network
        </span>
      </summary>
      <Faults {...shared('faults')} />
      <button
        type="button"
        class="add"
        onClick={() => add('faults', { kind: 'down', from: quarter, until: quarter * 2 })}
      >
        Add a fault
      </button>
      <Events {...shared('events')} />
      <button type="button" class="add" onClick={() => add('events', { kind: 'cut', at: quarter })}>
        Add an event
      </button>
      <Operations {...shared('operations')} />
      <button type="button" class="add" onClick={() => add('operations', { kind: 'read', at: quarter })}>
        Add an operation
      </button>
      <World state={state} edit={edit} />
    </details>
  );
}

function Table({ caption, heads, rows, what, remove }) {
  if (rows.length === 0) return <h3>{caption}: none</h3>;
  return (
    <>
      <h3>{caption}</h3>
      <div class="scroll" role="region" aria-label={`${caption}, table`} tabIndex={0}>
        <table class="script-table">
          <thead>
            <tr>
              {heads.map((head) => (
                <th scope="col" key={head}>
                  {head}
                </th>
              ))}
              <th scope="col">
                <span class="hidden">remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, index) => (
              <tr key={index}>
                {cells.map((cell, at) => (
                  <td key={heads[at]}>{cell}</td>
                ))}
                <td>
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`Remove ${what} ${index + 1}`}
                    onClick={() => remove(index)}
                  >
                    ×
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A field in a cell: its label is heard, and seen as the column's head. */
function cell(list, what, change) {
  return (index, name, value, more = {}) => (
    <Field
      plain
      path={`${list}[${index}].${name}`}
      label={`${name} of ${what} ${index + 1}`}
      value={value}
      unit={unitOf(/^(from|until|at)$/.test(name) ? 'Milliseconds' : name)}
      onValue={(next) => change(index, { [name]: next })}
      {...more}
    />
  );
}

function kindCell(list, what, change, kinds) {
  return (index, item) => (
    <Choice
      plain
      path={`${list}[${index}].kind`}
      label={`kind of ${what} ${index + 1}`}
      value={item.kind}
      choices={kinds.map((kind) => [kind, kind])}
      onValue={(kind) =>
        change(
          index,
          kind === item.kind
            ? {}
            : { ...dropped(item, list), kind, ...(list === 'faults' && FAULT_NEEDS[kind]) },
        )
      }
    />
  );
}

/** What only another kind has goes with the kind. */
function dropped(item, list) {
  const kept = list === 'operations' ? Object.keys(item) : ['gateway', 'from', 'until', 'at', 'kind'];
  return Object.fromEntries(
    Object.keys(item)
      .filter((name) => !kept.includes(name))
      .map((name) => [name, undefined]),
  );
}

function Faults({ state, list, change, remove }) {
  const field = cell('faults', 'fault', change);
  const kind = kindCell(
    'faults',
    'fault',
    change,
    FAULTS.map((fault) => fault.kind),
  );
  const gateways = [
    [undefined, 'all'],
    ...state.gateways.map((_, index) => [index, nameOf(index, state.gateways)]),
  ];
  const rows = list.map((fault, index) => {
    const [name, fallback] = MORE[fault.kind] ?? [];
    return [
      <Choice
        plain
        path={`faults[${index}].gateway`}
        label={`gateway of fault ${index + 1}`}
        value={fault.gateway}
        choices={gateways}
        onValue={(gateway) => change(index, { gateway })}
      />,
      kind(index, fault),
      field(index, 'from', fault.from),
      field(index, 'until', fault.until),
      <div class="more">
        {name !== undefined &&
          field(index, name, fault[name], {
            fallback,
            plain: false,
            label: name.replace('Milliseconds', ''),
          })}
        {fault.kind === 'slow' &&
          fieldsOf('slow').map((each) =>
            field(index, each, fault[each], { plain: false, label: each.replace('Milliseconds', '') }),
          )}
      </div>,
    ];
  });
  return (
    <Table
      caption="Faults"
      what="fault"
      heads={['gateway', 'kind', 'from', 'until', 'more']}
      rows={rows}
      remove={remove}
    />
  );
}

function Events({ list, change, remove }) {
  const field = cell('events', 'event', change);
  const rows = list.map((event, index) => [
    <Choice
      plain
      path={`events[${index}].kind`}
      label={`kind of event ${index + 1}`}
      value={event.kind}
      choices={EVENTS.map((kind) => [kind, kind])}
      onValue={(kind) => {
        const until = kind === 'sleep' ? (Number(event.at) || 0) + 10_000 : undefined;
        change(index, { ...dropped(event, 'events'), kind, until });
      }}
    />,
    field(index, 'at', event.at),
    event.kind === 'sleep' ? field(index, 'until', event.until) : '',
    <div class="more">
      {event.kind === 'cut' &&
        field(index, 'code', event.code, { fallback: 1006, plain: false, label: 'code' })}
      {event.kind === 'sleep' && (
        <>
          <Choice
            path={`events[${index}].line`}
            label="line"
            value={event.line}
            fallback="dead"
            choices={[
              ['dead', 'dead'],
              ['closed', 'closed'],
            ]}
            onValue={(line) => change(index, { line: line === 'dead' ? undefined : line })}
          />
          <Check
            path={`events[${index}].wakeSignal`}
            label="wakeSignal"
            value={event.wakeSignal}
            fallback={true}
            onValue={(wakeSignal) => change(index, { wakeSignal })}
          />
        </>
      )}
    </div>,
  ]);
  return (
    <Table
      caption="Events"
      what="event"
      heads={['kind', 'at', 'until', 'more']}
      rows={rows}
      remove={remove}
    />
  );
}

function Operations({ list, change, remove }) {
  const field = cell('operations', 'operation', change);
  const kind = kindCell('operations', 'operation', change, OPERATIONS);
  const named = { plain: false };
  const rows = list.map((operation, index) => [
    field(index, 'name', operation.name, {
      isText: true,
      onValue: (name) => change(index, { name: name === '' ? undefined : name }),
    }),
    kind(index, operation),
    field(index, 'at', operation.at),
    <div class="more">
      {field(index, 'answerMilliseconds', operation.answerMilliseconds, { ...named, label: 'answer' })}
      {field(index, 'timeoutMilliseconds', operation.timeoutMilliseconds, { ...named, label: 'timeout' })}
      {field(index, 'times', operation.times, { ...named, fallback: 1, label: 'times' })}
      {operation.times > 1 &&
        field(index, 'everyMilliseconds', operation.everyMilliseconds, {
          ...named,
          fallback: 1000,
          label: 'every',
        })}
      <Check
        path={`operations[${index}].operationKey`}
        label="operationKey"
        value={operation.operationKey}
        onValue={(operationKey) => change(index, { operationKey })}
      />
    </div>,
  ]);
  return (
    <Table
      caption="Operations"
      what="operation"
      heads={['name', 'kind', 'at', 'more']}
      rows={rows}
      remove={remove}
    />
  );
}

function World({ state, edit }) {
  const { plainClient } = state;
  const setPlain = (part) => edit((now) => ({ ...now, plainClient: clean({ ...now.plainClient, ...part }) }));
  return (
    <>
      <h3>The network and the client</h3>
      <div class="fields wide">
        <Field
          path="horizon"
          label="played until"
          unit="ms"
          value={state.horizon}
          onValue={(horizon) => edit((now) => ({ ...now, horizon }))}
        />
        {WORLD.map(([name, fallback, label]) => (
          <Field
            key={name}
            path={`world.${name}`}
            label={label}
            unit="ms"
            value={state.world[name]}
            fallback={fallback}
            onValue={(value) =>
              edit((now) => ({
                ...now,
                world: clean({ ...now.world, [name]: value === fallback ? undefined : value }),
              }))
            }
          />
        ))}
        <Choice
          path="plainClient"
          label="client"
          value={plainClient !== undefined}
          choices={[
            [false, 'regate'],
            [true, 'one without its rules'],
          ]}
          onValue={(isPlain) =>
            edit((now) => ({ ...now, plainClient: isPlain ? { waitMilliseconds: 1000 } : undefined }))
          }
        />
        {plainClient !== undefined && (
          <>
            <Field
              path="plainClient.waitMilliseconds"
              label="it waits"
              unit="ms"
              value={plainClient.waitMilliseconds}
              fallback={0}
              onValue={(waitMilliseconds) => setPlain({ waitMilliseconds })}
            />
            <Field
              path="plainClient.mostDialsPerMinute"
              label="its machine can make"
              unit="dials a minute"
              value={plainClient.mostDialsPerMinute}
              fallback={60_000}
              onValue={(mostDialsPerMinute) => setPlain({ mostDialsPerMinute })}
            />
          </>
        )}
      </div>
    </>
  );
}
