// For administrators: presets, webhooks, the targets of all, and accounts.
import { ask, button, buttons, el, problem, say } from './dom.js';
import { about, all } from './targets.js';
import { describe, kinds, name, time } from './text.js';

export async function administration(context) {
  const { api, me } = context;
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

async function presets({ api, me, again }) {
  const { presets } = await api.get('webhook-presets');
  // Without deliveries there is no address of the gateway's own, and who has others calls the API.
  const own = (preset) => `webhook-presets/${encodeURIComponent(preset.name)}?uri=self`;
  const found = me.parts.deliveries ? await Promise.all(presets.map((preset) => api.get(own(preset)))) : [];
  const item = (preset, at) => {
    const here = found[at]?.addresses[0];
    const missing = (here?.webhooks ?? []).filter(({ ids }) => !ids.length).map(({ event }) => event);
    const ids = [...(here?.webhooks ?? []).flatMap((webhook) => webhook.ids), ...(here?.outdated ?? [])];
    const change = (label, title, meaning, act) => button(label, async () => {
      if (!(await ask(title, meaning, label))) return;
      const { created = [], deleted = [] } = await act();
      say(`${preset.name}: ${created.length} webhooks registered, ${deleted.length} deleted.`);
      again();
    }, { name: `${label}: ${preset.name}` });
    const classes = missing.length ? missing : preset.webhooks.map(({ event }) => event);
    const on = change('Switch on', `Switch ${preset.name} on?`,
      ['Nextcloud delivers to this gateway from then on:', el('ul', {}, classes.map((event) => el('li', {}, describe(event))))],
      () => api.call('PUT', `webhook-presets/${encodeURIComponent(preset.name)}`, { body: { uri: 'self' } }));
    const off = change('Switch off', `Switch ${preset.name} off?`,
      here?.covered_by ? `Its events still come by the preset ${here.covered_by}.` : `Nextcloud forgets ${ids.length} webhooks (${ids.join(', ')}), and delivers these events no more.`, () => api.call('DELETE', own(preset)));
    const state = here?.covered_by ? `On, by the preset ${here.covered_by}` : STATES[found[at]?.state];
    return el('li', {}, el('strong', {}, name(preset.name)), state && `: ${state}`, el('div', {}, name(preset.description, 1000)),
      found[at] && buttons(found[at].state !== 'enabled' && on, found[at].state !== 'disabled' && off));
  };
  return el('ul', { class: 'plain' }, presets.map(item));
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

async function ofAll({ api }) {
  const { targets: every } = await all(api, { user: '*' });
  const targets = every.filter(({ user }) => user === '*');
  if (!targets.length) return el('p', {}, 'No target gets the events of all accounts.');
  return el('ul', { class: 'plain' }, targets.map((target) => el('li', {}, el('strong', {}, name(target.uri)), about(target))));
}

/** How many targets an account has; pressed, which. */
function targetsOf(api, { account, targets }) {
  const place = el('div');
  const show = async () => {
    const { targets } = await all(api, { user: account });
    place.replaceChildren(el('ul', { class: 'plain' }, targets.map((target) => el('li', {}, el('strong', {}, name(target.uri)), about(target)))));
  };
  return el('div', {}, buttons(button(`Show ${targets}`, show, { name: `Show ${targets} of ${account}` })), place);
}

const PASSWORDS = { none: 'No app password', stored: 'App password stored', suspended: 'App password refused' };

async function users({ api, me }) {
  const place = el('div');
  const more = el('div');
  const next = async (cursor) => {
    const page = await api.get(`users${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`);
    const rows = page.users.map((user) => [
      name(user.account),
      el('span', {}, PASSWORDS[user.app_password], user.suspended_at && [" ", time(user.suspended_at)]),
      user.targets ? targetsOf(api, user) : '0',
    ]);
    if (rows.length) place.append(table(['Account', 'Access', ...(me.parts.deliveries ? ['Targets'] : [])], rows.map((row) => (me.parts.deliveries ? row : row.slice(0, 2)))));
    else if (!cursor) place.append(el('p', {}, 'None has an app password or a target.'));
    more.replaceChildren(...(page.cursor ? [buttons(button('Show more', () => next(page.cursor)))] : []));
  };
  await next(null);
  return [place, more];
}
