"""The local web app: loopback only, a token in the path, read-only, nothing from elsewhere.

Whoever does not know the token gets 404 whatever is asked; a foreign Host (DNS rebinding) is refused before that, and no
header lets another origin read an answer.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb import kept, library, service
from kb.errors import KbError, UsageError, parameter
from kb.loopback import HOST, listening, run
from kb.report.catalogue import say
from kb.serve import pages
from kb.vocabulary.entries import LANGUAGES

AT_ONCE = 64  # requests in hand; more are answered 503 at once
AGAIN_SECONDS = 2  # after which whoever got that may ask again: 64 searches take less
LONGEST_QUERY = 1000  # characters
SHOWN_RUNS = 200
_UNFORESEEN = "Run it again with --debug and report what it prints."

_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
    b"x-frame-options": b"DENY",
}


def build(token: str, db: str | None = None) -> Starlette:
    """The app; `token` is the first part of every path."""
    root = f"/{token}"

    def runs(request: Request) -> Response:
        return HTMLResponse(
            pages.runs_page(root, service.runs(limit=SHOWN_RUNS, db=db)["runs"], _lang(request))
        )

    def one_run(request: Request) -> Response:
        name = request.path_params["run"]
        return HTMLResponse(pages.report(root, kept.load(name, db=db), _lang(request)))

    def compare(request: Request) -> Response:
        names = [request.query_params.get(side, "").strip() for side in ("before", "after")]
        if not any(names):
            return HTMLResponse(
                pages.comparison_form(root, service.runs(limit=SHOWN_RUNS, db=db)["runs"], _lang(request))
            )
        before, after = (kept.load(name, db=db) for name in names)
        asked = dict(zip(("before", "after"), names, strict=True))
        return HTMLResponse(pages.comparison(root, library.compare(before, after), asked, _lang(request)))

    def search(request: Request) -> Response:
        asked = {key: request.query_params.get(key, "") for key in ("q", "kind", "op", "soc")}
        found = _searched(request, explain=True) if asked["q"].strip() else None
        return HTMLResponse(pages.search_page(root, asked, found, _lang(request)))

    def entry(request: Request) -> Response:
        return HTMLResponse(pages.entry(root, service.entry(request.path_params["id"]), _lang(request)))

    def answers(request: Request) -> Response:
        return JSONResponse(_searched(request))

    def failed(request: Request, fault: Exception) -> Response:
        known = fault if isinstance(fault, KbError) else KbError("this is a fault in kb", now=_UNFORESEEN)
        status = 404 if isinstance(fault, UsageError) else 500
        if request.url.path.startswith(f"{root}/api/"):  # read by programs
            told = {"what": known.what, "where": parameter(known.where), "now": known.now}
            return JSONResponse(told, status)
        return HTMLResponse(pages.fault(root, known.what, known.now, _lang(request)), status)

    routes = [
        Route(f"{root}/", runs),
        Route(f"{root}/runs/{{run}}", one_run),
        Route(f"{root}/compare", compare),
        Route(f"{root}/search", search),
        Route(f"{root}/entries/{{id}}", entry),
        Route(f"{root}/api/search", answers),
    ]
    guards = [
        Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"]),
        Middleware(_Guard, token=token),
        Middleware(_Queue),
    ]
    return Starlette(routes=routes, middleware=guards, exception_handlers={KbError: failed})


def serve(app: Starlette, port: int, ready: Callable[[int], None]) -> None:
    """Serve until Ctrl-C or SIGTERM, which let requests in hand finish; `ready` is told the port (0 takes a free one).

    Raises:
        UsageError: the port is taken.
    """
    listener = listening(port, "--port")
    ready(listener.getsockname()[1])
    run(app, listener)


def _searched(request: Request, *, explain: bool = False) -> service.Document:
    query = request.query_params.get("q", "").strip()
    if not query or len(query) > LONGEST_QUERY:
        raise UsageError(f"a question has 1 to {LONGEST_QUERY} characters", now="Ask in a few words.")
    kind, op, soc = (request.query_params.get(key) or None for key in ("kind", "op", "soc"))
    return service.search(query, kind=kind, op=op, soc=soc, lang=_lang(request), explain=explain)


def _lang(request: Request) -> str:
    lang = request.query_params.get("lang", "")
    return lang if lang in LANGUAGES else "en"


class _Guard:
    """Nothing but GET with the right token; the safe headers on every answer."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS.items()]
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = scope["path"].split("/")[1].encode("utf-8", "replace")
        if not hmac.compare_digest(given, self.token):
            await Response("not found", 404)(scope, receive, guarded)
        elif scope["method"] not in ("GET", "HEAD"):
            await Response("read-only", 405)(scope, receive, guarded)
        else:
            await self.app(scope, receive, guarded)


class _Queue:
    """So many requests in hand; one more is told at once to come again, instead of making all of them late."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.in_hand = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.in_hand >= AT_ONCE:
            text = say("serve.busy", _lang(Request(scope)), seconds=AGAIN_SECONDS)
            headers = {"Retry-After": str(AGAIN_SECONDS)}
            await Response(text, 503, headers, "text/plain; charset=utf-8")(scope, receive, send)
            return
        self.in_hand += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.in_hand -= 1
