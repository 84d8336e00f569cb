"""`kb` in a browser: kept runs, their reports and the knowledge base, read-only, on this machine alone.

Needs the extra `serve` (Starlette and uvicorn).
"""
