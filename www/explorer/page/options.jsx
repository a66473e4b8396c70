import { Check, Choice, Field } from './fields.jsx';
import { unitOf } from './format.js';
import { clean, MOST_GATEWAYS, OPTIONS, withoutGateway } from './model.js';

/** These stand in a place of their own. */
const ELSEWHERE = new Set(['networking.connectTimeouts']);
const groups = Map.groupBy(
  OPTIONS.filter(({ path }) => !ELSEWHERE.has(path)),
  ({ path }) => path.split('.')[0],
);

export function setOption(state, path, value, fallback) {
  const options = clean({ ...state.options, [path]: value === fallback ? undefined : value });
  return { ...state, options };
}

export function Options({ state, edit }) {
  return (
    <>
      <Gateways state={state} edit={edit} />
      {[...groups].map(([group, options]) => (
        <Group key={group} group={group} options={options} state={state} edit={edit} />
      ))}
    </>
  );
}

function Group({ group, options, state, edit }) {
  const changed = options.filter(({ path }) => path in state.options).length;
  return (
    <details class="group" open={changed > 0 || undefined}>
      <summary>
        <code>{group}</code>
        <span class="note">{changed > 0 ? `${changed} changed` : `${options.length} at their defaults`}</span>
      </summary>
      <div class="fields">
        {options.map((option) => (
          <Option key={option.path} option={option} state={state} edit={edit} />
        ))}
        {group === 'networking' && (
          <Field
            path="options.seed"
            label="seed"
            value={state.seed}
            fallback={1}
            onValue={(seed) => edit((now) => ({ ...now, seed }))}
          />
        )}
      </div>
    </details>
  );
}

function Option({ option, state, edit }) {
  const { path, kind, words } = option;
  const name = path.slice(path.indexOf('.') + 1);
  const shared = {
    path: `options.${path}`,
    label: name,
    value: state.options[path],
    fallback: option.default,
    onValue: (value) => edit((now) => setOption(now, path, value, option.default)),
  };
  if (kind === 'boolean') return <Check {...shared} />;
  if (kind === 'choice') return <Choice {...shared} choices={words.map((word) => [word, word])} />;
  return <Field {...shared} isText={kind === 'schedule'} unit={unitOf(name)} />;
}

function Gateways({ state, edit }) {
  const { gateways } = state;
  const add = () => {
    const letter = 'abcdefgh'.split('').find((each) => !gateways.includes(`wss://${each}.example/ws`));
    edit((now) => ({ ...now, gateways: [...now.gateways, `wss://${letter ?? 'x'}.example/ws`] }));
  };
  return (
    <fieldset class="gateways">
      <legend>Gateways</legend>
      {gateways.map((url, index) => (
        <div class="row" key={index}>
          <Field
            path={`options.gateways[${index}]`}
            label={`Gateway ${index + 1}`}
            value={url}
            isText
            wide
            plain
            onValue={(value) => {
              const list = gateways.map((each, at) => (at === index ? value : each));
              edit((now) => ({ ...now, gateways: list }));
            }}
          />
          <button
            type="button"
            class="quiet"
            disabled={gateways.length === 1}
            aria-label={`Remove gateway ${index + 1}, ${url}`}
            onClick={() => edit((now) => withoutGateway(now, index))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" class="add" disabled={gateways.length >= MOST_GATEWAYS} onClick={add}>
        Add a gateway
      </button>
    </fieldset>
  );
}
