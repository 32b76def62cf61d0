"""What a run may cost, and what it has: money is held for every request until its reply tells the price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import anyio

from vlbench.catalog.prices import cost
from vlbench.state.rows import Row
from vlbench.state.spending import paid_replies, row_cost
from vlbench.types import Price, Usage, Variant

FIRST_GUESS: Final = Usage(input_tokens=2_000, output_tokens=1_000)
"""What a request is taken to need before its variant's first reply: a large picture, and some thought."""


@dataclass(slots=True)
class Account:
    """What one variant has cost so far, in US dollars."""

    price: Price | None
    replies: int = 0
    dollars: float = 0.0

    @property
    def expected(self) -> float:
        """What its next reply is expected to cost: the mean so far."""
        if self.replies:
            return self.dollars / self.replies
        return cost(self.price, FIRST_GUESS) or 0.0

    def pay(self, dollars: float | None, replies: int = 1) -> None:
        """Count replies; those whose tokens were not told are taken for average ones."""
        self.dollars += replies * self.expected if dollars is None else dollars
        self.replies += replies


class Purse:
    """US dollars a run may spend in all, `most` None for any sum; then nothing is ever held back.

    `rows` are what the run has paid for already, at the prices of `variants`. A request is sent only when its
    expected cost, and that of all requests under way, still fits. Otherwise it waits for what is under way,
    which may come cheaper than was thought; those behind it wait too, so that no dear variant is starved.
    """

    def __init__(
        self, most: float | None = None, variants: Iterable[Variant] = (), rows: Iterable[Row] = ()
    ) -> None:
        self.most = most
        self.shortfall: float | None = None
        self._accounts = {variant.id: Account(variant.price) for variant in variants}
        self._held: Counter[str] = Counter()
        self._turn = anyio.Lock()
        self._landed = anyio.Event()
        self._is_closed = False
        for row in rows:
            if account := self._accounts.get(row.variant):
                account.pay(row_cost(row, account.price), paid_replies(row))

    @property
    def spent(self) -> float:
        """US dollars paid for replies since the run was first begun."""
        return sum(account.dollars for account in self._accounts.values())

    async def hold(self, variant: Variant) -> bool:
        """Put money aside for one request, which `release` must follow. False when it is not to be sent.

        `shortfall` is then what it was expected to cost, unless the run stops for another reason.
        """
        if self.most is None:
            return True
        account = self._accounts.setdefault(variant.id, Account(variant.price))
        async with self._turn:
            while not self._is_closed and not self._affords(account):
                if not self._held.total():
                    self.shortfall = account.expected
                    self.close()
                    break
                self._landed = anyio.Event()
                await self._landed.wait()
            if self._is_closed:
                return False
            self._held[variant.id] += 1
            return True

    def _affords(self, account: Account) -> bool:
        under_way = sum(count * self._accounts[name].expected for name, count in self._held.items())
        return self.most is None or self.spent + under_way + account.expected <= self.most

    def pay(self, variant: Variant, usage: Usage) -> None:
        """Count one reply that came."""
        if self.most is not None:
            account = self._accounts[variant.id]
            account.pay(cost(account.price, usage))

    def release(self, variant: Variant) -> None:
        """Give back what was held for one request."""
        if self.most is not None:
            self._held[variant.id] -= 1
            self._landed.set()

    def close(self) -> None:
        """Let nobody wait, and hold nothing any more."""
        self._is_closed = True
        self._landed.set()
