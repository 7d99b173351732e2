// The deliveries of a target: what was sent, what came of it, and sending it again.
import { button, buttons, el, link, say } from './dom.js';
import { about } from './targets.js';
import { describe, kinds, name, outcome, time } from './text.js';

const STATES = {
  pending: 'Waits', delivered: 'Delivered', failed: 'Failed: it is not tried again by itself',
  expired: 'Given up: there was no room for it any more',
};

export async function deliveries({ api, me, id, again }) {
  const path = `deliveries/targets/${encodeURIComponent(id)}`;
  const [target, first] = await Promise.all([api.get(path), api.get(`${path}/deliveries`), kinds(api)]);
  const list = el('ul', { class: 'plain' });
  const more = el('div');
  const show = ({ deliveries, cursor }) => {
    list.append(...deliveries.map((delivery) => el('li', {}, ...entry(api, delivery, again))));
    const next = async () => show(await api.get(`${path}/deliveries?cursor=${encodeURIComponent(cursor)}`));
    more.replaceChildren(...(cursor ? [buttons(button('Show earlier ones', next))] : []));
  };
  show(first);
  return [
    el('p', {}, target.user === me.account ? link('#targets', 'All targets') : link('#administration', 'Administration')),
    el('h3', {}, name(target.uri)), about(target, me),
    replay(api, path, again),
    first.deliveries.length ? null : el('p', {}, 'None yet.'), list, more,
  ];
}

function entry(api, { id, event, received_at, state, next_attempt_at, attempts }, again) {
  const retry = button('Send again', async () => {
    say((await api.post(`deliveries/${id}/retry`)).message);
    again();
  }, { name: `Send again: ${describe(event)}, ${new Date(received_at).toLocaleString()}` });
  const tried = attempts.map((attempt) => el('li', {}, time(attempt.at), ': ', outcome(attempt)));
  return [
    el('strong', {}, describe(event)), ' ', el('span', { class: 'faint' }, time(received_at)),
    el('div', {}, STATES[state], next_attempt_at && [' until ', time(next_attempt_at)]),
    attempts.length ? el('details', {}, el('summary', {}, `Attempts: ${attempts.length}`), el('ol', {}, tried)) : null,
    ['pending', 'failed'].includes(state) && buttons(retry),
  ].flat();
}

/** Sends what was received from a time on again. */
function replay(api, path, again) {
  const since = el('input', { id: 'since', type: 'datetime-local', required: true });
  const every = el('input', { type: 'checkbox' });
  const state = el('p', { role: 'status' });
  const act = button('Replay', async () => {
    if (!since.reportValidity()) return;
    const body = { since: new Date(since.value).toISOString().replace(/\.\d+/, ''), all: every.checked };
    for (let [cursor, count] = [null, 0]; ;) {
      const done = await api.post(`${path}/replay`, { ...body, cursor });
      state.textContent = `${(count += done.replayed)}: ${done.message}.`;
      if (!(cursor = done.cursor)) break;
    }
    say(state.textContent);
    again();
  });
  return el('details', { class: 'card' }, el('summary', {}, 'Send events of a time again'),
    el('label', { for: 'since' }, 'Received since'), since,
    el('label', { class: 'choice' }, every, el('span', {}, 'Also those that have arrived')),
    buttons(act), state);
}
