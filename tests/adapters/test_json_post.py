from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pytest

from tests.adapters.conftest import Asker
from vlbench.adapters import json_post
from vlbench.adapters.limit_headers import Allowances
from vlbench.types import Allowance, Completion

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", [OverflowError, IndexError, TypeError, ValueError])
async def test_headers_that_cannot_be_read_do_not_lose_the_reply(
    ask: Asker, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    def breaks(headers: Mapping[str, str], now: datetime) -> Allowances:
        raise kind("no one thought of this header")

    monkeypatch.setattr(json_post, "read_allowances", breaks)
    result = (await ask({"wire": "chat"})).result
    assert isinstance(result, Completion)
    assert (result.reply.text, result.tokens) == ("B", Allowance())
