"""All pages of a list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

P = TypeVar("P", bound=Mapping[str, object])


def pages(read: Callable[[int], P]) -> Iterator[P]:
    """Returns the pages of a list. `read` gets the number of a page, from 1.

    for page in pages(lambda number: client.rest.events(page=number)): ...
    """
    number = 1
    while True:
        page = read(number)
        yield page
        if number >= number_of_pages(page):
            return
        number += 1


async def async_pages(read: Callable[[int], Awaitable[P]]) -> AsyncIterator[P]:
    """As `pages`, for asyncio."""
    number = 1
    while True:
        page = await read(number)
        yield page
        if number >= number_of_pages(page):
            return
        number += 1


def number_of_pages(page: Mapping[str, object]) -> int:
    meta = cast("dict[str, Any]", page["_meta"])
    return int(meta["pages"])
