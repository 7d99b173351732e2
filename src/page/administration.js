// For administrators: presets, webhooks, the targets of all, and accounts.
import { ask, button, buttons, el, problem, say } from './dom.js';
import { all, cards, maker } from './targets.js';
import { count, describe, kinds, name, time } from './text.js';

export async function administration(outer) {
  const { api, me } = outer;
  const context = { ...outer, heading: 'h4' };
  await kinds(api);
  const parts = [
    me.parts.presets && ['Presets', presets],
    me.parts.webhooks && ['Webhooks', webhooks],
    me.parts.deliveries && ['Targets for everybody', ofAll],
    ['Accounts', users],
  ].filter(Boolean);
  return parts.map(([title, load]) => {
    const place = el('div', {}, el('p', { role: 'status' }, 'Loading\u2026'));
    const fill = async () => {
      try {
        place.replaceChildren(...[await load(context, fill)].flat());
      } catch (error) {
        if (error.status !== 401) place.replaceChildren(problem(error, buttons(button('Try again', fill))));
      }
    };
    fill();
    return el('section', {}, el('h3', {}, title), place);
  });
}

const STATES = { enabled: 'On', partly: 'Partly on', disabled: 'Off' };

/** Each preset, at this gateway and at other addresses. */
async function presets(context) {
  const { api, me } = context;
  const { presets } = await api.get('webhook-presets');
  const path = ({ name }) => `webhook-presets/${encodeURIComponent(name)}`;
  // Without deliveries there is no address of the gateway's own.
  const own = (preset) => me.parts.deliveries && api.get(`${path(preset)}?uri=self`);
  const found = await Promise.all(presets.map((preset) => Promise.all([own(preset), api.get(path(preset))])));
  const item = (preset, at) => {
    const [own, { addresses }] = found[at];
    const here = own && registered(context, preset, path(preset), own.addresses[0], 'self');
    const others = addresses.filter(({ uri }) => uri !== own?.addresses[0].uri).map((other) => {
      const there = registered(context, preset, path(preset), other, other.uri);
      return [el('p', {}, 'At ', name(other.uri), ': ', there.state), there.change];
    });
    return el('li', {}, el('strong', {}, name(preset.name)), here && [': ', here.state],
      el('div', {}, name(preset.description, 1000)), here?.change, ...others);
  };
  return el('ul', { class: 'plain' }, presets.map(item));
}

/** A preset at one address: its state, and buttons that change it. */
function registered({ api, again }, preset, path, { state, webhooks, outdated = [], covered_by }, uri) {
  const ids = [...webhooks.flatMap((it) => it.ids), ...outdated];
  const twice = webhooks.flatMap((it) => it.ids.slice(1));
  const missing = webhooks.filter((it) => !it.ids.length).map((it) => el('li', {}, describe(it.event)));
  const change = (label, kind, title, meaning, act) => button(label, async () => {
    if (!(await ask(title, [uri !== 'self' && el('p', {}, 'At ', name(uri), '.'), ...meaning].filter(Boolean), label, kind))) return;
    const { created = [], deleted = [], warnings = [] } = await act();
    say([`${preset.name}: ${count(created.length, 'webhook', 'webhooks')} registered, ${deleted.length} deleted.`, ...warnings].join(' '));
    again();
  }, { name: `${label}: ${preset.name}${uri === 'self' ? '' : ` at ${uri}`}` });
  // docs/API.md, section 4.6, rule 5.
  const [label, title] = outdated.length ? ['Bring up to date', `Bring ${preset.name} up to date?`] : ['Switch on', `Switch ${preset.name} on?`];
  const on = change(label, 'first', title, [
    outdated.length > 0 && `${count(outdated.length, 'webhook is', 'webhooks are')} changed to what it is now, or deleted if there are too many: ${outdated.join(', ')}.`,
    twice.length > 0 && `Deleted are those that are there more than once: ${twice.join(', ')}.`,
    ...(missing.length ? [`Nextcloud delivers to ${uri === 'self' ? 'this gateway' : 'this address'} from then on:`, el('ul', {}, missing)] : []),
  ], () => api.call('PUT', path, { body: { uri } }));
  const off = change('Switch off', 'danger', `Switch ${preset.name} off?`, [covered_by ? `Its events still come by the preset ${covered_by}.`
    : `Nextcloud forgets ${count(ids.length, 'webhook', 'webhooks')} (${ids.join(', ')}), and delivers these events no more.`],
  () => api.call('DELETE', `${path}?${new URLSearchParams({ uri })}`));
  const old = outdated.length > 0 && `; ${count(outdated.length, 'webhook is', 'webhooks are')} outdated, of another version or credential`;
  return {
    state: [covered_by ? `On, by the preset ${covered_by}` : STATES[state], old].filter(Boolean).join(''),
    change: buttons(state !== 'enabled' && on, state !== 'disabled' && off),
  };
}

const table = (heads, rows) => el('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': heads.join(', ') },
  el('table', {}, el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))),
    el('tbody', {}, rows.map((cells) => el('tr', {}, cells.map((cell) => el('td', {}, cell)))))));

async function webhooks({ api }) {
  const { webhooks } = await api.get('webhooks');
  if (!webhooks.length) return el('p', {}, 'None is registered.');
  return table(['Number', 'Event', 'Address', 'Made by'],
    webhooks.map((it) => [String(it.id), name(describe(String(it.event))), name(it.uri), name(it.userId ?? '')]));
}

/** Targets that need an administrator: those of everybody, and those that nobody answers for any more. */
async function ofAll(context) {
  const { targets } = await all(context.api, { user: '*' });
  const suspended = targets.filter(({ user, state }) => user !== '*' && state === 'suspended');
  return [
    el('p', {}, 'They get the events of all accounts, on the authority of whoever made them.'),
    maker(context, 'New target for everybody', { user: '*' }),
    cards(context, targets.filter(({ user }) => user === '*')) ?? el('p', {}, 'No target gets the events of all accounts.'),
    suspended.length > 0 && [el('h3', {}, 'Suspended targets of accounts'), cards(context, suspended)],
  ].flat();
}

const PASSWORDS = { none: 'No app password', stored: 'App password stored', suspended: 'App password refused' };

async function users(context) {
  const list = el('ul', { class: 'plain' });
  const more = el('div');
  const entry = ({ account, app_password, suspended_at, targets }) => {
    const place = el('div');
    const show = async () => place.replaceChildren(cards(context, (await all(context.api, { user: account })).targets) ?? 'None any more.');
    const label = `Show ${count(targets, 'target', 'targets')}`;
    return el('li', {}, el('strong', {}, name(account)), ': ', PASSWORDS[app_password], suspended_at && [' ', time(suspended_at)],
      targets > 0 && buttons(button(label, show, { name: `${label} of ${account}` })), place);
  };
  const next = async (cursor) => {
    const page = await context.api.get(`users${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`);
    list.append(...page.users.map(entry));
    if (!list.children.length) list.append(el('li', {}, 'None has an app password or a target.'));
    more.replaceChildren(...(page.cursor ? [buttons(button('Show more', () => next(page.cursor)))] : []));
  };
  await next(null);
  return [list, more];
}
