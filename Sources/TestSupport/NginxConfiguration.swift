import Glibc

/// The configuration file of a test's nginx.
struct NginxConfiguration {
    var root: String
    /// A folder for the log, the process id, request bodies and similar files.
    var state: String
    var port: UInt16
    var secure: (port: UInt16, identity: TestCertificates.Identity)?
    var hasHTTP2: Bool
    var locations: String

    /// The settings that keep nginx from writing to system folders.
    static func temporaryFolders(in state: String) -> String {
        """
        client_body_temp_path \(state)/bodies; proxy_temp_path \(state)/proxy;
        fastcgi_temp_path \(state)/fastcgi; scgi_temp_path \(state)/scgi; uwsgi_temp_path \(state)/uwsgi;
        """
    }

    var text: String {
        """
        daemon off;
        \(geteuid() == 0 ? "user root;" : "")
        worker_processes 1;
        pid \(state)/nginx.pid;
        error_log \(state)/error.log;
        events { worker_connections 1024; }
        http {
            \(Self.temporaryFolders(in: state))
            client_max_body_size 0;
            types { application/json json; text/html html; text/plain txt; }
            default_type application/octet-stream;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 1000000;
            log_format fields escape=none '$request_method\\t$request_uri\\t$status\\t'
                '$http_idempotency_key\\t$connection\\t$request_body_file\\t'
                '$request_length\\t$bytes_sent';
            access_log \(state)/access.log fields;

            server {
                listen 127.0.0.1:\(port) backlog=512;
        \(secureLines)
                root \(root);
                location / { }
                location /slow/ {
                    alias \(root)/;
                    limit_rate 64k;
                    limit_rate_after 16k;
                }
                location /orders {
                    # Only a proxied request has its body read before it is answered.
                    client_body_in_file_only on;
                    proxy_pass http://unix:\(state)/intake.sock;
                }
                location = /.alive {
                    access_log off;
                    return 204;
                }
        \(locations)
            }

            server {
                listen unix:\(state)/intake.sock;
                access_log off;
                default_type application/json;
                location / { return 201 '{"ok":true}'; }
            }
        }

        """
    }

    private var secureLines: String {
        guard let (port, identity) = secure else { return "" }
        return """
                    listen 127.0.0.1:\(port) ssl\(hasHTTP2 ? " http2" : "") backlog=512;
                    ssl_certificate \(identity.certificateFile);
                    ssl_certificate_key \(identity.keyFile);
            """
    }
}
