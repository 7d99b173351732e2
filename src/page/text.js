// How values are shown: times, names that others chose, and what events and outcomes mean.
import { el } from './dom.js';

/** A time in the reader's zone; the exact one is its title. */
export function time(text) {
  const at = new Date(text);
  const shown = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return el('time', { datetime: text, title: text }, shown);
}

// Characters that are not seen, or change the order of what is: controls, and marks of writing direction.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
const LONGEST = 160;

const seen = (text) => text.replace(UNSEEN, (it) => `\u27e8U+${it.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);

/** A text that somebody else chose, such as the name of a file: apart from the rest, and shortened. */
export function name(text, longest = LONGEST) {
  const whole = [...String(text)];
  if (whole.length <= longest) return el('bdi', {}, seen(whole.join('')));
  const begin = seen(whole.slice(0, longest).join(''));
  return el('details', {}, el('summary', {}, el('bdi', {}, begin), `\u2026 (${whole.length} characters)`),
    el('bdi', {}, seen(whole.join(''))));
}

/** So many of something. */
export const count = (number, one, several) => `${number} ${number === 1 ? one : several}`;

/** A value as JSON, of which nothing is left out. */
export const json = (value) => el('pre', { tabindex: 0, 'aria-label': 'JSON' }, seen(JSON.stringify(value, null, 2)).replaceAll('\u27e8U+000A\u27e9', '\n'));

let catalogue;

/** The known kinds of events, which `describe` and the forms use. */
export async function kinds(api) {
  catalogue ??= (await api.get('events')).events.filter((kind) => !kind.fires.startsWith('Never'));
  return catalogue;
}

/** What an event of this class says, in a few words. */
export function describe(event) {
  const kind = catalogue?.find((it) => it.event === event);
  if (!kind) return event.split('\\').pop();
  const said = kind.fires.split(/[.:]|, (?=also |and |be )/)[0].replace(/^(After|Before) /, '');
  return said[0].toUpperCase() + said.slice(1) + (kind.fires.startsWith('Before') ? ' (announced)' : '');
}

/** What an event is about: the path of a file, or the name of another thing. */
export function subject({ event = {} }) {
  const moved = event.source?.path && [event.source.path, event.target?.path];
  const calendar = event.calendarData?.displayname ?? event.calendarData?.uri;
  const things = moved ?? [event.node?.path ?? event.objectData?.uri, calendar].filter(Boolean);
  if (!things.length && event.tagIds) return [`${event.objectType} ${event.objectIds}: tags ${event.tagIds}`];
  return things.filter(Boolean);
}

const OUTCOMES = {
  delivered: 'The receiver took it', gone: 'The receiver wants no more, and the target is disabled',
  redirected: 'The receiver pointed elsewhere, which is not followed: change the address',
  rejected: 'The receiver refused it', timed_out: 'No answer within 15 seconds',
  unresolved: 'Its name leads to no address that deliveries may go to', unreachable: 'The receiver cannot be reached',
  tls: 'No safe connection: check the certificate of the receiver', broken: 'The answer could not be read',
  unopened: 'The gateway lacks a key: ask who runs it',
};

/** How an attempt ended: a sentence of ours, never a text of the receiver. */
export const outcome = ({ outcome, status }) => (OUTCOMES[outcome] ?? outcome) + (status ? ` (${status})` : '');

const REASONS = { stopped: 'the gateway was stopped', downtime: 'the gateway was down', refused: 'the gateway had no room for some', lost: 'the database lost some' };

/** What may be missing, with its times. */
export function gap({ from, until, reason }) {
  return ['Between ', time(from), ' and ', time(until), ' events may be missing: ', REASONS[reason] ?? reason, '.'];
}
