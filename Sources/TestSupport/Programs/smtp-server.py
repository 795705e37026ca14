"""aiosmtpd with STARTTLS on 127.0.0.1: smtp-server.py PORT CERTIFICATE KEY FOLDER; writes messages into FOLDER."""

import asyncio
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP

port, certificate, key, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])


class Handler:
    count = 0

    async def handle_DATA(self, server, session, envelope):
        self.count += 1
        text = f"from {envelope.mail_from} to {', '.join(envelope.rcpt_tos)} tls {session.ssl is not None}\n"
        (folder / f"message-{self.count}").write_text(text + envelope.content.decode())
        return "250 stored"


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    handler = Handler()
    loop = asyncio.get_running_loop()
    make = lambda: SMTP(handler, tls_context=context, require_starttls=True, hostname="mail.example", ident="test")
    server = await loop.create_server(make, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


asyncio.run(main())
