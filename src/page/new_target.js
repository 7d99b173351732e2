// A new target: its address, what it gets, and its secret, which is shown once.
import { buttons, copied, el, problem } from './dom.js';
import { describe, json, kinds, name } from './text.js';

/** The paths of an event of files in filters, by class. */
const pathsOf = (kind) => kind.fields.map((field) => field.path).filter((path) => /^event\.(node|source|target)\.path$/.test(path));

/** A filter for what lies in a folder of an account, for events with these paths (docs/API.md, section 4.8, rule 3). */
export function inFolder(account, folder, paths) {
  const inside = `/${account}/files/${folder.replace(/^\/+|\/+$/g, '')}/`;
  const pattern = `/^${inside.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&')}/`;
  const each = paths.map((path) => ({ [path]: pattern }));
  return each.length === 1 ? each[0] : { $or: each };
}

/** The form; `made` gets the target. */
export function form({ api, me }, made) {
  const uri = el('input', { id: 'uri', type: 'url', required: true, maxlength: 2048, 'aria-describedby': 'uri-hint' });
  const folder = el('input', { id: 'folder', type: 'text', 'aria-describedby': 'folder-hint' });
  const preview = el('div', { role: 'status' });
  const choices = el('fieldset', {}, el('legend', {}, 'Events'), el('p', { class: 'hint' }, 'Choose none to get all.'));
  const failed = el('div');
  const boxes = new Map();
  const chosen = () => [...boxes].filter(([, box]) => box.checked).map(([kind]) => kind);
  const filter = () => {
    const kinds = chosen();
    if (!folder.value.trim() || !kinds.length || kinds.some((kind) => !pathsOf(kind).length)) return undefined;
    return inFolder(me.account, folder.value.trim(), [...new Set(kinds.flatMap(pathsOf))]);
  };
  const update = () => {
    const kinds = chosen();
    const isOfFiles = kinds.length > 0 && kinds.every((kind) => pathsOf(kind).length);
    folder.disabled = !isOfFiles;
    const wanted = filter();
    preview.replaceChildren(...(wanted ? [el('p', {}, 'The filter that is made of it:'), json(wanted)] : []));
  };
  kinds(api).then((list) => {
    const choice = (kind) => {
      const box = el('input', { type: 'checkbox', on: { change: update } });
      boxes.set(kind, box);
      return el('label', { class: 'choice' }, box, el('span', {}, describe(kind.event)));
    };
    const [common, others] = [list.filter((kind) => kind.recorded), list.filter((kind) => !kind.recorded)];
    choices.append(...common.map(choice), el('details', {}, el('summary', {}, 'Others, which are rare'), ...others.map(choice)));
  });
  folder.addEventListener('input', update);
  update();
  const send = async (event) => {
    event.preventDefault();
    failed.replaceChildren();
    const events = chosen().map((kind) => kind.event);
    const body = { uri: uri.value, events: events.length ? events : undefined, eventFilter: filter() };
    try {
      await made(await api.post('deliveries/targets', body));
    } catch (error) {
      failed.replaceChildren(problem(error));
    }
  };
  return el('form', { class: 'card', on: { submit: send } },
    el('h3', {}, 'New target'),
    el('label', { for: 'uri' }, 'Address'), uri,
    el('p', { class: 'hint', id: 'uri-hint' }, 'It begins with https://, and can be reached from the gateway.'),
    choices,
    el('label', { for: 'folder' }, 'Only in this folder'), folder,
    el('p', { class: 'hint', id: 'folder-hint' }, 'Such as Notes/, for what lies in it. For events of files alone.'),
    preview, failed, buttons(el('button', { class: 'first' }, 'Make it')));
}

const VERIFY = {
  Python: 'from standardwebhooks import Webhook\nwebhook = Webhook(os.environ["SECRET"])\nevent = webhook.verify(body, headers)',
  JavaScript: 'import { Webhook } from "standardwebhooks";\nconst webhook = new Webhook(process.env.SECRET);\nconst event = webhook.verify(body, headers);',
  Rust: 'let secret = std::env::var("SECRET")?;\nlet webhook = standardwebhooks::Webhook::new(&secret)?;\nwebhook.verify(&body, &headers)?;',
};

/** The secret of a target, and how a program verifies what it gets. */
export function secretOf({ uri, secret, warnings }, done) {
  return el('section', { class: 'card', 'aria-label': 'The secret' },
    el('h3', { tabindex: -1 }, 'The secret of ', name(uri)),
    (warnings ?? []).map((warning) => el('p', { class: 'note' }, warning)),
    el('p', {}, 'Copy it now: it is not shown again. Each delivery is signed with it (Standard Webhooks).'),
    copied(secret, 'the secret'),
    Object.entries(VERIFY).map(([language, code]) => el('details', {}, el('summary', {}, `Verify in ${language}`), el('pre', { tabindex: 0, 'aria-label': language }, code))),
    done && buttons(el('button', { type: 'button', on: { click: done } }, 'I have it')));
}
