"""`kb` for agents: tools of the Model Context Protocol that answer what the commands answer.

Needs the extra `mcp`. Reads only below the folders that the server was started with.
"""
