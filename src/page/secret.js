// The secret of a target, which is shown once, and how a program verifies with it.
import { buttons, copied, el } from './dom.js';
import { name } from './text.js';

const VERIFY = {
  Python: 'from standardwebhooks import Webhook\nwebhook = Webhook(os.environ["SECRET"])\nevent = webhook.verify(body, headers)',
  JavaScript: 'import { Webhook } from "standardwebhooks";\nconst webhook = new Webhook(process.env.SECRET);\nconst event = webhook.verify(body, headers);',
  Rust: 'let secret = std::env::var("SECRET")?;\nlet webhook = standardwebhooks::Webhook::new(&secret)?;\nwebhook.verify(&body, &headers)?;',
};

/** `done` happens when the secret has been copied. */
export function secretOf({ uri, secret, warnings }, done) {
  return el('section', { class: 'card', 'aria-label': 'The secret' },
    el('h3', { tabindex: -1 }, 'The secret of ', name(uri)),
    (warnings ?? []).map((warning) => el('p', { class: 'note' }, warning)),
    el('p', {}, 'Copy it now: it is not shown again. Each delivery is signed with it (Standard Webhooks).'),
    copied(secret, 'the secret'),
    Object.entries(VERIFY).map(([language, code]) => el('details', {}, el('summary', {}, `Verify in ${language}`), el('pre', { tabindex: 0, 'aria-label': language }, code))),
    buttons(el('button', { type: 'button', on: { click: done } }, 'I have it')));
}
