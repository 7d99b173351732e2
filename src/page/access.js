// My access: whether the gateway may act for me at Nextcloud, granting it, and taking it back.
import { ask, button, buttons, el, facts, link, problem, say } from './dom.js';
import { name, time } from './text.js';

/** Milliseconds between two questions whether access was granted. */
const WAIT = 2000;

const WAITING = 'Waiting for you to grant access on Nextcloud\u2019s page\u2026';

const pause = (signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(resolve, WAIT);
  signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason)), { once: true });
});

export async function access(context) {
  const { me } = await context.refresh();
  const place = el('div');
  const can = me?.parts.login_flow ?? true;
  const grant = can && button('Grant access', () => flow(context, place), { kind: 'first', place });
  const states = {
    none: () => [
      el('p', {}, 'The gateway has no access to your Nextcloud account: programs that use it can do nothing for you there.'),
      can ? buttons(grant) : el('p', {}, 'This gateway has no Nextcloud: its operator sets groupware_url.'),
    ],
    stored: () => [
      el('p', {}, 'The gateway may act for you at Nextcloud, with an app password that no program sees.'),
      facts(['Granted', time(me.since)], ['Login name', name(me.login_name)]), buttons(...removal(context)),
    ],
    suspended: () => [
      el('p', { class: 'note' }, 'Nextcloud has refused your app password, so it is not used. Grant access again, or remove it.'),
      facts(['Refused', time(me.since)], ['Login name', name(me.login_name)]), buttons(grant, ...removal(context)),
    ],
  };
  if (!me) return [...(await withoutAccount(context, grant)), place];
  return [...states[me.app_password](), place];
}

/** Of somebody who is logged in, and has no account: they get one by granting access, if the gateway lets them begin. */
async function withoutAccount({ api, again }, grant) {
  const mayGrant = await api.get('background-sync/login-flow/none').then(() => true, ({ status }) => status === 404);
  const next = mayGrant ? 'Grant access with your own account: from then on it is yours here.'
    : 'Ask who runs this gateway to bind yours (portreeve accounts bind), then look again.';
  return [
    el('p', { class: 'note' }, 'You are logged in, but no Nextcloud account is yours here yet. ', next),
    buttons(mayGrant ? grant : button('Look again', again)),
  ];
}

/** Both ways to take access back. */
function removal({ api, again }) {
  const remove = (path) => async () => {
    const { message } = await api.call('DELETE', path);
    say(message);
    again();
  };
  const sure = async (meaning, yes, act) => (await ask('Take access back?', meaning, yes)) && act();
  const credentials = 'background-sync/credentials';
  return [
    button('Remove', () => sure('The gateway forgets your app password. Nextcloud still accepts it, from whoever else has it.', 'Remove it here', remove(credentials)), { kind: 'danger' }),
    button('Revoke at Nextcloud', () => sure('Nextcloud destroys your app password, and the gateway forgets it. Nothing can use it any more.', 'Revoke it', remove(`${credentials}?revoke=true`)), { kind: 'danger' }),
  ];
}

/** The login flow: Nextcloud's page in another tab, while this one waits. */
async function flow({ api, signal, again }, place) {
  const begun = await api.post('background-sync/login-flow', undefined, { signal });
  const address = new URL(begun.login_url);
  if (!['http:', 'https:'].includes(address.protocol)) throw new Error('Nextcloud named an address that is no page.');
  window.open(address.href, '_blank', 'noopener');
  const state = el('p', { role: 'status' }, WAITING);
  const other = link(address.href, 'Open Nextcloud\u2019s page');
  other.target = '_blank';
  other.rel = 'noopener';
  place.replaceChildren(state, el('p', {}, 'If no page has opened: ', other, '. It is valid until ', time(begun.expires_at), '.'));
  for (;;) {
    try {
      await pause(signal);
      const { status, warnings } = await api.get(`background-sync/login-flow/${begun.flow_id}`, { signal });
      if (status === 'granted') break;
      state.textContent = warnings?.join(' ') ?? WAITING;
    } catch (error) {
      if (signal.aborted) return;
      // The flow goes on at Nextcloud, and survives a restart of the gateway (docs/API.md, section 5.5).
      const passes = [0, 429].includes(error.status) || error.status >= 500;
      if (passes && Date.now() < Date.parse(begun.expires_at)) {
        state.textContent = error.message;
        continue;
      }
      const gone = error.status === 404 ? new Error('The page has expired. Grant access again.') : error;
      place.replaceChildren(problem(gone));
      return;
    }
  }
  say('Access is granted.');
  again();
}
