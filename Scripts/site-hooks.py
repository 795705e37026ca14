"""What the site of the manual adds to its pages. MkDocs calls these functions (mkdocs.yml)."""

import html
import re

HEADING = r'<h[1-6][^>]*>(?P<heading>.*?)<a class="headerlink"'
ROW = r'<tr>\s*<td><a id="(?P<anchor>[^"]+)"></a>(?P<row>.*?)</tr>'
HEADING_OR_ROW = re.compile(f"{HEADING}|{ROW}", re.DOTALL)
TERMINAL = re.compile(r'<div class="highlight">(?=<pre><span></span><code><span class="gp">)(?P<block>.*?)</div>', re.DOTALL)


def plain(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", text))).strip()


def on_page_content(content, **_):
    """Lets the button of a terminal copy its commands, without prompt and output."""

    def commands(match):
        lines = re.sub(r'<span class="go">.*?</span>', "", match["block"])
        text = html.unescape(re.sub(r"<[^>]+>", "", lines))
        kept = "\n".join(line.removeprefix("$ ") for line in text.splitlines() if line.strip())
        return f'<div class="highlight" data-copy="{html.escape(kept)}">{match["block"]}</div>'

    return TERMINAL.sub(commands, content)


def on_page_context(context, page, config, **_):
    """Adds each row that has an anchor to the search, which otherwise has headings alone. Of equal names, a key comes first, a member of a report last."""
    boost = {"reference/job-file.md": 4, "reference/report.md": 1}.get(page.file.src_uri, 3)
    index, heading = config.plugins["material/search"].search_index, ""
    for part in HEADING_OR_ROW.finditer(page.content):
        if not part["anchor"]:
            heading = html.escape(plain(part["heading"]))
            continue
        name, *cells = [html.escape(plain(cell)) for cell in part["row"].split("</td>") if plain(cell)]
        place, text = f"{page.url}#{part['anchor']}", " · ".join([heading, *cells])
        index.entries.append({"location": place, "title": name, "text": text, "boost": boost})
    return context
