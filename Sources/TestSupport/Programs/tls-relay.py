"""Speaks TLS with clients, and passes their bytes on to a port of this machine.

tls-relay.py PORT CERTIFICATE KEY TARGET [notify|silent]

With `silent` the end of the target's bytes ends the connection, without close_notify.
"""

import asyncio
import socket
import ssl
import sys

port, certificate, key, target = sys.argv[1:5]
is_silent = sys.argv[5:] == ["silent"]
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)
# As most servers do; libcurl 8 gives up a connection whose server chooses nothing.
context.set_alpn_protocols(["http/1.1"])


async def copy(reader, writer, is_silent=False):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        if is_silent:
            writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
        else:
            writer.close()


async def relay(reader, writer):
    other_reader, other_writer = await asyncio.open_connection("127.0.0.1", int(target))
    await asyncio.gather(copy(reader, other_writer), copy(other_reader, writer, is_silent))


async def main():
    server = await asyncio.start_server(relay, "127.0.0.1", int(port), ssl=context)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
