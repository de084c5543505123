"""A page to try GraphQL on, in development: written out here, since GraphiQL would come from a CDN and nothing of ours
does. The sign-in of the admin UI is enough; elsewhere paste a token."""

from __future__ import annotations

import secrets

from starlette.responses import HTMLResponse

POLICY = (
    "default-src 'none'; connect-src 'self'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; base-uri 'none'"
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Matrix GraphQL</title>
<style nonce="{nonce}">
body {{ margin: 0; font: 14px system-ui, sans-serif; color-scheme: light dark; }}
form {{ display: grid; grid-template-columns: 1fr 1fr; gap: 8px; padding: 12px; height: calc(100vh - 24px);
  grid-template-rows: auto 1fr auto 20vh auto; box-sizing: border-box; }}
textarea, pre {{ font: 13px ui-monospace, monospace; margin: 0; padding: 8px; overflow: auto;
  border: 1px solid #8888; }}
pre {{ grid-column: 2; grid-row: 2 / 5; white-space: pre-wrap; }}
input {{ font: inherit; }}
</style>
</head>
<body>
<form>
<label>Query</label>
<label>Answer</label>
<textarea id="query" spellcheck="false" aria-label="Query">{{ me {{ user {{ email }} orgSlug role }} }}</textarea>
<label for="variables">Variables (JSON)</label>
<textarea id="variables" spellcheck="false"></textarea>
<pre id="answer" aria-live="polite"></pre>
<p>
<label>Token <input id="token" type="password" autocomplete="off"></label>
<label>Organization <input id="org"></label>
<button>Run</button>
<button type="button" id="types">Schema</button>
</p>
</form>
<script nonce="{nonce}">
const at = id => document.getElementById(id)
async function send(query, variables) {{
  const headers = {{"content-type": "application/json"}}
  const csrf = document.cookie.match(/matrix_csrf=([^;]+)/)
  if (at("token").value) headers.authorization = "Bearer " + at("token").value
  else if (csrf) headers["x-csrf-token"] = csrf[1]
  if (at("org").value) headers["x-matrix-org"] = at("org").value
  const answer = await fetch(location.pathname, {{method: "POST", headers, body: JSON.stringify({{query, variables}})}})
  return answer.json()
}}
function show(value) {{ at("answer").textContent = JSON.stringify(value, null, 2) }}
document.forms[0].addEventListener("submit", async event => {{
  event.preventDefault()
  try {{
    show(await send(at("query").value, at("variables").value ? JSON.parse(at("variables").value) : {{}}))
  }} catch (error) {{ show({{error: String(error)}}) }}
}})
at("types").addEventListener("click", async () => {{
  const kind = "kind name ofType {{ kind name ofType {{ kind name ofType {{ kind name }} }} }}"
  show(await send(`{{ __schema {{ types {{ name fields {{ name type {{ ${{kind}} }} }} }} }} }}`))
}})
</script>
</body>
</html>
"""


def explorer_page() -> HTMLResponse:
    nonce = secrets.token_urlsafe(16)
    return HTMLResponse(PAGE.format(nonce=nonce), headers={"Content-Security-Policy": POLICY.format(nonce=nonce)})
