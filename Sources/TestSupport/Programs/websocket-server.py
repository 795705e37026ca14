"""A WebSocket server: websocket-server.py PORT [CERTIFICATE KEY]"""
import asyncio
import json
import ssl
import sys

from websockets.asyncio.server import serve


async def handle(socket):
    if socket.request.path.startswith("/echo"):
        async for message in socket:
            await socket.send(message)
    else:
        for number, kind in enumerate(["tick", "tick", "done"]):
            await socket.send(json.dumps({"n": number, "type": kind}))


def choose(_, offered):
    return "v1" if "v1" in offered else None


async def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    port = int(sys.argv[1])
    async with serve(handle, "127.0.0.1", port, ssl=context, max_size=None, select_subprotocol=choose):
        print("listening", flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
