"""The server that everything is fetched from and sent to."""

import json
import os
import socket
import subprocess


class Failure(Exception):
    """A run whose result is not right: its time means nothing."""


class Nginx:
    """One worker on a free loopback port: files of `root`, and POST /orders whose bodies are logged."""

    def __init__(self, folder, concurrency):
        self.folder = folder
        self.concurrency = concurrency
        self.root = os.path.join(folder, "root")
        os.makedirs(self.root)
        # nginx takes over a socket that is bound already, so that nobody else can have the port.
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        secure = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = listener.getsockname()[1]
        self.secure_port = secure.getsockname()[1]
        self.certificate = os.path.join(folder, "certificate.pem")
        self.key = os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            + ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
            + ["-keyout", self.key, "-out", self.certificate],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        configuration = os.path.join(folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(self.configuration())
        self.process = subprocess.Popen(
            ["nginx", "-e", f"{folder}/error.log", "-p", folder, "-c", configuration],
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "NGINX": f"{listener.fileno()};{secure.fileno()};"},
            pass_fds=[listener.fileno(), secure.fileno()],
            stderr=subprocess.DEVNULL,
        )
        with socket.create_connection(("127.0.0.1", self.port)) as probe:
            listener.close()
            secure.close()
            probe.sendall(b"GET /.alive HTTP/1.0\r\n\r\n")
            if not probe.recv(16):
                raise Failure("nginx did not start; see error.log in " + folder)

    def configuration(self):
        folder = self.folder
        return f"""
daemon off;
{"user root;" if os.geteuid() == 0 else ""}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    access_log off;
    # As light as nginx can be: what is measured is what asks, not what answers.
    open_file_cache max=20000 inactive=10m;
    open_file_cache_valid 10m;
    keepalive_requests 1000000;
    client_body_buffer_size 64k;
    log_format orders escape=json '$request_body';
    upstream intake {{ server unix:{folder}/intake.sock; keepalive {self.concurrency}; }}
    server {{
        listen 127.0.0.1:{self.port} backlog=512;
        root {self.root};
        location = /.alive {{ return 204; }}
        # Worth its system calls for a large file, not for a small one.
        location /large {{ sendfile on; tcp_nopush on; }}
        # The same files, of which a cache is told how long they are fresh.
        location /fresh/ {{ alias {self.root}/; add_header Cache-Control max-age=86400; }}
        location /stale/ {{ alias {self.root}/; add_header Cache-Control max-age=0; }}
        location /orders {{
            access_log {folder}/orders.log orders;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass http://intake;
        }}
    }}
    server {{
        listen 127.0.0.1:{self.secure_port} ssl http2 backlog=512;
        ssl_certificate {self.certificate};
        ssl_certificate_key {self.key};
        root {self.root};
    }}
    server {{
        listen unix:{folder}/intake.sock;
        keepalive_requests 1000000;
        default_type application/json;
        location / {{ return 201 '{{"ok":true}}'; }}
    }}
}}
"""

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def secure_origin(self):
        return f"https://127.0.0.1:{self.secure_port}"

    def take_orders(self):
        """The bodies logged since the last call, and forgets them."""
        with socket.create_connection(("127.0.0.1", self.port)) as probe:
            probe.sendall(b"GET /.alive HTTP/1.0\r\n\r\n")
            probe.recv(16)
        path = os.path.join(self.folder, "orders.log")
        with open(path, "r+") as log:
            lines = log.read().splitlines()
            log.truncate(0)
        return [json.loads(f'"{line}"') for line in lines]

    def stop(self):
        self.process.terminate()
        self.process.wait()
