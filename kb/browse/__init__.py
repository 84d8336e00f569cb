"""`kb` on a whole terminal: kept runs with their findings, and the knowledge base with live search, read-only.

Needs the extra `browse` (Textual).
"""
