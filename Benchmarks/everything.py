"""A job that uses most of the language."""

EVERYTHING = """version: 1
variables: {{ host: https://downloads.example.com, channel: stable }}
secrets: {{ token: {{ env: BENCH_TOKEN, origins: [https://downloads.example.com] }} }}
defaults: {{ retry: {{ attempts: 4, budget: 5m }} }}
sessions:
  shop: {{ timeoutIntervalForRequest: 30s, httpAdditionalHeaders: {{ X-Channel: "${{var.channel}}" }} }}
data:
{data}uploads:
{uploads}downloads:
{downloads}"""

# Five tasks that belong together: a login, an order and a form that use it, and two downloads that wait for them.
EVERYTHING_DATA = """  login-{0:05}:
    url: ${{var.host}}/login/{0:05}
    headers: {{ Authorization: "Bearer ${{secret.token}}" }}
    capture: {{ session: {{ json: /session }} }}
    expect: {{ statusCode: 200, mimeType: application/json, json: {{ /ok: true }} }}
"""
EVERYTHING_UPLOADS = """  order-{0:05}:
    url: ${{var.host}}/orders/{0:05}
    needs: [login-{0:05}]
    idempotencyKey: order-{0:05}
    headers: {{ X-Session: "${{task.login-{0:05}.session}}" }}
    json: {{ customerId: {0}, createdAt: 2026-01-01T00:00:00Z, items: [pizza, soda] }}
    encoding: {{ keyEncodingStrategy: convertToSnakeCase, outputFormatting: [sortedKeys] }}
  form-{0:05}:
    url: ${{var.host}}/forms/{0:05}
    form: {{ customer: {0}, kind: nightly }}
    retry: {{ attempts: 2, repeat: never }}
"""
EVERYTHING_DOWNLOADS = """  artifact-{0:05}:
    url: ${{var.host}}/a/{0:05}.gz
    needs: [order-{0:05}]
    to: out/{0:05}.gz
    checksum: sha256:{0:064x}
  notes-{0:05}:
    url: ${{var.host}}/n/{0:05}
    to: out/{0:05}.txt
    mode: "0640"
"""


def everything(count):
    """The text of a job of `count` tasks that uses most of the language."""
    parts = EVERYTHING_DATA, EVERYTHING_UPLOADS, EVERYTHING_DOWNLOADS
    data, uploads, downloads = ("".join(part.format(n) for n in range(count // 5)) for part in parts)
    return EVERYTHING.format(data=data, uploads=uploads, downloads=downloads)
