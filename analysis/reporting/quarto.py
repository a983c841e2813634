"""What Quarto adds to a page that the site's own template does not ask for."""

from __future__ import annotations

import re

_LIBRARY = r"[^\"']*_files/libs/[^\"']*"


def without_quarto_files(html: str) -> str:
    """Return the page without links to the libraries that Quarto puts beside it.

    The site's style sheet and script do all that is needed; the libraries are not copied, and links to
    files that do not exist would be requests that fail.

    Examples
    --------
    >>> without_quarto_files('<link href="a_files/libs/x/y.css" rel="stylesheet"><p>')
    '<p>'
    """
    html = re.sub(rf"<link\b[^>]*href=[\"']{_LIBRARY}[\"'][^>]*>\s*", "", html)
    return re.sub(rf"<script\b[^>]*src=[\"']{_LIBRARY}[\"'][^>]*>\s*</script>\s*", "", html)
