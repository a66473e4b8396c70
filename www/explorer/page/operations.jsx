import { plural, time } from './format.js';
import { isRow, nameOf, reasonOf, rowText } from './words.js';

const MOST_SHOWN = 12;
const MOST_ATTEMPTS = 40;

/** What became of each operation, and why. */
export function Operations({ result, gateways, showAt }) {
  const operations = result.operations;
  if (operations.length === 0) return null;
  const groups = Map.groupBy(operations, ({ name, kind }) => name ?? kind);
  const repeated = [...groups].filter(([, list]) => list.length > 3);
  const summed = new Set(repeated.flatMap(([, list]) => list.filter(isPlain)));
  const single = operations.filter((operation) => !summed.has(operation));
  return (
    <section class="card" aria-labelledby="operations-title" id="operations">
      <h2 id="operations-title">Operations</h2>
      <ol class="operations">
        {single.slice(0, MOST_SHOWN).map((operation, index) => (
          <Operation key={index} operation={operation} gateways={gateways} showAt={showAt} />
        ))}
      </ol>
      {single.length > MOST_SHOWN && (
        <p class="note">… and {plural(single.length - MOST_SHOWN, 'operation')} more.</p>
      )}
      {repeated.map(([name, list]) => {
        const plain = list.filter(isPlain);
        return (
          plain.length > 0 && (
            <p key={name} class="note">
              <b>{name}</b>: {plain.length} of {list.length} answered by the first attempt, the slowest after{' '}
              {time(Math.max(...plain.map(({ outcome }) => outcome.elapsedMilliseconds)))}.
            </p>
          )
        );
      })}
    </section>
  );
}

const isPlain = ({ outcome, attempts }) => outcome?.code === 'OK' && attempts.length === 1;

function Operation({ operation, gateways, showAt }) {
  const { name, kind, at, attempts, performed, outcome } = operation;
  const code = outcome?.code ?? 'pending';
  const title = name ?? kind;
  const last = attempts.at(-1);
  // The last attempt says it already where it is what ended the operation.
  const isTold = outcome !== undefined && last?.row === outcome.row && last.decision !== 'retried';
  return (
    <li class="operation">
      <header>
        <h3>{title}</h3>
        {title !== kind && <span class="kind">{kind}</span>}
        <span class={`code ${code === 'OK' ? 'good' : code === 'pending' ? '' : 'bad'}`}>{code}</span>
        <button type="button" class="quiet link" onClick={() => showAt(at, outcome?.at)}>
          show<span class="hidden"> {title} on the time line</span>
        </button>
      </header>
      <p>
        Called at {time(at)}
        {outcome && `, over after ${time(outcome.elapsedMilliseconds)}`}
        {outcome && outcome.code !== 'OK' && (
          <>
            , performed as far as the client knows: <b class="completion">{outcome.completion}</b>
          </>
        )}
        . In truth performed <b>{performed.length === 0 ? 'never' : plural(performed.length, 'time')}</b>.
        {outcome !== undefined &&
          !isTold &&
          ` Ended by: ${rowText(outcome.row)}. ${isRow(outcome.row) ? reasonOf(outcome) : ''}`}
      </p>
      {attempts.length > 0 && <Attempts title={title} attempts={attempts} gateways={gateways} />}
    </li>
  );
}

function Attempts({ title, attempts, gateways }) {
  return (
    <div class="scroll" role="region" aria-label={`Attempts of ${title}`} tabIndex={0}>
      <table class="attempts">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">gateway</th>
            <th scope="col">at</th>
            <th scope="col">delay</th>
            <th scope="col">took</th>
            <th scope="col">ended by</th>
            <th scope="col">decided</th>
          </tr>
        </thead>
        <tbody>
          {attempts.slice(0, MOST_ATTEMPTS).map((attempt) => (
            <tr key={attempt.number}>
              <td data-head="attempt">{attempt.number}</td>
              <td>{attempt.gateway === undefined ? '–' : nameOf(attempt.gateway, gateways)}</td>
              <td data-head="at">{time(attempt.at)}</td>
              <td data-head="delay">{time(attempt.afterMilliseconds)}</td>
              <td data-head="took">{attempt.ended === undefined ? '…' : time(attempt.ended - attempt.at)}</td>
              <td>{attempt.row === undefined ? 'in flight' : rowText(attempt.row)}</td>
              <td class="because">
                {attempt.decision === 'answered' || attempt.decision === undefined ? (
                  (attempt.decision ?? '')
                ) : (
                  <>
                    <b>{attempt.decision}.</b> {reasonOf(attempt)}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {attempts.length > MOST_ATTEMPTS && (
        <p class="note">… {plural(attempts.length - MOST_ATTEMPTS, 'attempt')} more.</p>
      )}
    </div>
  );
}
