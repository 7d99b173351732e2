# Reads the stream at the address that is the first argument, with the token that is the second, by each of the clients
# that programs in Python use. Prints what each hands on, as JSON. They leave it to the program to connect again.
import json
import sys
import threading
import time

import httpx
import httpx_sse
import sseclient

url, token = sys.argv[1:]


def with_httpx_sse(client, headers):
    with httpx_sse.connect_sse(client, "GET", url, headers=headers) as source:
        yield from source.iter_sse()


def with_sseclient(client, headers):
    headers = {"Accept": "text/event-stream", **headers}
    with client.stream("GET", url, headers=headers) as response:
        yield from sseclient.SSEClient(response.iter_bytes()).events()


def read(name, events):
    last = None
    with httpx.Client(timeout=None, headers={"Authorization": f"Bearer {token}"}) as client:
        while True:
            try:
                for event in events(client, {"Last-Event-ID": last} if last else {}):
                    last = event.id or last
                    line = {"client": name, "type": event.event, "id": event.id, "data": event.data}
                    sys.stdout.write(json.dumps(line) + "\n")
                    sys.stdout.flush()
            except httpx.TransportError:
                pass
            time.sleep(0.5)


threading.Thread(target=read, args=("httpx-sse", with_httpx_sse)).start()
read("sseclient-py", with_sseclient)
