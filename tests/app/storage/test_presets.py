"""Presets by the names that menus give them."""

from app.storage.presets import preset_names, preset_title


def test_menus_call_presets_by_titles_that_read_well():
    titles = [preset_title(name) for name in preset_names()]
    assert {"Power 775 all-to-all", "CLEX 4 × 4 × 4", "Torus 16 × 16 transpose", "Dragonfly 1,056 nodes"} <= set(titles)
    assert len(set(titles)) == len(titles)
    assert preset_title("nas-ft-skeleton") == "NAS FT skeleton"
