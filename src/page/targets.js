// My targets: where my events are sent.
import { ask, button, buttons, el, facts, say } from './dom.js';
import { secretOf } from './secret.js';
import { form } from './target_form.js';
import { count, describe, gap, json, kinds, name, outcome, time } from './text.js';

const STATES = {
  active: 'Active', paused: 'Paused: what arrives is sent afterwards',
  disabled: 'Disabled: it gets nothing until it is made active again', suspended: 'Suspended: what arrives is sent afterwards',
};

const DISABLED = 'Its receiver answered 410, or every attempt failed for five days. Once the receiver works again, make the target active; then replay what it missed under Deliveries.';

/** Why a target is suspended, and what ends that. */
const SUSPENDED = {
  unbound: 'Whoever made it has lost the account. It goes on once they have it back, or if you take it over.',
  not_administrator: 'Whoever made it is no administrator any more. It goes on once they are one again, or if you take it over.',
  unconfirmed: 'Nobody could say for too long whether its maker is still an administrator. It goes on once that is known, or if you take it over.',
};

export async function targets(context) {
  const [{ targets: list }] = await Promise.all([all(context.api), kinds(context.api)]);
  return [
    el('p', {}, 'A target is an address of a program of yours. Your events are sent there: signed, and again if that fails.'),
    maker(context, 'New target', {}),
    cards(context, list) ?? el('p', {}, 'You have none yet.'),
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

/** A button that makes a target. Its secret is shown once. */
export function maker(context, label, what) {
  const place = el('div');
  const show = async () => {
    const made = await form(context, what, (answer) => {
      if (!answer) return place.replaceChildren();
      place.replaceChildren(secretOf(answer, context.again));
      place.querySelector('h3').focus();
    });
    place.replaceChildren(made);
    made.querySelector('input').focus();
  };
  return el('div', {}, buttons(button(label, show, { kind: 'first' })), place);
}

/** Targets, with what can be done to each; nothing if there are none. */
export const cards = (context, list) => (list.length ? el('ul', { class: 'cards' }, list.map((target) => el('li', {}, card(context, target)))) : null);

const wanted = (events) => (events ? el('ul', {}, events.map((event) => el('li', {}, describe(event)))) : 'All events');

/** What is to be known of a target. */
export const about = (target, me) => facts(
  me && target.user !== me.account && ['Events of', target.user === '*' ? 'everybody' : name(target.user)],
  ['State', STATES[target.state],
    target.suspended && el('p', { class: 'note' }, SUSPENDED[target.suspended]),
    target.state === 'disabled' && el('p', { class: 'note' }, DISABLED)],
  ['Gets', wanted(target.events)],
  target.eventFilter && ['Only if', json(target.eventFilter)],
  target.headers && ['With fields', target.headers.join(', ')],
  target.failing_since && ['Fails since', time(target.failing_since)],
  ['Waiting', count(target.pending, 'delivery', 'deliveries')],
  target.missed && ['Missed', `${count(target.missed, 'event', 'events')}: replay from before it was disabled`],
  target.gaps?.length && ['Gaps', el('ul', {}, target.gaps.map((it) => el('li', {}, ...gap(it))))],
  ['Made', time(target.created_at), ' by ', name(target.made_by),
    target.made_by_subject && [' (', name(target.made_by_subject), ' at ', name(target.made_by_issuer), ')']],
);

function card(context, target) {
  const { api, me, again, heading = 'h3' } = context;
  const path = `deliveries/targets/${target.id}`;
  const place = el('div');
  const named = (label, act, kind) => button(label, act, { kind, name: `${label}: ${target.uri}` });
  const turnTo = (changed) => {
    const now = card(context, changed);
    made.replaceWith(now);
    now.querySelector(heading).focus();
  };
  const act = (label, body, said) => named(label, async () => {
    turnTo(await api.call('PATCH', path, { body }));
    say(said);
  });
  const change = named('Change', async () => {
    const shown = await form(context, { target }, (changed) => {
      turnTo(changed || target);
      if (changed) say('Changed.');
    });
    made.replaceChildren(shown);
    shown.querySelector('input').focus();
  });
  const secret = named('New secret', async () => {
    const leaked = el('input', { type: 'checkbox' });
    const meaning = ['The former one signs for 24 hours more. Put the new one into your program before that.',
      el('label', { class: 'choice' }, leaked, el('span', {}, 'It has leaked: former ones sign no more from now on.'))];
    if (!(await ask('Make a new secret?', meaning, 'Make a new one', 'first'))) return;
    place.replaceChildren(secretOf(await api.post(`${path}/secret`, leaked.checked ? { keep: false } : undefined), () => turnTo(target)));
    place.querySelector('h3').focus();
  });
  const remove = named('Remove', async () => {
    if (!(await ask('Remove this target?', [el('p', {}, name(target.uri)), 'What waits for it is not sent any more.'], 'Remove it'))) return;
    say((await api.call('DELETE', path)).message);
    again();
  }, 'danger');
  const made = el('section', { class: 'card', 'aria-label': target.uri },
    el(heading, { tabindex: -1 }, name(target.uri)),
    (target.warnings ?? []).map((warning) => el('p', { class: 'note' }, warning)),
    about(target, me),
    buttons(
      el('a', { href: `#targets/${target.id}` }, 'Deliveries'),
      target.state === 'active' && act('Pause', { paused: true }, 'Paused.'),
      target.state === 'paused' && act('Resume', { paused: false }, 'Resumed.'),
      target.state === 'disabled' && act('Make active', { paused: false }, 'It is active again.'),
      target.state === 'suspended' && act('Take over', { adopt: true }, 'You answer for it now.'),
      change, secret, remove),
    target.state !== 'suspended' && test(api, target), place);
  return made;
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
