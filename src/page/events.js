// My events, as they arrive: one stream, while this tab is visible.
import { button, buttons, el, problem } from './dom.js';
import { streamed } from './stream.js';
import { describe, gap, json, kinds, name, subject, time } from './text.js';

/** How many events are shown. */
const MOST = 200;

export async function events({ api, signal }) {
  await kinds(api);
  const state = el('p', { role: 'status' });
  const list = el('ul', { class: 'plain' });
  const none = el('p', {}, 'None yet. An event appears here a few minutes after it happened: Nextcloud delivers them by its background jobs, if an administrator has switched a preset on.');
  const log = el('div', { role: 'log', 'aria-label': 'Events' }, none, list);
  const add = (...content) => {
    none.remove();
    list.prepend(el('li', {}, ...content));
    while (list.children.length > MOST) list.lastChild.remove();
  };
  let began;
  const from = (cursor) => {
    began?.abort();
    began = new AbortController();
    follow({ api, signal: AbortSignal.any([signal, began.signal]), state, add }, cursor);
  };
  const earlier = button('Show the kept ones, too', () => {
    list.replaceChildren();
    from(null);
    earlier.remove();
  });
  from('now');
  return [state, buttons(earlier), log];
}

/** What is said of gaps, also if only their being there is known. */
const told = (gaps) => (gaps.length ? gaps.map(gap) : [['Some events before these are not kept any more, or cannot be read: look at Nextcloud itself.']]);

/** Reads streams one after the other, from `cursor` on. */
async function follow({ api, signal, state, add }, cursor) {
  let wait = 1000;
  while (!signal.aborted) {
    await visible(signal);
    // A hidden tab needs no stream: it goes on from the cursor once it is seen again.
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      const path = `deliveries/events${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`;
      const answer = await api.open('GET', path, { accept: 'text/event-stream', signal: AbortSignal.any([signal, hidden.signal]) });
      state.textContent = 'Connected: new events appear here.';
      for await (const { type, id, data } of streamed(answer.body)) {
        if (type === 'message') add(...entry(JSON.parse(data)));
        else if (type === 'gap') told(JSON.parse(data).gaps).forEach((it) => add(el('p', { class: 'note' }, ...it)));
        if (id) cursor = id;
        wait = 1000;
      }
    } catch (error) {
      if (signal.aborted || error.status === 401) return;
      if (error.status === 400 && cursor) cursor = null;
      else if (error.status >= 400 && error.status < 500 && error.status !== 429) return state.replaceChildren(problem(error));
      else if (!hidden.signal.aborted) state.textContent = 'Not connected: trying again.';
    } finally {
      document.removeEventListener('visibilitychange', hide);
    }
    if (!hidden.signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, 30_000);
  }
}

const visible = (signal) => new Promise((resolve) => {
  const look = () => (document.hidden && !signal.aborted) || (document.removeEventListener('visibilitychange', look), resolve());
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', look, { once: true });
  look();
});

/** What is shown of an event; all of it is below, for whoever opens it. */
function entry({ received_at, body }) {
  const all = el('details', { on: { toggle: () => all.children.length > 1 || all.append(json(body)) } }, el('summary', {}, 'All of it'));
  const about = subject(body).flatMap((it, at) => (at ? [' \u2192 ', name(it)] : [name(it)]));
  return [el('strong', {}, describe(body.event?.class ?? '')), ' ', el('span', { class: 'faint' }, time(received_at)), el('div', {}, ...about), all];
}
