// Elements. Whatever comes from a server gets into the page as text alone: there is no HTML in any of these files.

/** An element. Attributes are set as such; `on` has listeners by event; children are elements and texts. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

/** Says something to whoever cannot see what changed, and shows it for a while. */
export function say(text) {
  const said = document.getElementById('said');
  said.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (said.textContent = ''), 8000);
}

/** An error, with what to do about it. */
export function problem(error, ...more) {
  return el('div', { class: 'error', role: 'alert' }, el('p', {}, error.message ?? String(error)), more);
}

/** A button that cannot be pressed twice while its work is under way. What fails is shown at `place`, by default below. */
export function button(label, act, { kind, name, place } = {}) {
  let failed;
  const made = el('button', { type: 'button', class: kind, 'aria-label': name }, label);
  made.addEventListener('click', async () => {
    if (made.getAttribute('aria-disabled')) return;
    made.setAttribute('aria-disabled', 'true');
    failed?.remove();
    try {
      await act();
    } catch (error) {
      if (error.name !== 'AbortError') (place ?? made.closest('.buttons') ?? made).after((failed = problem(error)));
    } finally {
      made.removeAttribute('aria-disabled');
    }
  });
  return made;
}

export const buttons = (...made) => el('div', { class: 'buttons' }, ...made);

let fields = 0;

/** A field with its label and a hint: `all` of it, its `input`, and `fail` to say beside it what is wrong, or nothing. */
export function field(label, input, hint) {
  const id = `field-${++fields}`;
  const about = el('p', { class: 'hint', id: `${id}-hint` }, hint);
  const wrong = el('p', { class: 'error', id: `${id}-wrong`, hidden: true });
  input.setAttribute('aria-describedby', `${about.id} ${wrong.id}`);
  const isGroup = input.matches('fieldset');
  if (isGroup) input.append(el('legend', {}, label), about, wrong);
  else input.id = id;
  const fail = (text) => {
    wrong.textContent = text;
    wrong.hidden = !text;
    if (!isGroup) input.setAttribute('aria-invalid', Boolean(text));
    if (text) (isGroup ? input.querySelector('input, button') : input).focus();
  };
  return { all: isGroup ? input : el('div', {}, el('label', { for: id }, label), input, about, wrong), input, fail };
}

/** Asks once whether something is meant; `kind` is that of the button that says so. The dialog of the browser keeps the focus, and gives it back. */
export function ask(title, meaning, yes, kind = 'danger') {
  return new Promise((resolve) => {
    const end = (answer) => () => { dialog.close(); resolve(answer); };
    const dialog = el('dialog', { 'aria-labelledby': 'asked', on: { cancel: () => resolve(false), close: () => dialog.remove() } },
      el('h2', { id: 'asked' }, title),
      [meaning].flat().map((part) => (typeof part === 'string' ? el('p', {}, part) : part)),
      buttons(el('button', { type: 'button', class: kind, on: { click: end(true) } }, yes),
        el('button', { type: 'button', autofocus: true, on: { click: end(false) } }, 'Cancel')));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A list of terms and what they are; those without are left out. */
export const facts = (...rows) =>
  el('dl', {}, rows.filter(Boolean).flatMap(([term, ...about]) => [el('dt', {}, term), el('dd', {}, ...about)]));

/** A text to copy, with a button that does so. */
export function copied(text, name) {
  const place = el('pre', { tabindex: 0, 'aria-label': name }, text);
  return [place, buttons(button(`Copy ${name}`, async () => {
    await navigator.clipboard.writeText(text);
    say(`Copied ${name}.`);
  }))];
}

export const link = (address, ...label) => el('a', { href: address }, ...label);
