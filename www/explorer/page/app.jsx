import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { within } from './axis.jsx';
import { Latest } from './engine.js';
import { Copy, Exchange } from './exchange.jsx';
import { Errors, errorText, focusField } from './fields.jsx';
import { Fleet } from './fleet.jsx';
import { count, time } from './format.js';
import { Log } from './log.jsx';
import { forOne, fromScenario, toScenario } from './model.js';
import { Operations } from './operations.jsx';
import { Options } from './options.jsx';
import { Schedule } from './schedule.jsx';
import { Script } from './script.jsx';
import { encode, read } from './share.js';
import { STORIES } from './stories.js';
import { ThemeToggle, useTheme } from './theme.jsx';
import { Timeline } from './timeline.jsx';

const PLAY_AFTER_MILLISECONDS = 30;
const SHARE_AFTER_MILLISECONDS = 250;
const UNDO_KEPT = 100;
const FIRST = { story: 1, run: 0 };

/** What is loaded; where it is of many clients, they come first. */
function loaded(scenario) {
  const state = fromScenario(scenario);
  return { state, isFleet: state.clients !== undefined };
}

/** The state of a story's run, or nothing where there is none. */
function ofStory({ story, run }) {
  const { scenario, view } = STORIES[story]?.runs[run] ?? {};
  return scenario === undefined ? undefined : { ...loaded(scenario), view, story, run };
}

export function App({ engine }) {
  const [{ state, view, story, run, isFleet }, setAll] = useState(() => ofStory(FIRST));
  const [problem, setProblem] = useState();
  const history = useRef([]);
  const [theme, setTheme] = useTheme();
  const horizon = Number(state.horizon) > 0 ? Number(state.horizon) : 1;
  const shownView = useMemo(() => within(view ?? [0, horizon], horizon), [view, horizon]);
  const setView = useCallback((next) => setAll((all) => ({ ...all, view: next })), []);

  /** Changes the state; changes under one key in a row are undone at once. */
  const edit = useCallback((change, key) => {
    setAll((all) => {
      const list = history.current;
      if (key === undefined || list.at(-1)?.key !== key) list.push({ key, all });
      if (list.length > UNDO_KEPT) list.shift();
      return { ...all, state: change(all.state), isEdited: true };
    });
  }, []);
  const undo = useCallback(() => {
    const last = history.current.pop();
    if (last !== undefined) setAll(last.all);
  }, []);

  const isEdited = useSharing({ state, story, run, setAll, setProblem, history });
  const { result, errors, isStale } = usePlayed(engine, state);
  useKeys(undo);
  const show = (from, to) => {
    const end = to ?? horizon;
    const margin = Math.max(50, (end - from) * 0.2);
    setView(within([from - margin, end + margin], horizon));
    document.getElementById('timeline').scrollIntoView({ block: 'start' });
  };
  /** The address, which may be a moment behind the last edit. */
  const link = async () => {
    const [page] = location.href.split('#');
    return isEdited ? `${page}#s=${await encode(toScenario(state))}` : location.href;
  };
  const fleet = <Fleet key="fleet" state={state} edit={edit} theme={theme} />;
  return (
    <Errors.Provider value={errors}>
      <header class="top">
        <div>
          <h1>
            regate <small>explorer</small>
          </h1>
          <p>What would your client do? Its own engine answers, on a virtual clock: no server, no waiting.</p>
        </div>
        <nav aria-label="Pages">
          <a href="./" aria-current="page">
            Explorer
          </a>
          <a href="live/">Live</a>
          <ThemeToggle theme={theme} setTheme={setTheme} />
        </nav>
      </header>
      <main>
        <div class="side">
          <Stories story={story} isEdited={isEdited} />
          <div class="card settings">
            <Schedule state={state} edit={edit} engine={engine} theme={theme} />
            <section aria-labelledby="options-title" id="options">
              <h2 id="options-title">Options</h2>
              <Options state={state} edit={edit} />
            </section>
          </div>
        </div>
        <div class="body">
          <Story story={story} run={run} isEdited={isEdited} />
          <div class="actions">
            <Copy text={link} label="Copy link" />
            <button type="button" disabled={history.current.length === 0} onClick={undo}>
              Undo
            </button>
          </div>
          <Problems errors={errors} problem={problem} />
          <Figures
            result={result}
            isStale={isStale}
            clients={state.clients}
            isPlain={state.plainClient !== undefined}
          />
          {isFleet && fleet}
          <Timeline
            state={state}
            edit={edit}
            result={result}
            view={shownView}
            setView={setView}
            isStale={isStale}
          />
          {result && <Operations result={result} gateways={state.gateways} showAt={show} />}
          {!isFleet && fleet}
          {result && <Log result={result} gateways={state.gateways} />}
          <Script state={state} edit={edit} />
          <Exchange state={state} edit={edit} engine={engine} />
        </div>
      </main>
    </Errors.Provider>
  );
}

