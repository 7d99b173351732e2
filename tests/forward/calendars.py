# What a program does with the package caldav: makes a calendar, fills it, searches it, changes it, deletes it. The
# arguments: the address, and a bearer token or, for a password, `alice:…`. Prints a line on each step: what it saw, or
# the error.
import datetime
import sys

import caldav
from caldav.lib.error import DAVError

url, login = sys.argv[1:]
name, _, password = login.partition(":")
if password:
    client = caldav.DAVClient(url, username=name, password=password)
else:
    client = caldav.DAVClient(url, password=login, auth_type="bearer")


def step(name, action):
    try:
        print(f"{name}: {action()}")
    except DAVError as error:
        print(f"{name}: {type(error).__name__}")


def day(month, day):
    return datetime.datetime(2026, month, day, 10, tzinfo=datetime.timezone.utc)


def add(month, summary):
    calendar.add_event(dtstart=day(month, 1), dtend=day(month, 2), summary=summary, uid=summary)


def summaries(objects):
    return sorted(str(it.icalendar_component["summary"]) for it in objects)


def change():
    event = calendar.event_by_uid("March")
    event.icalendar_component["summary"] = "Märch, <changed>"
    event.save()


def delete():
    seen = calendar.objects_by_sync_token(load_objects=True)
    calendar.event_by_uid("April").delete()
    changed, gone = seen.sync()
    return summaries(changed), len(list(gone)), summaries(calendar.events())


def recurring():
    rule = {"FREQ": "WEEKLY", "COUNT": 4}
    calendar.add_event(dtstart=day(9, 1), dtend=day(9, 2), summary="weekly", uid="weekly", rrule=rule)
    return summaries(calendar.search(start=day(9, 10), end=day(9, 20), event=True, expand=True))


with client:
    principal = client.principal()
    step("principal", lambda: principal.url.path)
    step("make", lambda: principal.make_calendar(name="Work & play", cal_id="work").url.path)
    step("calendars", lambda: [it.get_display_name() for it in principal.calendars()])
    calendar = principal.calendar(cal_id="work")
    step("add", lambda: [add(3, "March"), add(4, "April"), add(5, "May")])
    # Without a filter of its own that would hide a wrong answer.
    between = {"start": day(3, 20), "end": day(4, 20), "post_filter": False}
    step("search", lambda: summaries(calendar.search(event=True, **between)))
    step("recurring", recurring)
    step("task", lambda: calendar.add_todo(summary="task", uid="task") and summaries(calendar.todos()))
    step("changed", lambda: change() or summaries(calendar.events()))
    step("delete", delete)
    step("delete calendar", lambda: calendar.delete() or [it.get_display_name() for it in principal.calendars()])
