"""The address of a server's database, which never shows its password."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from kb.errors import UsageError

SCHEMES = ("postgresql", "postgres")
HIDDEN = "***"
_SECRET = frozenset({"password", "sslpassword", "oauth_client_secret"})
_PATIENCE = "10"  # seconds for a connection, where the address names none


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database lies; `str` gives it as it may be shown, `text` is for the driver alone."""

    text: str = field(repr=False)

    def __str__(self) -> str:
        return masked(self.text)

    def scrubbed(self, said: str) -> str:
        """What a driver or a server said, without the passwords of this address."""
        for secret in _secrets(self.text):
            for form in (secret, quote(secret), quote(secret, safe="")):
                said = said.replace(form, HIDDEN)
        return said.replace(self.text, str(self))

    def for_driver(self) -> str:
        """The address with what `kb` adds: how long to wait, and who asks."""
        given = {name for name, _ in _parameters(self.text)}
        added = {"connect_timeout": _PATIENCE, "application_name": "kb"}
        more = urlencode({name: value for name, value in added.items() if name not in given})
        return f"{self.text}{'&' if urlsplit(self.text).query else '?'}{more}" if more else self.text


def is_server(text: str) -> bool:
    """Whether this names a database server rather than a file."""
    return "://" in text


def address(text: str, *, where: str = "--db") -> Address:
    """The address of a PostgreSQL database.

    Raises:
        UsageError: another server, or no address.
    """
    scheme = text.split("://", 1)[0].casefold()
    try:
        parts = urlsplit(text)
        _ = parts.port
        wrong = "" if scheme in SCHEMES else f"{scheme}:// cannot be used"
    except ValueError:  # what it says would show part of a password that holds a slash
        wrong = "this is no address of a database"
    if wrong or any(not character.isprintable() for character in text):
        raise UsageError(
            wrong or "this is no address of a database",
            where=where,
            now="Give postgresql://USER@HOST/DATABASE, or the path of a SQLite file.",
        )
    return Address(text)


def masked(text: str) -> str:
    """An address without its passwords; any other text as it is."""
    if not is_server(text):
        return text
    head, _, tail = text.partition("://")
    before, mark, query = tail.partition("?")
    if "@" in before or "@" not in query:
        before = _without_password(before)
    else:  # a question mark in a password, which should have been written %3F
        return f"{head}://{_without_password(tail)}"
    shown = [_hidden(pair) for pair in query.split("&")]
    return f"{head}://{before}{mark}{'&'.join(shown)}"


def _without_password(text: str) -> str:
    """USER:PASSWORD@REST with the password hidden, whatever characters are in it."""
    who, at, rest = text.rpartition("@")
    user, colon, _ = who.partition(":")
    return f"{user}{':' + HIDDEN if colon else ''}{at}{rest}"


def _hidden(pair: str) -> str:
    name = pair.partition("=")[0]
    return f"{name}={HIDDEN}" if name.casefold() in _SECRET else pair


def _parameters(text: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(text).query, keep_blank_values=True)


def _secrets(text: str) -> list[str]:
    """Passwords in it, as they are and as they are written."""
    found = [value for name, value in _parameters(text) if name.casefold() in _SECRET]
    given = urlsplit(text).password
    if given:
        found += [given, unquote(given)]
    return sorted({secret for secret in found if secret}, key=len, reverse=True)
