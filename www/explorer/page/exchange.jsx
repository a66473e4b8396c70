import { useEffect, useState } from 'preact/hooks';
import { errorText } from './fields.jsx';
import { parseLiteral } from './literal.js';
import { changedOnly, flatten, fromScenario, toScenario } from './model.js';

const FORMATS = [
  ['javaScript', 'JavaScript'],
  ['hazelcast', 'Hazelcast JSON'],
  ['properties', 'ORB properties'],
  ['scenario', 'Scenario, JSON'],
];

/** The configuration in the forms that others have. */
export function Exchange({ state, edit, engine }) {
  return (
    <section class="card exchange" aria-labelledby="exchange-title" id="exchange">
      <h2 id="exchange-title">Import and export</h2>
      <div class="pair">
        <Import edit={edit} engine={engine} />
        <Export state={state} engine={engine} />
      </div>
    </section>
  );
}

/** A text of JSON, JavaScript or properties as what `importOptions` takes, or a whole scenario. */
function read(text) {
  if (!text.includes('{')) return { text };
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = parseLiteral(text);
  }
  return typeof value.options === 'object' ? { scenario: value } : { text: JSON.stringify(value) };
}

function Import({ edit, engine }) {
  const [text, setText] = useState('');
  const [told, setTold] = useState();
  const onSubmit = async (event) => {
    event.preventDefault();
    let given;
    try {
      given = read(text);
    } catch (error) {
      setTold({ errors: [`It is neither JSON nor JavaScript that can be read: ${error.message}.`] });
      return;
    }
    if (given.scenario !== undefined) {
      edit(() => fromScenario(given.scenario));
      setTold({ done: 'A whole scenario.' });
      return;
    }
    const { options, foreign = [], errors = [] } = await engine.call('importOptions', given.text);
    const wrong = errors.map((error) => `${error.path}${error.path && ' is '}${errorText(error)}`);
    if (options === undefined) {
      setTold({ errors: wrong });
      return;
    }
    const { gateways, seed, ...rest } = Object.fromEntries(flatten(options));
    const taken = Object.keys(rest).length + (gateways === undefined ? 0 : 1) + (seed === undefined ? 0 : 1);
    if (taken > 0) edit((now) => imported(now, { gateways, seed, rest }));
    setTold({ done: `${taken} ${taken === 1 ? 'setting' : 'settings'} taken.`, foreign, errors: wrong });
  };
  return (
    <form onSubmit={onSubmit} aria-labelledby="import-title">
      <h3 id="import-title">Import</h3>
      <label for="import-text">
        JavaScript, JSON, Hazelcast JSON or ORB properties; nothing of it is run
      </label>
      <textarea
        id="import-text"
        rows={9}
        spellcheck={false}
        value={text}
        aria-invalid={told?.errors?.length > 0 || undefined}
        aria-describedby="import-told"
        placeholder={'com.sun.corba.ee.transport.ORBTCPConnectTimeouts=250:60000:100:5000'}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setTold(undefined);
        }}
      />
      <button type="submit" disabled={text.trim() === ''}>
        Import
      </button>
      <div id="import-told" role="status">
        {told?.done && <p>{told.done}</p>}
        {told?.foreign?.length > 0 && <p class="note">Means nothing to regate: {told.foreign.join(', ')}.</p>}
        {told?.errors?.map((text) => (
          <p class="error" key={text}>
            {text}
          </p>
        ))}
      </div>
    </form>
  );
}

/** What is imported is the whole configuration: an option that is not in it goes back to its default. */
function imported(now, { gateways, seed, rest }) {
  const { gateways: list } = gateways === undefined ? now : fromScenario({ options: { gateways } });
  const faults = now.faults.filter(({ gateway }) => gateway === undefined || gateway < list.length);
  return { ...now, gateways: list, seed, faults, options: changedOnly(Object.entries(rest)) };
}

function Export({ state, engine }) {
  const [format, setFormat] = useState('javaScript');
  const [told, setTold] = useState();
  useEffect(() => {
    let isOver = false;
    const scenario = toScenario(state);
    engine.call('exportOptions', scenario.options).then((result) => {
      if (isOver) return;
      setTold(
        result.errors
          ? { errors: result.errors }
          : { ...result, scenario: JSON.stringify(scenario, null, 2) },
      );
    }, console.error);
    return () => {
      isOver = true;
    };
  }, [state, engine]);
  const text = told?.[format] ?? '';
  const lost = told?.lost?.[format] ?? [];
  return (
    <div>
      <h3 id="export-title">Export</h3>
      <fieldset class="formats">
        <legend class="hidden">Format</legend>
        {FORMATS.map(([name, label]) => (
          <label key={name}>
            <input type="radio" name="format" checked={format === name} onChange={() => setFormat(name)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <pre tabIndex={0} role="region" aria-label="The configuration" id="export-text">
        {text.trim() === '' ? '(all that this format knows is at its default)' : text}
      </pre>
      {told?.errors && <p class="error">What is wrong in a field cannot be exported.</p>}
      {lost.length > 0 && <p class="note">Has no name there: {lost.join(', ')}.</p>}
      <Copy text={text} label="Copy" />
    </div>
  );
}

/** Copies a text, or what a function returns for it. */
export function Copy({ text, label }) {
  const [done, setDone] = useState();
  const shown = typeof text === 'function' ? undefined : text;
  useEffect(() => setDone(undefined), [shown]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? await text() : text);
      setDone('copied');
    } catch {
      setDone('the browser does not allow it');
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {label}
      </button>
      <span class="note" role="status">
        {done}
      </span>
    </span>
  );
}
