"""JSON Schema of every document that a command prints, generated from the types that the documents are made of."""

from kb.schema.documents import DOCUMENTS, Printed
from kb.schema.generate import schema_of

__all__ = ["DOCUMENTS", "Printed", "schema_of"]
