import { line } from './panels.js';

const RESULTS_SHOWN = 20;
const LONGEST_TEXT = 400;

/** Lets the form invoke what was typed in; a mistake is told at its field. */
export function wireConsole(form, results, client) {
  const { method, params, readOnly, redoOperations } = form.elements;
  const problem = document.getElementById('params-error');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    let given;
    try {
      given = params.value.trim() === '' ? undefined : JSON.parse(params.value);
      problem.textContent = '';
    } catch (error) {
      problem.textContent = `Params: ${error.message}`;
    }
    params.setAttribute('aria-invalid', problem.textContent !== '');
    if (problem.textContent !== '') {
      params.focus();
      return;
    }
    const began = performance.now();
    const asked = `${method.value} ${params.value}`;
    const item = line('…', asked, 'waiting');
    results.prepend(item);
    while (results.children.length > RESULTS_SHOWN) results.lastChild.remove();
    const options = { readOnly: readOnly.checked, redoOperations: redoOperations.checked };
    try {
      show(
        item,
        began,
        `${asked} → ${JSON.stringify(await client.invoke(method.value, given, options))}`,
        'ok',
      );
    } catch (error) {
      const { code, completion, attempts, message } = error;
      const performed = completion === undefined ? '' : `, performed: ${completion}, attempts: ${attempts}`;
      show(item, began, `${asked} → ${code ?? error.name}${performed}. ${message}`, 'error');
    }
  });
}

function show(item, began, text, kind) {
  item.replaceWith(line(`${Math.round(performance.now() - began)} ms`, text.slice(0, LONGEST_TEXT), kind));
}
