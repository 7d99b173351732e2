# What clients reach of a Nextcloud by DAV, from servers that many use: files from WsgiDAV, calendars and contacts from
# Radicale, below the paths that they have at Nextcloud. What it keeps is in the folder that is the argument; it prints
# its address. The end of its standard input ends it.
#
# Each line of `<folder>/logins` is a login that it lets in, like `alice:password`: a line that goes is an app password
# that is revoked. Whoever is let in gets to all that is alice's: what keeps others away from that is not here.
import base64
import hashlib
import logging
import os
import pathlib
import shutil
import sys
import threading
import urllib.parse
import xml.etree.ElementTree as ET

import cheroot.wsgi
import radicale
import radicale.config
from wsgidav.wsgidav_app import WsgiDAVApp

logging.getLogger("radicale").setLevel(logging.ERROR)
FOLDER = pathlib.Path(sys.argv[1])
ROOT = "/remote.php/dav"
PRINCIPAL = f"{ROOT}/principals/users/alice/"
FILES = f"{ROOT}/files/alice"
UPLOADS = f"{ROOT}/uploads/alice"
CALENDARS = f"{ROOT}/calendars"
CONTACTS = f"{ROOT}/addressbooks/users"
D, CAL, CARD = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}", "{urn:ietf:params:xml:ns:carddav}"

# Where clients find the principal, and there the calendars and the address books.
HREFS = {
    f"{ROOT}/": {f"{D}current-user-principal": PRINCIPAL},
    PRINCIPAL: {
        f"{D}current-user-principal": PRINCIPAL,
        f"{D}principal-URL": PRINCIPAL,
        f"{CAL}calendar-home-set": f"{CALENDARS}/alice/",
        f"{CARD}addressbook-home-set": f"{CONTACTS}/alice/",
    },
}

# What a Nextcloud answers on its DAV paths to a login that it does not know.
REFUSAL = b"""<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
  <s:exception>Sabre\\DAV\\Exception\\NotAuthenticated</s:exception>
  <s:message>No public access to this resource., Username or password was incorrect</s:message>
</d:error>
"""
CHALLENGE = 'Basic realm="Nextcloud", charset="UTF-8"'
# A Nextcloud sets some on every answer, and takes them instead of a password.
COOKIES = [
    ("Set-Cookie", "oc_sessionPassphrase=FAKE; path=/; HttpOnly"),
    ("Set-Cookie", "nc_sameSiteCookielax=true; path=/"),
]


def files(name, path):
    folder = FOLDER / name
    folder.mkdir()
    return WsgiDAVApp({
        "mount_path": path,
        "provider_mapping": {"/": str(folder)},
        "http_authenticator": {"domain_controller": None},
        "simple_dc": {"user_mapping": {"*": True}},
        "property_manager": True,
        "dir_browser": {"enable": False},
        # The times that clients say, as Nextcloud does.
        "honor_mtime_header": True,
        "block_size": 1 << 16,
        "verbose": 1,
    })


def collections(name):
    config = radicale.config.load()
    config.update({
        "auth": {"type": "remote_user"},
        "storage": {"filesystem_folder": str(FOLDER / name), "_filesystem_fsync": "False"},
        "web": {"type": "none"},
    }, privileged=True)
    return radicale.Application(config)


def file_at(path):
    return FOLDER / "files" / path.removeprefix(f"{FILES}/")


def finish_upload(environ, start_response):
    # The parts of a large file become the file, in the order of their names.
    upload, _, name = environ["PATH_INFO"].removeprefix(f"{UPLOADS}/").partition("/")
    destination = urllib.parse.unquote(urllib.parse.urlsplit(environ.get("HTTP_DESTINATION", "")).path)
    parts = FOLDER / "uploads" / upload
    if name != ".file" or not destination.startswith(f"{FILES}/") or not parts.is_dir():
        return answer(start_response, "400 Bad Request")
    with open(file_at(destination), "wb") as file:
        for part in sorted(parts.iterdir()):
            file.write(part.read_bytes())
    time = int(environ["HTTP_X_OC_MTIME"])
    os.utime(file_at(destination), (time, time))
    shutil.rmtree(parts)
    return answer(start_response, "201 Created", b"", ("X-OC-MTime", "accepted"))


