"""Rows as text in columns, and as an HTML table for notebooks."""

import html

_MOST = 60  # rows of a repr; of more, the first and the last are shown


def _elided(rows, most):
    if most is None or len(rows) <= most:
        return rows
    last = most // 4
    first = most - last
    return rows[:first] + [f"… {len(rows) - most} more …"] + rows[-last:]


def columns(rows, most=_MOST):
    """Lines of padded columns. A row is a list of texts, or one text across all columns."""
    rows = _elided(rows, most)
    widths = {}
    for row in rows:
        for i, cell in enumerate([] if isinstance(row, str) else row):
            widths[i] = max(widths.get(i, 0), len(cell))
    lines = []
    for row in rows:
        cells = [row] if isinstance(row, str) else [f"{c:{widths[i]}}" for i, c in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def in_html(title, head, rows, most=_MOST, after=""):
    """One table with a caption; everything is escaped."""
    def cells(row, tag):
        if isinstance(row, str):
            return f'<{tag} colspan="{len(head)}" style="text-align:left">{html.escape(row)}</{tag}>'
        return "".join(f'<{tag} style="text-align:left"><code>{html.escape(c)}</code></{tag}>'
                       if tag == "td" else
                       f'<{tag} style="text-align:left">{html.escape(c)}</{tag}>' for c in row)
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in _elided(rows, most))
    note = f"<pre>{html.escape(after)}</pre>" if after else ""
    return (f"<table><caption>{html.escape(title)}</caption>"
            f"<thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>{note}")


def plural(n, word):
    """ "1 device", "8 devices" """
    return f"{n:,} {word}{'' if n == 1 else 's'}".replace(",", " ")


def amount(n):
    """A number of bytes or flops for people: 24, 12.3k, 4.56M."""
    for unit, size in (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size * 10 or (n >= size and unit != "k"):
            return f"{n / size:.3g}{unit}"
    return f"{n:.0f}"


def duration(seconds):
    """Seconds for people: 12.3 us, 4.56 ms."""
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= 0.9995 * size or (seconds == 0 and unit == "s"):
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1e6:.4g} us"
