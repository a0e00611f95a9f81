"""Lines of text omit their last parts if they do not fit."""

from app.wording.shortened import shortened

TEXT = "max 100 % · 1,056 bundles, 282 idle · 3: down"


def test_last_parts_are_dropped_first_and_the_first_part_stays():
    texts = [shortened(TEXT, len, width) for width in range(len(TEXT), 0, -1)]
    assert list(dict.fromkeys(texts)) == [TEXT, "max 100 % · 1,056 bundles, 282 idle", "max 100 %"]
    assert shortened("links: 3, idle: 1", len, 8) == "links: 3"
    assert shortened("links: 3, idle: 1", len, 7) == "links"


def test_separators_can_be_given():
    assert shortened("64.0 GB/s, up since step 3", len, 19, (" since ",)) == "64.0 GB/s, up"
