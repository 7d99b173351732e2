// The API of this page's own gateway (docs/API.md), which is all that the page knows.

/** Why a call did not do what it should. The message is for people, and says what to do. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** What follows from a status, if the message of the gateway does not say so. */
const ADVICE = {
  429: 'Wait a moment, then try again.',
  500: 'If it happens again, tell who runs this gateway.',
  503: 'The gateway is busy: wait a moment, then try again.',
  504: 'It took too long. Try again.',
};

export class Api {
  #session;

  /** Calls with the token of `session`, which ends when the gateway does not accept it any more. */
  constructor(session) {
    this.#session = session;
  }

  get = (path, options) => this.call('GET', path, options);
  post = (path, body, options) => this.call('POST', path, { body, ...options });

  async call(method, path, options = {}) {
    const answer = await this.open(method, path, options);
    return answer.json();
  }

  /** The answer before its body is read, if it is a success. */
  async open(method, path, options = {}) {
    let answer = await this.#send(method, path, options);
    const isRenewed = answer.status === 401 && (await this.#session.renew());
    if (isRenewed) answer = await this.#send(method, path, options);
    if (answer.ok) return answer;
    if (answer.status === 401 && !isRenewed && this.#session.mayBeRenewed) {
      throw new ApiError(0, 'Your login could not be renewed just now. Check your connection, then try again.');
    }
    const { message } = await answer.json().catch(() => ({}));
    if (answer.status === 401) this.#session.end(message);
    const parts = [message ? `${message.replace(/\.$/, '')}.` : `The gateway answered ${answer.status}.`, ADVICE[answer.status]];
    throw new ApiError(answer.status, parts.filter(Boolean).join(' '));
  }

  async #send(method, path, { body, signal, accept = 'application/json' }) {
    const token = await this.#session.token();
    const headers = { authorization: `Bearer ${token}`, accept };
    const sent = body === undefined ? undefined : JSON.stringify(body);
    try {
      const address = new URL(`../api/v1/${path}`, location.href);
      return await fetch(address, { method, headers, body: sent, signal, credentials: 'omit', cache: 'no-store', redirect: 'error' });
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      throw new ApiError(0, 'The gateway cannot be reached. Check your connection, then try again.');
    }
  }
}
