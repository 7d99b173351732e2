// The form of a target, to make one or to change one: its address, what it gets, and what is sent along.
import { button, buttons, el, field, problem } from './dom.js';
import { headerFields } from './header_fields.js';
import { describe, kinds } from './text.js';

/** The paths of an event of files in filters, by class. */
const pathsOf = ({ fields }) => fields.map((it) => it.path).filter((path) => /^event\.(node|source|target)\.path$/.test(path));

/** A filter for what lies in a folder of an account, for events with these paths (docs/API.md, section 4.8, rule 3). */
function inFolder(account, folder, paths) {
  const inside = `/${account}/files/${folder.replace(/^\/+|\/+$/g, '')}/`;
  const pattern = `/^${inside.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&')}/`;
  const each = paths.map((path) => ({ [path]: pattern }));
  return each.length === 1 ? each[0] : { $or: each };
}

/** The folder that a filter was made of, or an empty text. */
function folderOf(filter, account, paths) {
  const pattern = String(Object.values(filter?.$or?.[0] ?? filter ?? {})[0]);
  const inside = pattern.slice(2, -2).replace(/\\(.)/g, '$1').split(`/${account}/files/`)[1]?.slice(0, -1);
  return inside && written(inFolder(account, inside, paths)) === written(filter) ? inside : '';
}

/** A filter as it is written into its field. */
const written = (filter) => (filter ? JSON.stringify(filter, null, 2) : '');

/** The choice of classes; of those that are `wanted` also ones that the list lacks. */
function choice(list, wanted, update) {
  const unknown = wanted.filter((event) => !list.some((kind) => kind.event === event));
  const every = [...list, ...unknown.map((event) => ({ event, fields: [], recorded: true }))];
  const boxes = new Map();
  const box = (kind) => {
    const made = el('input', { type: 'checkbox', checked: wanted.includes(kind.event), on: { change: update } });
    boxes.set(kind, made);
    return el('label', { class: 'choice' }, made, el('span', {}, describe(kind.event)));
  };
  const isRare = ({ recorded, event }) => !recorded && !wanted.includes(event);
  const content = [...every.filter((kind) => !isRare(kind)).map(box),
    el('details', {}, el('summary', {}, 'Others, which are rare'), every.filter(isRare).map(box))];
  return { content, chosen: () => [...boxes].filter(([, { checked }]) => checked).map(([kind]) => kind) };
}

/** The form of `target`, or of a new one of `user`. `done` gets the answer, or nothing if there is nothing to do. */
export async function form({ api, me, heading = 'h3' }, { target, user = me.account }, done) {
  const wanted = target?.events ?? [];
  const account = target?.user ?? user;
  const uri = field('Address', el('input', { type: 'url', required: true, maxlength: 2048, value: target?.uri }),
    'It begins with https://, and can be reached from the gateway.');
  const folder = field('Only in this folder', el('input', { type: 'text' }), 'Such as Notes/, for what lies in it. For events of files alone.');
  const filter = field('Filter', el('textarea', { rows: 6, spellcheck: 'false' }), 'JSON, made of the folder or written by you. Without one, all of these events are sent.');
  const more = el('details', {}, el('summary', {}, 'The filter'), filter.all);
  const headers = headerFields(target?.headers);
  const events = field('Events', el('fieldset'), 'Choose none to get all.');
  const { content, chosen } = choice(await kinds(api), wanted, () => update());
  events.input.append(...content);
  filter.input.value = written(target?.eventFilter);
  more.open = Boolean(filter.input.value);
  const paths = () => [...new Set(chosen().flatMap(pathsOf))];
  folder.input.value = folderOf(target?.eventFilter, account, paths());

  const update = () => {
    const classes = chosen();
    folder.input.disabled = account === '*' || !classes.length || !classes.every((kind) => pathsOf(kind).length);
    const inside = folder.input.value.trim();
    if (folder.input.disabled || !inside) return;
    filter.input.value = written(inFolder(account, inside, paths()));
    more.open = true;
  };
  // Without a folder there is none of its filters.
  folder.input.addEventListener('input', () => (folder.input.value.trim() ? update() : (filter.input.value = '')));
  update();

  /** What is new. Members that are not given stay as they are. */
  const body = () => {
    const classes = chosen().map((kind) => kind.event);
    const isSame = classes.length === wanted.length && classes.every((event) => wanted.includes(event));
    const text = filter.input.value.trim();
    return {
      uri: uri.input.value === target?.uri ? undefined : uri.input.value,
      user: target || user === me.account ? undefined : user,
      events: isSame ? undefined : classes.length ? classes : null,
      eventFilter: text === written(target?.eventFilter) ? undefined : text ? JSON.parse(text) : null,
      headers: headers.value(),
    };
  };
  const faults = { uri, events, eventFilter: filter, headers };
  const failed = el('div');
  const send = async (event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-disabled')) return;
    submit.setAttribute('aria-disabled', 'true');
    failed.replaceChildren();
    Object.values(faults).forEach((it) => it.fail(''));
    try {
      const members = body();
      const isNothing = Object.values(members).every((it) => it === undefined);
      done(target ? !isNothing && (await api.call('PATCH', `deliveries/targets/${target.id}`, { body: members })) : await api.post('deliveries/targets', members));
    } catch (error) {
      const [, at, fault] = /^Invalid (\w+): (.*)$/s.exec(error.message) ?? [];
      if (error instanceof SyntaxError) {
        more.open = true;
        filter.fail(`This is not JSON: ${error.message}.`);
      } else if (faults[at]) {
        more.open ||= at === 'eventFilter';
        faults[at].fail(fault[0].toUpperCase() + fault.slice(1));
      } else failed.replaceChildren(problem(error));
    } finally {
      submit.removeAttribute('aria-disabled');
    }
  };
  const submit = el('button', { class: 'first' }, target ? 'Save' : 'Make it');
  const isOthers = target && target.made_by !== me.account;
  return el('form', { class: 'card', on: { submit: send } },
    el(heading, {}, target ? 'Change this target' : user === '*' ? 'New target for everybody' : 'New target'),
    isOthers && el('p', { class: 'note' }, 'If you change the address, you answer for this target from then on, not who made it.'),
    uri.all, events.all, account !== '*' && folder.all, more, headers.all, failed,
    buttons(submit, button('Cancel', () => done(false))));
}
