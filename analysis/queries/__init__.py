"""Portable SQL over a benchmark's tables: reading a query's header, running it, writing its rows."""

from analysis.queries.export import write_result
from analysis.queries.header import Parameter, Query, find_query, list_queries, read_query
from analysis.queries.run import run_query

__all__ = ["Parameter", "Query", "find_query", "list_queries", "read_query", "run_query", "write_result"]
