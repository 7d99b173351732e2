// The header fields that are sent to a target. Their values are secrets, which the gateway does not show again.
import { button, buttons, el, field } from './dom.js';

/** How many there may be (docs/API.md, section 12.2, rule 9). */
const MOST = 8;

/** Fields for these, of which `names` are there. `value()` is `undefined` while they stay as they are. */
export function headerFields(names = []) {
  const rows = el('div');
  const add = button('Add a field', () => row('').querySelector('input').focus());
  const update = () => (add.hidden = rows.children.length >= MOST);
  const row = (name) => {
    const key = el('input', { type: 'text', 'aria-label': 'Name of a header field', placeholder: 'Authorization', required: true, maxlength: 64, pattern: '[!#$%&\'*+.^_`\\|~0-9A-Za-z\\-]+', title: 'Letters, digits and hyphens', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', value: name });
    // No field for passwords: browsers would offer to keep it as one of this page.
    const value = el('input', { type: 'text', class: 'secret', 'aria-label': 'Its value', placeholder: 'Bearer \u2026', required: true, maxlength: 2048, pattern: '[!-~]([ -~]*[!-~])?', title: 'Visible ASCII', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' });
    const remove = el('button', { type: 'button', 'aria-label': 'Remove this header field', on: { click: () => (made.remove(), update(), add.focus()) } }, 'Remove');
    const made = el('div', { class: 'row' }, key, value, remove);
    rows.append(made);
    update();
    return made;
  };
  const change = el('input', { type: 'checkbox', on: { change: () => (change.checked ? show() : (rows.replaceChildren(), (all.hidden = true))) } });
  const all = el('div', { hidden: names.length > 0 }, rows, buttons(add));
  const show = () => {
    names.forEach(row);
    all.hidden = false;
  };
  const fields = field('Header fields', el('fieldset'), 'Sent with each delivery, for a receiver that wants a token. Nobody can read the values here again.');
  const replace = names.length > 0 && el('label', { class: 'choice' }, change, el('span', {}, `Replace all: ${names.join(', ')}`));
  fields.input.append(...[replace, all].filter(Boolean));
  const value = () => {
    const given = [...rows.children].map((it) => [...it.querySelectorAll('input')].map((input) => input.value));
    const twice = given.find(([name], at) => given.some(([other], before) => before < at && other.toLowerCase() === name.toLowerCase()));
    if (twice) throw new Error(`Invalid headers: the name ${twice[0]} is there twice.`);
    if (given.length) return Object.fromEntries(given);
    return change.checked ? null : undefined;
  };
  return { ...fields, value };
}
