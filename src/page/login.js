// Where the token comes from: pasted, or from the identity provider by the authorization code flow (RFC 6749, section 4.1)
// with PKCE (RFC 7636), as a public client. Tokens are in memory alone: a reload logs in anew.

/** Until the browser comes back from the provider, the verifier and the state are here, and never a token. */
const KEPT = 'portreeve-login';

/** Seconds before its end at which a token is renewed. */
const EARLY = 30;

/** Seconds until a renewal is tried again that failed for the moment. */
const AGAIN = 5;

export class LoginError extends Error {
  /** Whether the provider has refused: to ask again does not help. */
  isFinal = false;
}

const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

export async function howToLogIn() {
  const answer = await fetch('login.json', { credentials: 'omit', cache: 'no-store' });
  if (!answer.ok) throw new LoginError('The gateway does not say how to log in. Try again in a moment.');
  return answer.json();
}

/** Takes the token after `#` out of the address, and what the provider has added: neither stays in the history. */
export function takeAddress() {
  const pasted = new URLSearchParams(location.hash.slice(1)).get('token');
  const query = new URLSearchParams(location.search);
  if (pasted || location.search) {
    history.replaceState(null, '', location.pathname + (pasted ? '' : location.hash));
  }
  return { pasted, query };
}

/** Leaves for the provider. */
export async function leave(how) {
  // Where it sends the browser back to, the kept values are not, if the page is open at another address.
  if (new URL(how.redirect_uri).href !== location.origin + location.pathname) {
    throw new LoginError(`This page is at another address: open ${how.redirect_uri}`);
  }
  const [verifier, state] = [random(), random()]; // RFC 7636, section 4.1; RFC 6749, section 10.12
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  sessionStorage.setItem(KEPT, JSON.stringify({ verifier, state }));
  const address = new URL(how.authorization_endpoint); // a query of its own is kept: RFC 6749, section 3.1
  const asked = {
    response_type: 'code', client_id: how.client_id, redirect_uri: how.redirect_uri, scope: how.scope, state, // RFC 6749, section 4.1.1
    code_challenge: base64url(digest), code_challenge_method: 'S256', // RFC 7636, section 4.3
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address);
}

/** The session of a browser that has come back with this query; `null` if it has not been away. */
export async function comeBack(how, query) {
  if (!query.has('state')) return null;
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null');
  sessionStorage.removeItem(KEPT);
  if (kept?.state !== query.get('state')) { // RFC 6749, section 10.12
    throw new LoginError('This login was not begun in this tab, or has been used already. Log in again.');
  }
  if (query.has('iss') && query.get('iss') !== how.issuer) { // RFC 9207, section 2.4
    throw new LoginError('The answer came from another identity provider. Log in again; if it happens again, tell who runs this gateway.');
  }
  if (query.has('error')) throw refused(query.get('error'), query.get('error_description')); // RFC 6749, section 4.1.2.1
  return new Session(how, await ask(how, { // RFC 6749, section 4.1.3; RFC 7636, section 4.5
    grant_type: 'authorization_code', code: query.get('code') ?? '', redirect_uri: how.redirect_uri, code_verifier: kept.verifier,
  }));
}

const refused = (error, about) => new LoginError(`The identity provider refused the login: ${error}${about ? ` (${about})` : ''}.`);

async function ask(how, asked) {
  const body = new URLSearchParams({ ...asked, client_id: how.client_id });
  let answer;
  try {
    answer = await fetch(how.token_endpoint, { method: 'POST', body, credentials: 'omit', cache: 'no-store', redirect: 'error' });
  } catch {
    throw new LoginError(`The identity provider gave no answer that this page may read. Check your connection; who runs it checks that the client ${how.client_id} allows the web origin ${location.origin}.`);
  }
  const given = await answer.json().catch(() => ({}));
  if (!answer.ok) { // RFC 6749, section 5.2
    const isFinal = answer.status < 500 && answer.status !== 429;
    throw Object.assign(refused(given.error ?? answer.status, given.error_description), { isFinal });
  }
  if (given.token_type?.toLowerCase() !== 'bearer' || !given.access_token) throw refused('it issued no bearer token'); // RFC 6749, section 7.1
  return given;
}

/** A token, as long as there is one. */
export class Session {
  #how;
  #token;
  #refresh;
  #until = Infinity;
  #renewing = null;
  #timer;
  #isOver = false;
  /** What happens at its end, with a reason. */
  ended = () => {};

  constructor(how, given) {
    this.#how = how;
    this.#take(given);
  }

  get isPasted() {
    return this.#how.login === 'paste';
  }

  async token() {
    if (performance.now() >= this.#until) await this.renew();
    return this.#token;
  }

  /** A new token in place of this one (RFC 6749, section 6); whether there is one. Only one is asked for at a time. */
  renew() {
    if (!this.#refresh) return Promise.resolve(false);
    this.#renewing ??= ask(this.#how, { grant_type: 'refresh_token', refresh_token: this.#refresh })
      .then((given) => this.#take(given), (error) => this.#keep(error))
      .finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  /** Whether a token may still come in place of this one. */
  get mayBeRenewed() {
    return Boolean(this.#refresh);
  }

  /** Forgets everything, also what has been asked for and comes later. */
  end(reason) {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#token = this.#refresh = null;
    this.ended(reason);
  }

  /** After a renewal that failed: for the moment, if nobody has refused it. */
  #keep({ isFinal }) {
    if (isFinal || this.#isOver) this.#refresh = null;
    else this.#renewIn(AGAIN * 1000);
    return false;
  }

  #renewIn(wait) {
    clearTimeout(this.#timer);
    this.#until = performance.now() + wait;
    this.#timer = setTimeout(() => this.renew(), Math.min(wait, 2 ** 31 - 1));
  }

  #take({ access_token, refresh_token, expires_in }) {
    if (this.#isOver) return false;
    this.#token = access_token;
    this.#refresh = refresh_token ?? this.#refresh;
    clearTimeout(this.#timer);
    this.#until = Infinity;
    if (expires_in && this.#refresh) this.#renewIn(Math.max(expires_in - EARLY, expires_in / 2) * 1000);
    return true;
  }
}
