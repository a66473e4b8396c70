import { isLine, makeLog } from '../../../pkg-config/log.js';
import { plural, time } from './format.js';
import { noticeText } from './words.js';

const MOST_EVENTS = 300;

/** The lines that the package would write, by the package's own code. */
function linesOf(notices) {
  const lines = [];
  let at;
  const write = (level) => (text) => lines.push({ at, level, text });
  const log = makeLog({ warn: write('warn'), info: write('info'), error: write('error') });
  for (const notice of notices.filter(isLine)) {
    at = notice.at;
    log.line(notice);
  }
  return lines;
}

export function Log({ result, gateways }) {
  const lines = linesOf(result.log);
  const { notices } = result;
  return (
    <section class="card" aria-labelledby="log-title" id="log">
      <div class="title">
        <h2 id="log-title">Log</h2>
        <span class="note">{plural(lines.length, 'line')}, as the console would show them</span>
      </div>
      {lines.length === 0 ? (
        <p class="note">Nothing: there was no outage.</p>
      ) : (
        <ol class="lines" tabIndex={0} aria-label="Lines of the log">
          {lines.map(({ at: when, level, text }, index) => (
            <li key={index}>
              <span class="when">{time(when)}</span> <span class={`level is-${level}`}>{level}</span>{' '}
              <span class="text">{text}</span>
            </li>
          ))}
        </ol>
      )}
      <details>
        <summary>
          <span>All events</span> <span class="note">{plural(notices.length, 'event')} of the client</span>
        </summary>
        <ol class="lines" tabIndex={0} aria-label="Events of the client">
          {notices.slice(0, MOST_EVENTS).map((notice, index) => (
            <li key={index}>
              <span class="when">{time(notice.at)}</span>{' '}
              <span class="text">{noticeText(notice, gateways)}</span>
            </li>
          ))}
        </ol>
        {notices.length > MOST_EVENTS && (
          <p class="note">… {plural(notices.length - MOST_EVENTS, 'event')} more.</p>
        )}
      </details>
    </section>
  );
}
