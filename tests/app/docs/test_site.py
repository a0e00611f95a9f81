"""The site: all links, anchors and pictures of its sources and of the built pages exist, and it requests nothing."""

import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from app.docs.page import FENCED, HEADING, slug
from tests import patience
from tests.browser import BROWSER, Browser

ROOT = Path(__file__).parents[3]
MKDOCS = ROOT / ".venv-docs" / "bin" / "python"
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)|<iframe [^>]*src=\"([^\"]+)\"")
CODE = re.compile(r"`[^`\n]*`")


def prose(path):
    """Return a page without code."""
    return CODE.sub("", "".join(part for part in FENCED.split(path.read_text()) if not part.startswith("```")))


def anchors(path):
    """Return the anchors of a page: given ones, and anchors of headings."""
    text = "".join(part for part in FENCED.split(path.read_text()) if not part.startswith("```"))
    return {given or slug(title.replace("`", "")) for _, title, given in HEADING.findall(text)}


def faults_of(path, entries):
    """Yield the links of a page that lead nowhere."""
    for match in LINK.finditer(prose(path)):
        target, _, anchor = (match[1] or match[2]).partition("#")
        if "://" in target:
            continue
        file = (path.parent / target).resolve() if target else path
        if not file.is_file():
            yield f"{path.name}: {target} does not exist"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file) | entries:
            yield f"{path.name}: {target} has no #{anchor}"


def test_links_anchors_and_pictures_of_the_sources_exist(sources):
    pages = sorted((sources / "docs").rglob("*.md"))
    entries = set(re.findall(r"^::: (\S+)$", "\n".join(page.read_text() for page in pages), re.M))
    assert len(pages) > 60
    assert [fault for page in pages for fault in faults_of(page, entries)] == []
    assert sum(len(LINK.findall(prose(page))) for page in pages) > 200


def test_every_page_is_in_the_navigation(sources):
    navigation = yaml.safe_load((sources / "mkdocs.yml").read_text())["nav"]
    values = [value for section in navigation for value in section.values()]
    sections = [pages for pages in values if isinstance(pages, list)]
    single = [path for path in values if isinstance(path, str)]
    listed = [*single, *(path for pages in sections for page in pages for path in page.values())]
    assert single == ["index.md", "install.md"]
    written = {path.relative_to(sources / "docs").as_posix() for path in (sources / "docs").rglob("*.md")}
    assert len(listed) == len(set(listed))
    assert set(listed) == written


def test_no_path_of_this_machine_is_on_a_page(sources):
    texts = {path.name: path.read_text() for path in (sources / "docs").rglob("*.md")}
    assert [name for name, text in texts.items() if str(ROOT) in text] == []


class Links(HTMLParser):
    """The anchors of a page, its links, and the addresses that it loads by itself."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect") and given.get("href"):
            self.loaded.append(given["href"])
        elif tag in ("script", "img", "iframe") and given.get("src"):
            self.loaded.append(given["src"])


@pytest.fixture(scope="module")
def built(sources, tmp_path_factory):
    """The built site."""
    if not MKDOCS.exists():
        pytest.skip("the environment of the documentation is not installed; make docs-setup installs it")
    out = tmp_path_factory.mktemp("site")
    command = [MKDOCS, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", sources / "mkdocs.yml"]
    done = subprocess.run(
        [*map(str, command), "--site-dir", str(out)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, timeout=patience.SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


def test_links_and_anchors_of_the_built_site_exist_and_nothing_is_loaded_from_elsewhere(built):
    pages = {path: Links(path.read_text()) for path in built.rglob("*.html") if path.name != "404.html"}
    assert len(pages) > 60
    faults = []
    for path, page in pages.items():
        for address in [*page.links, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                faults += [f"{path.name} loads {address}"] * (address in page.loaded)
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                faults.append(f"{path.name}: {address}")
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
                faults.append(f"{path.name}: {address} (anchor)")
    assert faults == []


def test_the_python_interface_has_signatures_types_and_units(built):
    results = (built / "python" / "results.html").read_text()
    assert 'id="fabriscope.Evaluation"' in results
    assert "Throughput per node; none if all links are idle, in GB/s per node." in results
    assert "Annotated" not in re.sub(r"<[^>]*>", "", results)
    functions = (built / "python" / "functions.html").read_text()
    assert 'id="fabriscope.compare"' in functions


def test_no_page_replaces_a_file_of_the_sources(sources, built):
    files = [path for path in (sources / "docs").rglob("*") if path.is_file() and path.suffix != ".md"]
    assert len(files) > 80
    copies = {path: built / path.relative_to(sources / "docs") for path in files}
    assert [path.name for path, copy in copies.items() if path.read_bytes() != copy.read_bytes()] == []


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
def test_the_search_works_from_files_without_requests(built, tmp_path):
    browser = Browser(tmp_path / "profile")
    try:
        browser.open(built / "index.html")
        browser.evaluate("document.querySelector('.md-search__input').focus()")
        browser.press(*"dragonfly")
        browser.wait_for("document.querySelector('.md-search-result__meta').innerText.includes('matching documents')")
        assert [address for address in browser.requests if not address.startswith(("file:", "data:"))] == []
    finally:
        browser.close()
