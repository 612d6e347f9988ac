"""A client that misbehaves over TLS: Flooder.py PORT KIND. Says "cut" when the server ends it."""
import socket
import ssl
import struct
import sys
import time

PORT, KIND = int(sys.argv[1]), sys.argv[2]
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def request(stream, flags=0x5, path=b"/slow", more=b""):
    """GET over https; indexed names, literal values (RFC 7541)."""
    block = b"\x82\x87" + b"\x04" + bytes([len(path)]) + path + b"\x01\x09localhost"
    return frame(1, flags, stream, block + more)


# A field of 3,903 bytes, which the table has from here on, and one byte that names it. Another byte
# names one that everybody has.
LONG_FIELD = b"\x40\x03x-a\x7f\xbd\x1d" + b"v" * 3900
THE_SAME = b"\xbe"
SHORT_FIELD = b"\x90"


def connect(alpn="h2"):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([alpn])
    raw = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    return context.wrap_socket(raw, server_hostname="localhost")


def wait_for_end(client):
    began = time.time()
    try:
        while client.recv(65536):
            pass
    except (ConnectionError, ssl.SSLError) as error:
        if isinstance(error, TimeoutError):
            raise
    print("cut after %.1f s" % (time.time() - began))


def send(pieces):
    client = connect()
    client.sendall(PREFACE + frame(4, 0, 0))
    try:
        for piece in pieces:
            client.sendall(piece)
    except (ConnectionError, ssl.SSLError):
        print("cut while it sent")
        return
    wait_for_end(client)


def ask_for_all():
    """Asks for an answer with all the room in the windows that there can be."""
    client = connect()
    window = frame(8, 0, 0, struct.pack(">I", 2**30))
    client.sendall(PREFACE + frame(4, 0, 0, struct.pack(">HI", 4, 2**30)) + window + request(1))
    return client


def resets():
    for index in range(5000):
        yield request(2 * index + 1) + frame(3, 0, 2 * index + 1, struct.pack(">I", 8))


def streams(count):
    """More than may be open, by a client that has not read how many may be."""
    for index in range(count):
        yield request(2 * index + 1)


def long_heads():
    """Each of 20 KB, once decoded, and never more than may be open."""
    yield request(1, more=LONG_FIELD)
    for batch in range(40):
        numbers = range(50 * batch + 3, 50 * batch + 53, 2)
        yield b"".join(request(number, more=THE_SAME * 5) for number in numbers)
        time.sleep(0.02)


def ends(read, count):
    """Reads until `count` streams have ended: how many were answered, and how many refused."""
    answered = refused = 0
    while answered + refused < count:
        head = read.read(9)
        read.read(int.from_bytes(head[:3], "big"))
        answered += head[3] in (0, 1) and head[4] & 1
        refused += head[3] == 3
    return answered, refused


def read_slowly(count, piece, every, seconds):
    """Asks for answers, and takes `piece` bytes of each in `every` seconds: how many are reset."""
    client = connect()
    window = struct.pack(">HI", 4, 0)
    numbers = [2 * index + 1 for index in range(count)]
    client.sendall(PREFACE + frame(4, 0, 0, window) + b"".join(
        request(number, path=b"/a") for number in numbers))
    client.settimeout(every)
    came, reset, began = b"", 0, time.time()
    while time.time() - began < seconds and reset < count:
        try:
            came += client.recv(1 << 20)
        except TimeoutError:
            client.sendall(b"".join(
                frame(8, 0, number, struct.pack(">I", piece)) for number in [0] + numbers))
        while len(came) >= 9 and len(came) >= 9 + int.from_bytes(came[:3], "big"):
            reset += came[3] == 3
            came = came[9 + int.from_bytes(came[:3], "big"):]
    return reset


if KIND == "ping":
    send(frame(6, 0, 0, b"12345678") * 50 for _ in range(1000))
elif KIND == "settings":
    send(frame(4, 0, 0) * 50 for _ in range(1000))
elif KIND == "priority":
    send(frame(2, 0, 1, b"\0\0\0\0\x10") * 50 for _ in range(1000))
elif KIND == "reset":
    send(resets())
elif KIND == "streams":
    send(streams(5000))
elif KIND == "eager":
    client = connect()
    client.sendall(PREFACE + frame(4, 0, 0) + b"".join(streams(250)))
    read = client.makefile("rb")
    counts = ends(read, 250)
    client.sendall(request(501, path=b"/a"))
    print("%d answered, %d refused, then %d" % (*counts, ends(read, 1)[0]))
elif KIND == "empty":
    send([request(1, flags=0x4)] + [frame(0, 0, 1) * 50 for _ in range(1000)])
elif KIND == "references":
    send([request(1, more=LONG_FIELD), request(3, more=THE_SAME * 16000)])
elif KIND == "fields":
    send([request(1, more=SHORT_FIELD * 16000)])
elif KIND == "trailers":
    send([request(1, flags=0x4, more=LONG_FIELD), frame(1, 0x5, 1, THE_SAME * 16000)])
elif KIND == "continuations":
    send([request(1, flags=0x1)] + [frame(9, 0, 1) * 50 for _ in range(100)])
elif KIND == "long-heads":
    send(long_heads())
elif KIND == "heads":
    client = connect()
    client.sendall(PREFACE + frame(4, 0, 0) + request(1, path=b"/a", more=LONG_FIELD) + b"".join(
        request(2 * index + 3, path=b"/a", more=THE_SAME * 4) for index in range(99)))
    print("%d answered, %d refused" % ends(client.makefile("rb"), 100))
elif KIND == "deaf":
    client = ask_for_all()
    time.sleep(5)
    wait_for_end(client)
elif KIND == "slow":
    client = ask_for_all()
    count, began = 0, time.time()
    while time.time() - began < 2:
        count += len(client.recv(16384))
        time.sleep(0.025)
    print("read %d bytes" % count)
elif KIND == "drip":
    print("%d reset" % read_slowly(3, 1, 0.2, 10))
elif KIND == "sip":
    print("%d reset" % read_slowly(3, 16384, 0.2, 6))
elif KIND == "unread":
    print("left with %d reset" % read_slowly(2, 1, 6, 6))
elif KIND == "mute":
    client = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    wait_for_end(client)
elif KIND == "idle":
    client = connect()
    client.sendall(PREFACE + frame(4, 0, 0))
    wait_for_end(client)
elif KIND == "crowd":
    clients = [socket.create_connection(("127.0.0.1", PORT), timeout=20) for _ in range(15)]
    time.sleep(1)
    open_count = 0
    for client in clients:
        client.setblocking(False)
        try:
            open_count += client.recv(1) != b""
        except BlockingIOError:
            open_count += 1
        except ConnectionError:
            pass
    print("%d open" % open_count)