/** Plays what is there, at every change; what was played last stays while a field is wrong. */
function usePlayed(engine, state) {
  const [played, setPlayed] = useState({ errors: new Map(), isStale: true });
  const [latest] = useState(() => new Latest((input) => engine.call('explore', input)));
  useEffect(() => {
    setPlayed((before) => ({ ...before, isStale: true }));
    const timer = setTimeout(() => {
      const scenario = forOne(state);
      latest.ask(scenario, (answer) => {
        const { errors, ...result } = answer;
        if (errors === undefined) {
          setPlayed({
            result: { ...result, bucket: scenario.bucketMilliseconds },
            errors: new Map(),
            isStale: false,
          });
        } else {
          const byPath = new Map(errors.map((error) => [error.path, error]));
          setPlayed((before) => ({ ...before, errors: byPath, isStale: true }));
        }
      });
    }, PLAY_AFTER_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [state, latest]);
  return played;
}

/** The address holds what is shown: a story by its number, anything else as itself. */
function useSharing({ state, story, run, setAll, setProblem, history }) {
  const original = useMemo(
    () => JSON.stringify(toScenario(ofStory({ story, run })?.state ?? state)),
    [story, run],
  );
  const now = JSON.stringify(toScenario(state));
  const isEdited = story === undefined || now !== original;
  const written = useRef(location.hash);
  const hasWritten = useRef(false);
  useEffect(() => {
    const load = async () => {
      written.current = location.hash;
      hasWritten.current = false;
      try {
        const found = await read(location.hash);
        const next = found.scenario === undefined ? ofStory(found) : loaded(found.scenario);
        history.current = [];
        setAll(next ?? ofStory(FIRST));
        setProblem(undefined);
      } catch {
        setProblem('The address holds no scenario that can be read; this is the second story instead.');
      }
    };
    const onChange = () => location.hash !== written.current && load();
    if (location.hash !== '') load();
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  useEffect(() => {
    if (!isEdited) {
      const name = `#story=${story + 1}${run === 0 ? '' : `.${run + 1}`}`;
      // Only what was written here is taken back: an address that is being read stays as it came.
      if (hasWritten.current) write(name);
      return undefined;
    }
    const timer = setTimeout(
      async () => write(`#s=${await encode(JSON.parse(now))}`),
      SHARE_AFTER_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  }, [now, isEdited]);
  const write = (hash) => {
    written.current = hash;
    hasWritten.current = hash.startsWith('#s=');
    globalThis.history.replaceState(null, '', hash);
  };
  return isEdited;
}

function useKeys(undo) {
  useEffect(() => {
    const onKeyDown = (event) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'z';
      if (!isUndo || event.target.matches?.('input[type=text], textarea')) return;
      event.preventDefault();
      undo();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [undo]);
}

function Stories({ story, isEdited }) {
  return (
    <nav class="stories" aria-labelledby="stories-title">
      <h2 id="stories-title">Ten stories</h2>
      <ol>
        {STORIES.map(({ title }, index) => (
          <li key={title}>
            <a
              href={`#story=${index + 1}`}
              aria-current={index === story ? (isEdited ? 'location' : 'true') : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Story({ story, run, isEdited }) {
  if (story === undefined) {
    return (
      <section class="story" aria-labelledby="story-title">
        <h2 id="story-title">Your own scenario</h2>
        <p>The address holds all of it: copy the link to share it.</p>
      </section>
    );
  }
  const { title, sentence, look, runs } = STORIES[story];
  return (
    <section class="story" aria-labelledby="story-title">
      <h2 id="story-title">
        {title} {isEdited && <span class="note">changed by you</span>}
      </h2>
      <p>{sentence}</p>
      <p class="look">
        <b>Look at</b> {look[0].toLowerCase() + look.slice(1)}
      </p>
      {runs.length > 1 && (
        <ul class="runs" aria-label="Its runs">
          {runs.map((each, index) => (
            <li key={each.title}>
              <a href={`#story=${story + 1}.${index + 1}`} aria-current={index === run ? 'true' : undefined}>
                {each.title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Problems({ errors, problem }) {
  const list = [...errors.values()];
  return (
    <div role="status" id="problems">
      {problem && <p class="error">{problem}</p>}
      {list.length > 0 && (
        <>
          <p class="error">
            {list.length === 1 ? 'One field is wrong' : `${list.length} fields are wrong`}; shown is what was
            right last.
          </p>
          <ul>
            {list.map((error) => (
              <li key={error.path}>
                <button type="button" class="quiet link" onClick={() => focusField(error.path)}>
                  {error.path.replace(/^options\./, '') || 'the scenario'}
                </button>{' '}
                {errorText(error)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Figures({ result, isStale, clients, isPlain }) {
  if (result === undefined)
    return (
      <p class="note" aria-busy="true">
        Playing…
      </p>
    );
  const { totals, state, until, cut } = result;
  const list = [
    ['dials in the first minute', count(totals.dialsInFirstMinute)],
    ['dials in all', count(totals.dials)],
    ['opened', count(totals.opened)],
    ['failed', count(totals.failed)],
    ...(totals.abandoned > 0 ? [['abandoned', count(totals.abandoned)]] : []),
    ...(isPlain
      ? []
      : [
          ['rounds', count(totals.rounds)],
          ['waits', count(totals.waits)],
          ...(totals.attempts > 0 ? [['attempts', count(totals.attempts)]] : []),
          [`after ${time(until)}`, state],
        ]),
  ];
  return (
    <>
      <dl class={`figures${isStale ? ' stale' : ''}`} aria-busy={isStale}>
        {list.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {clients !== undefined && (
        <p class="note">
          These figures and the time line are of one of the {count(Number(clients) || 0)} clients.
        </p>
      )}
      {cut && <p class="note">So much happened that it was played only to {time(until)}.</p>}
    </>
  );
}
