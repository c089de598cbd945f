"""Every option is documented, from the schema and nowhere else."""

import importlib.util
from pathlib import Path

from neardup.config import OPTIONS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_schema_says():
    spec = importlib.util.spec_from_file_location("make_options", DOCS / "make_options.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (DOCS / "options.md").read_text(encoding="utf-8")
    assert page == module.page(), "run `make fmt`"
    for option in OPTIONS:
        assert f"`{option.flag}`" in page
