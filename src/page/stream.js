// Server-sent events over fetch, which can send the token that an EventSource cannot
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).

/** The events of a stream: `{ type, id, data }`, until it ends. */
export async function* streamed(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let [rest, event] = ['', { type: 'message', id: null, data: [] }];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        const [, field, text] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
        if (line === '') {
          if (event.data.length) yield { ...event, data: event.data.join('\n') };
          event = { type: 'message', id: event.id, data: [] };
        } else if (field === 'event') event.type = text;
        else if (field === 'id') event.id = text;
        else if (field === 'data') event.data.push(text ?? '');
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
