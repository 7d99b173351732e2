"""Greets whoever enters room 0: a bot in Python, on the messages of proto/, over TCP. With Debian's packages
protobuf-compiler and python3-protobuf:

    mkdir -p messages && protoc -I proto --python_out=messages $(find proto -name '*.proto')
    portreeve game demo &
    PYTHONPATH=messages python3 examples/greeting_bot.py localhost 4747 greeter
"""
import itertools, socket, struct, sys

from command_pb2 import CommandContainer
from command.account_pb2 import Command_Login
from command.people_pb2 import Command_JoinRoom
from command.room_pb2 import Command_RoomSay
from event.room_pb2 import Event_JoinRoom
from server_message_pb2 import ServerMessage

host, port, user = sys.argv[1:]
server = socket.create_connection((host, int(port)))
stream = server.makefile("rb")
cmd_ids = itertools.count()


def send(commands, command, **container):
    """Sends a command: as an extension of the message that `commands` repeats."""
    message = CommandContainer(cmd_id=next(cmd_ids), **container)
    getattr(message, commands).add().Extensions[type(command).ext].CopyFrom(command)
    data = message.SerializeToString()
    server.sendall(struct.pack(">I", len(data)) + data)


stream.read(60)  # The greeting, without a length; the answer to it is an empty message.
server.sendall(bytes(4))
send("session_command", Command_Login(user_name=user))
send("session_command", Command_JoinRoom(room_id=0))
# A real server drops a client that is silent for 16 seconds: send a Command_Ping every few seconds.
while length := stream.read(4):
    message = ServerMessage.FromString(stream.read(*struct.unpack(">I", length)))
    event = message.room_event
    if event.HasExtension(Event_JoinRoom.ext):
        name = event.Extensions[Event_JoinRoom.ext].user_info.name
        send("room_command", Command_RoomSay(message=f"Welcome, {name}!"), room_id=event.room_id)
