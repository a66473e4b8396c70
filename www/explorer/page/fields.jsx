import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { numberOrText } from './format.js';

/** The wrong fields that the engine names, by their paths. */
export const Errors = createContext(new Map());

const idOf = (path) => `f-${path.replaceAll(/[^\w.-]/g, '_')}`;

/** Moves to a wrong field; opens what hides it. */
export function focusField(path) {
  const field = document.getElementById(idOf(path));
  for (let at = field; at !== null && at !== undefined; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  field?.focus();
  return field !== null;
}

export const errorText = ({ value, rule }) => (value === undefined ? `It ${rule}.` : `${value}: it ${rule}.`);

function useError(path) {
  const error = useContext(Errors).get(path);
  return error === undefined
    ? { described: {}, message: null }
    : {
        described: { 'aria-invalid': true, 'aria-describedby': `${idOf(path)}-error` },
        message: (
          <span class="error" id={`${idOf(path)}-error`}>
            {errorText(error)}
          </span>
        ),
      };
}

/** A field of text or of a number, with its unit, its error, and the way back to the default. */
export function Field({
  path,
  label,
  value,
  fallback,
  unit,
  onValue,
  isText = false,
  wide = false,
  plain = false,
}) {
  const [draft, setDraft] = useState();
  const { described, message } = useError(path);
  const changed = value !== undefined && fallback !== undefined && value !== fallback;
  const shown = draft ?? String(value ?? fallback ?? '');
  const length = isText ? undefined : Math.max(6, Math.min(12, shown.length + 2));
  return (
    <div class={`field${changed ? ' changed' : ''}${wide ? ' wide' : ''}`}>
      <label for={idOf(path)} class={plain ? 'hidden' : undefined}>
        {label}
      </label>
      <span class="control">
        <input
          id={idOf(path)}
          type="text"
          inputmode={isText ? undefined : 'decimal'}
          size={length}
          autocomplete="off"
          spellcheck={false}
          value={shown}
          {...described}
          onInput={({ currentTarget }) => {
            setDraft(currentTarget.value);
            onValue(isText ? currentTarget.value : numberOrText(currentTarget.value));
          }}
          onBlur={() => setDraft(undefined)}
        />
        {unit && <span class="unit">{unit}</span>}
        {changed && <Reset label={label} fallback={fallback} onReset={() => onValue(undefined)} />}
      </span>
      {message}
    </div>
  );
}

export function Check({ path, label, value, fallback = false, onValue }) {
  const { described, message } = useError(path);
  const changed = value !== undefined && value !== fallback;
  return (
    <div class={`field check${changed ? ' changed' : ''}`}>
      <label for={idOf(path)}>{label}</label>
      <span class="control">
        <input
          id={idOf(path)}
          type="checkbox"
          checked={value ?? fallback}
          {...described}
          onChange={({ currentTarget }) =>
            onValue(currentTarget.checked === fallback ? undefined : currentTarget.checked)
          }
        />
      </span>
      {message}
    </div>
  );
}

/** `choices` are `[value, text]`. */
export function Choice({ path, label, value, fallback, choices, onValue, plain = false }) {
  const { described, message } = useError(path);
  const changed = value !== undefined && fallback !== undefined && value !== fallback;
  const shown = value ?? fallback;
  const all = choices.some(([word]) => word === shown) ? choices : [...choices, [shown, String(shown)]];
  return (
    <div class={`field${changed ? ' changed' : ''}`}>
      <label for={idOf(path)} class={plain ? 'hidden' : undefined}>
        {label}
      </label>
      <span class="control">
        <select
          id={idOf(path)}
          {...described}
          onChange={({ currentTarget }) => onValue(all[currentTarget.selectedIndex][0])}
        >
          {all.map(([word, text]) => (
            <option key={String(word)} selected={word === shown}>
              {text}
            </option>
          ))}
        </select>
        {changed && <Reset label={label} fallback={fallback} onReset={() => onValue(undefined)} />}
      </span>
      {message}
    </div>
  );
}

function Reset({ label, fallback, onReset }) {
  return (
    <button
      type="button"
      class="quiet"
      onClick={onReset}
      title={`back to ${fallback}`}
      aria-label={`${label}: back to ${fallback}`}
    >
      ↺
    </button>
  );
}
