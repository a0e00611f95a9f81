"""Parts of pages in Markdown."""

from app.docs.page import by_heading, indented, picture, slug, table, terms


def test_sections_are_one_level_higher():
    text = "# All\n\nIntro\n\n## First\n\nOne\n\n### Part\n\nTwo\n\n## Second\n\nThree\n"
    assert dict(by_heading(text)) == {"First": "One\n\n## Part\n\nTwo", "Second": "Three"}


def test_parts_of_list_items_are_indented_by_four_blanks_outside_code():
    text = "- item\n  - nested\n\n  more\n\n```text\n  kept\n```\n\n    code\n"
    assert indented(text) == "- item\n    - nested\n\n    more\n\n```text\n  kept\n```\n\n    code\n"


def test_tables_and_lists_of_terms():
    assert table(("A", "B"), [("1", "2")]) == "| A | B |\n| --- | --- |\n| 1 | 2 |"
    assert terms([("`a`", "first"), ("`b`", "second")]) == "`a`\n:   first\n\n`b`\n:   second"


def test_a_picture_is_shown_in_the_theme_of_the_reader():
    assert picture("x", "Alt") == "![Alt](x-dark.png#only-dark) ![Alt](x-light.png#only-light)"


def test_the_name_of_a_page_is_its_title_in_lower_case():
    assert slug("Read the numbers, and more") == "read-the-numbers-and-more"
