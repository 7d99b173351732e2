// The page: logs in, then shows one view at a time, whose name is after `#` in the address.
import { access } from './access.js';
import { administration } from './administration.js';
import { Api, ApiError } from './api.js';
import { deliveries } from './deliveries.js';
import { button, buttons, el, link, problem, say } from './dom.js';
import { events } from './events.js';
import { LoginError, Session, comeBack, howToLogIn, leave, takeAddress } from './login.js';
import { targets } from './targets.js';
import { name } from './text.js';

const main = document.getElementById('main');
const views = document.getElementById('views');
const who = document.getElementById('who');

let session;

/** What happens when the part of the address after `#` changes. */
let changed = () => {};

/** The view that is shown ends with this. */
let shown = new AbortController();

/** Replaces what is shown. The focus goes to the heading, so that a screen reader begins there. */
function show(title, ...content) {
  document.title = `${title} \u2013 Portreeve`;
  const heading = el('h2', { tabindex: -1 }, title);
  main.replaceChildren(heading, ...content.flat().filter(Boolean));
  if (document.activeElement !== document.body || views.hidden === false) heading.focus();
}

async function start() {
  const { pasted, query } = takeAddress();
  if (session) {
    session.ended = () => {};
    session.end();
  }
  if (!window.isSecureContext) {
    show('Not a safe connection', el('p', {}, 'Over plain HTTP others could read your token. Open this page by https://; whoever runs it sets tls_cert, or puts a proxy with TLS before it.'));
    return;
  }
  show('Loading', el('p', { role: 'status' }, 'Asking the gateway how to log in\u2026'));
  let how;
  try {
    how = await howToLogIn();
    const begun = await comeBack(how, query);
    if (begun) return open(begun, how);
    // An address with a token could log somebody in as somebody else, so it counts only where nobody can log in.
    if (pasted && how.login === 'paste') return open(new Session(how, { access_token: pasted }), how);
    offer(how);
  } catch (error) {
    if (how) offer(how, error);
    else show('Not available', problem(error instanceof LoginError ? error : new Error('The gateway cannot be reached. Check your connection.'), buttons(button('Try again', start))));
  }
}

/** Offers to log in; `error` is why that did not work, `said` why the last session ended. */
function offer(how, error, said) {
  who.replaceChildren();
  views.hidden = true;
  const before = [said && el('p', { class: 'note' }, said), error && problem(error)];
  if (how.login === 'code') {
    const can = how.authorization_endpoint && how.token_endpoint;
    show('Log in', before,
      can ? el('p', {}, 'You log in at ', el('bdi', {}, new URL(how.issuer).host), ', and come back here.')
        : el('p', { class: 'error' }, 'The identity provider does not say how to log in, so nobody can now. Try again in a minute.'),
      buttons(button(can ? 'Log in' : 'Try again', () => (can ? leave(how) : location.reload()), { kind: 'first' })));
    return;
  }
  const input = el('input', { id: 'token', type: 'password', autocomplete: 'off', required: true, spellcheck: 'false', pattern: '\\s*[A-Za-z0-9._~+\\/=\\-]+\\s*', title: 'Letters, digits and . _ ~ + / = -' });
  const enter = (event) => {
    event.preventDefault();
    const token = input.value.trim();
    if (token) open(new Session(how, { access_token: token }), how);
  };
  show('Log in', before, el('form', { on: { submit: enter } },
    el('label', { for: 'token' }, 'Token'), input,
    el('p', { class: 'hint' }, 'Whoever runs this gateway makes one for you: portreeve token new. It is kept in this tab until you reload or close it.'),
    buttons(el('button', { class: 'first' }, 'Use this token'))));
}

/** Begins a session, if the gateway accepts its token. */
async function open(begun, how) {
  session = begun;
  const api = new Api(begun);
  let isFirst = true;
  begun.ended = (reason) => {
    shown.abort();
    changed = () => {};
    context.isOver = true;
    const claims = 'The gateway does not accept the token that the identity provider issued for this page. Who runs it compares audience and allowed_client with its aud and client_id (portreeve check-config --online --token-stdin).';
    if (isFirst && !begun.isPasted) offer(how, new Error(`${claims} (${reason})`));
    else offer(how, null, reason ? `Your session is over: ${reason}. Log in again to go on.` : 'You are logged out.');
  };
  show('Loading', el('p', { role: 'status' }, 'Asking the gateway who you are\u2026'));
  const context = { api };
  context.refresh = async () => {
    try {
      context.me = await api.get('me');
    } catch (error) {
      // A person without an account may still be able to get one, by the login flow.
      if (error.status !== 428) throw error;
      context.me = undefined;
    }
    const { me } = context;
    who.replaceChildren(...(me ? ['You are ', name(me.account), ' '] : []), button('Log out', () => begun.end()));
    list(context);
    ifAdministrator(context);
    return context;
  };
  try {
    await context.refresh();
    isFirst = false;
  } catch (error) {
    if (error.status !== 401) show('Not available', problem(error, buttons(button('Try again', () => open(begun, how)))));
    return;
  }
  changed = () => route(context);
  await changed();
}

/** Offers the view for administrators, once it is known that the caller is one. */
async function ifAdministrator(context) {
  const { api, me } = context;
  if (context.isAdministrator !== undefined || !me || (me.administrator === null && me.app_password !== 'stored')) return;
  context.isAdministrator = me.administrator ?? (await api.get('me?ask=true').catch(() => ({}))).administrator;
  if (context.isAdministrator && !context.isOver) list(context);
}

const VIEWS = {
  access: ['My access', access, () => true],
  events: ['My events', events, ({ me }) => me?.parts.deliveries],
  targets: ['My targets', targets, ({ me }) => me?.parts.deliveries],
  administration: ['Administration', administration, ({ isAdministrator }) => isAdministrator],
};

function list(context) {
  const current = location.hash.slice(1).split('/')[0] || 'access';
  const items = Object.entries(VIEWS).filter(([, [, , isThere]]) => isThere(context));
  const links = items.map(([view, [label]]) => {
    const made = link(`#${view}`, label);
    if (view === current) made.setAttribute('aria-current', 'page');
    return el('li', {}, made);
  });
  views.replaceChildren(el('ul', {}, links));
  views.hidden = items.length < 2;
}

/** Shows the view of the address. */
async function route(context) {
  shown.abort();
  const { signal } = (shown = new AbortController());
  const [view, id] = location.hash.slice(1).split('/');
  let [title, make] = VIEWS[view] ?? VIEWS.access;
  if (view === 'targets' && id) [title, make] = ['Deliveries', deliveries];
  list(context);
  const again = () => route(context);
  show(title, el('p', { role: 'status' }, 'Loading\u2026'));
  try {
    const content = await make({ ...context, signal, id, again, say });
    if (!signal.aborted) show(title, content);
  } catch (error) {
    if (signal.aborted || error.status === 401) return;
    if (!(error instanceof ApiError)) console.error(error);
    show(title, problem(error, buttons(button('Try again', again))));
  }
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // what is after `#` is the view
  main.focus();
});
addEventListener('hashchange', () => (location.hash.startsWith('#token=') ? start() : changed()));
start();
