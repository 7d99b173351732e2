// Reads the stream at the address that is the first argument, with the token that is the second, by each of the clients
// that programs in JavaScript use. Prints what each hands on, as JSON.
import { EventSource } from "eventsource";
import { createEventSource } from "eventsource-client";
import { Agent, EventSource as UndiciEventSource } from "undici";

const [url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };

function print(client, type, id, data) {
    console.log(JSON.stringify({ client, type, id, data }));
}

function listen(client, source) {
    for (const type of ["message", "cursor", "gap", "end"]) {
        source.addEventListener(type, (event) => print(client, type, event.lastEventId, event.data));
    }
}

const withToken = (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } });
listen("eventsource", new EventSource(url, { fetch: withToken }));

const agent = new Agent().compose((dispatch) => (options, handler) => {
    return dispatch({ ...options, headers: { ...options.headers, ...headers } }, handler);
});
listen("undici", new UndiciEventSource(url, { node: { dispatcher: agent } }));

createEventSource({
    url,
    headers,
    onMessage: ({ event, id, data }) => print("eventsource-client", event ?? "message", id, data),
});

// It is made for browsers.
globalThis.window = globalThis;
globalThis.document = { addEventListener() {}, removeEventListener() {} };
const { fetchEventSource } = await import("@microsoft/fetch-event-source");
fetchEventSource(url, {
    headers,
    openWhenHidden: true,
    onmessage: ({ event, id, data }) => print("fetch-event-source", event || "message", id, data),
});
