"""Lines of text that omit their last parts."""

from app.wording.shortened import shortened

TEXT = "max 100 % · 1,056 bundles, 282 idle · 3: down"


def test_last_parts_go_first_and_the_first_stays():
    told = [shortened(TEXT, len, width) for width in range(len(TEXT), 0, -1)]
    assert list(dict.fromkeys(told)) == [TEXT, "max 100 % · 1,056 bundles, 282 idle", "max 100 %"]
    assert shortened("links: 3, idle: 1", len, 8) == "links: 3"
    assert shortened("links: 3, idle: 1", len, 7) == "links"


def test_what_separates_parts_can_be_said():
    assert shortened("64.0 GB/s, up since step 3", len, 19, (" since ",)) == "64.0 GB/s, up"
