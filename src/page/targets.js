// My targets: where my events are sent.
import { ask, button, buttons, el, facts, link, problem, say } from './dom.js';
import { form, secretOf } from './new_target.js';
import { describe, gap, json, kinds, name, outcome, time } from './text.js';

const STATES = {
  active: 'Active', paused: 'Paused: what arrives is sent afterwards',
  disabled: 'Disabled: it gets nothing until it is made active again', suspended: 'Suspended: what arrives is sent afterwards',
};

/** Why a target is suspended, and what ends that. */
const SUSPENDED = {
  unbound: 'Whoever made it has lost the account. It goes on once that is back, or if you take it over.',
  not_administrator: 'Whoever made it is no administrator any more. An administrator can take it over.',
  unconfirmed: 'It has not been known for too long whether its maker is still an administrator. An administrator can take it over.',
};

export async function targets(context) {
  const { api, again } = context;
  const [{ targets: list }] = await Promise.all([all(api), kinds(api)]);
  const place = el('div');
  const make = button('New target', () => {
    place.replaceChildren(form(context, async (made) => {
      place.replaceChildren(secretOf(made, again));
      place.querySelector('h3').focus();
    }));
    place.querySelector('input').focus();
  }, { kind: 'first' });
  return [
    el('p', {}, 'A target is an address of a program of yours. Your events are sent there: signed, and again if that fails.'),
    buttons(make), place,
    list.length ? el('ul', { class: 'cards' }, list.map((target) => el('li', {}, card(context, target)))) : el('p', {}, 'You have none yet.'),
  ];
}

/** All pages of a list of targets. */
export async function all(api, query = '') {
  const targets = [];
  for (let cursor = null; ;) {
    const page = await api.get(`deliveries/targets?${new URLSearchParams({ ...query, ...(cursor && { cursor }) })}`);
    targets.push(...page.targets);
    if (!(cursor = page.cursor)) return { targets };
  }
}

export const wanted = (events) => (events ? el('ul', {}, events.map((event) => el('li', {}, describe(event)))) : 'All events');

/** What is to be known of a target. */
export const about = (target) => facts(
  ['State', STATES[target.state], target.suspended && el('p', { class: 'note' }, SUSPENDED[target.suspended])],
  ['Gets', wanted(target.events)],
  target.eventFilter && ['Only if', json(target.eventFilter)],
  target.headers && ['With fields', target.headers.join(', ')],
  target.failing_since && ['Fails since', time(target.failing_since)],
  ['Waiting', `${target.pending} deliveries`],
  target.missed && ['Missed', `${target.missed} events: replay them once it is active`],
  target.gaps?.length && ['Gaps', el('ul', {}, target.gaps.map((it) => el('li', {}, ...gap(it))))],
  ['Made', time(target.created_at), ' by ', name(target.made_by)],
);

function card({ api, again }, target) {
  const path = `deliveries/targets/${target.id}`;
  const act = (label, body, said) => button(label, async () => {
    await api.call('PATCH', path, { body });
    say(said);
    again();
  }, { name: `${label}: ${target.uri}` });
  const place = el('div');
  const secret = button('New secret', async () => {
    if (!(await ask('Make a new secret?', 'The former one signs for 24 hours more. Put the new one into your program before that.', 'Make a new one'))) return;
    place.replaceChildren(secretOf({ ...target, ...(await api.post(`${path}/secret`)) }));
  }, { name: `New secret: ${target.uri}` });
  const remove = button('Remove', async () => {
    if (!(await ask('Remove this target?', [el('p', {}, name(target.uri)), 'What waits for it is not sent any more.'], 'Remove it'))) return;
    say((await api.call('DELETE', path)).message);
    again();
  }, { kind: 'danger', name: `Remove: ${target.uri}` });
  return el('section', { class: 'card', 'aria-label': target.uri },
    el('h3', {}, name(target.uri)), about(target),
    buttons(
      el('a', { href: `#targets/${target.id}` }, 'Deliveries'),
      target.state === 'active' && act('Pause', { paused: true }, 'Paused.'),
      target.state === 'paused' && act('Resume', { paused: false }, 'Resumed.'),
      target.state === 'disabled' && act('Make active', { paused: false }, 'It is active again.'),
      target.state === 'suspended' && act('Take over', { adopt: true }, 'It is yours, and active.'),
      secret, remove),
    test(api, target), place);
}

/** Sends an example to a target, and shows how that ended. */
function test(api, { id, uri, events }) {
  const choices = events ?? ['OCP\\Files\\Events\\Node\\NodeCreatedEvent'];
  const select = el('select', { 'aria-label': `Example for ${uri}` }, choices.map((event) => el('option', { value: event }, describe(event))));
  const result = el('p', { role: 'status' });
  const send = button('Send a test event', async () => {
    result.textContent = 'Sending\u2026';
    try {
      const ended = await api.post(`deliveries/targets/${id}/test`, { event: select.value });
      result.textContent = `${outcome(ended)}, after ${ended.milliseconds} ms.`;
    } catch (error) {
      result.replaceChildren();
      throw error;
    }
  }, { name: `Send a test event: ${uri}` });
  return el('div', {}, buttons(choices.length > 1 && select, send), result);
}