def recalculate_hash(environ, start_response):
    # What rclone wants after each upload.
    kind = environ["HTTP_X_RECALCULATE_HASH"]
    # WSGI has each byte of a path as a character.
    path = environ["PATH_INFO"].encode("latin-1").decode()
    digest = hashlib.new(kind, file_at(path).read_bytes()).hexdigest()
    return answer(start_response, "204 No Content", b"", ("OC-Checksum", f"{kind.upper()}:{digest}"))


def discovery(environ, start_response):
    hrefs = HREFS.get(environ["PATH_INFO"].rstrip("/") + "/")
    if hrefs is None or environ["REQUEST_METHOD"] != "PROPFIND":
        return answer(start_response, "404 Not Found")
    asked = ET.fromstring(environ["wsgi.input"].read())
    answers = ET.Element(f"{D}multistatus")
    response = ET.SubElement(answers, f"{D}response")
    ET.SubElement(response, f"{D}href").text = environ["PATH_INFO"]
    found, missing = ET.Element(f"{D}prop"), ET.Element(f"{D}prop")
    for name in [it.tag for it in asked.iterfind(f"{D}prop/*")]:
        if name in hrefs:
            ET.SubElement(ET.SubElement(found, name), f"{D}href").text = hrefs[name]
        else:
            ET.SubElement(missing, name)
    for props, status in [(found, "200 OK"), (missing, "404 Not Found")]:
        if len(props):
            propstat = ET.SubElement(response, f"{D}propstat")
            propstat.append(props)
            ET.SubElement(propstat, f"{D}status").text = f"HTTP/1.1 {status}"
    return answer(start_response, "207 Multi-Status", ET.tostring(answers, encoding="utf-8", xml_declaration=True))


def answer(start_response, status, body=b"", *fields):
    fixed = [("Content-Type", "application/xml; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response(status, fixed + list(fields))
    return [body]


MOUNTED = [
    (FILES, files("files", FILES)),
    (UPLOADS, files("uploads", UPLOADS)),
    (CALENDARS, collections("calendars")),
    (CONTACTS, collections("contacts")),
]


def application(environ, start_response):
    def start(status, fields, *more):
        return start_response(status, fields + COOKIES, *more)

    logins = (FOLDER / "logins").read_text().splitlines()
    known = ["Basic " + base64.b64encode(it.encode()).decode() for it in logins]
    if environ.get("HTTP_AUTHORIZATION") not in known:
        return answer(start, "401 Unauthorized", REFUSAL, ("WWW-Authenticate", CHALLENGE))
    path = environ["PATH_INFO"]
    if path in ("/.well-known/caldav", "/.well-known/carddav"):
        return answer(start, "301 Moved Permanently", b"", ("Location", f"{ROOT}/"))
    method = environ["REQUEST_METHOD"]
    if method == "PATCH" and path.startswith(f"{FILES}/"):
        return recalculate_hash(environ, start)
    if path.startswith(f"{UPLOADS}/"):
        if method == "MOVE":
            return finish_upload(environ, start)
        # Nextcloud takes the size of a part from here.
        if method == "PUT" and "CONTENT_LENGTH" not in environ:
            return answer(start, "400 Bad Request")
    for prefix, mounted in MOUNTED:
        if path == prefix or path.startswith(f"{prefix}/"):
            environ["SCRIPT_NAME"], environ["PATH_INFO"] = prefix, path.removeprefix(prefix)
            environ["REMOTE_USER"] = "alice"
            del environ["HTTP_AUTHORIZATION"]
            return mounted(environ, start)
    return discovery(environ, start)


server = cheroot.wsgi.Server(("127.0.0.1", 0), application)
server.prepare()
print(f"http://127.0.0.1:{server.bind_addr[1]}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve()
