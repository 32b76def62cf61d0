"""What a run may cost, and what it has: money is held for every request until its reply tells the price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import anyio

from vlbench.catalog.prices import cost
from vlbench.state.rows import Row
from vlbench.state.spending import told_cost
from vlbench.types import Price, Usage, Variant

FIRST_GUESS: Final = Usage(input_tokens=2_000, output_tokens=1_000)
"""What a request is taken to need before its variant's first reply: a large picture, and some thought."""


@dataclass(slots=True)
class Account:
    """What one variant was paid for: `replies`, of which `told` named their tokens, for `known` dollars."""

    price: Price | None
    replies: int = 0
    told: int = 0
    known: float = 0.0

    @property
    def expected(self) -> float:
        """US dollars its next reply is expected to cost: the mean of those that told."""
        return self.known / self.told if self.told else cost(self.price, FIRST_GUESS) or 0.0

    @property
    def dollars(self) -> float:
        """US dollars for all its replies; those that told no tokens are taken for average ones."""
        return self.known + (self.replies - self.told) * self.expected

    def pay(self, known: float | None, *, told: int, replies: int) -> None:
        """Count `replies`, of which `told` cost `known` US dollars."""
        self.known += known or 0.0
        self.told += told
        self.replies += replies


class Purse:
    """US dollars a run may spend in all, `most` None for any sum; then nothing is ever held back.

    `rows` are what the run has paid for already, at the prices of `variants`. A request is sent only when its
    expected cost, and that of all requests under way, still fits. Otherwise it waits for what is under way,
    which may come cheaper than was thought. Until a variant's first reply with tokens, one request of it at a
    time is under way: the guess may be wrong by any factor.
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
                tokens = row.tokens
                account.pay(told_cost(row, account.price), told=tokens.told, replies=tokens.replies)

    @property
    def spent(self) -> float:
        """US dollars paid for replies since the run was first begun."""
        return sum(account.dollars for account in self._accounts.values())

    async def wait(self, variant: Variant) -> bool:
        """Wait until one more request of `variant` could be paid for. False when none will be sent any more.

        `shortfall` is then what it was expected to cost, unless the run stops for another reason.
        """
        if self.most is None:
            return True
        account = self._account(variant)
        while not self._is_closed and self._is_probed(variant, account):
            await self._landed.wait()
        async with self._turn:  # those behind it wait too, so that no dear variant is starved
            while not self._is_closed and not self._affords(account):
                if not self._held.total():
                    self.shortfall = account.expected
                    self.close()
                else:
                    await self._landed.wait()
        return not self._is_closed

    def hold(self, variant: Variant) -> bool:
        """Put money aside for a request to be sent at once, until `release`. False when it does not fit."""
        if self.most is None:
            return True
        account = self._account(variant)
        if self._is_closed or self._is_probed(variant, account) or not self._affords(account):
            return False
        self._held[variant.id] += 1
        return True

    def _account(self, variant: Variant) -> Account:
        return self._accounts.setdefault(variant.id, Account(variant.price))

    def _is_probed(self, variant: Variant, account: Account) -> bool:
        return not account.told and self._held[variant.id] > 0

    def _affords(self, account: Account) -> bool:
        under_way = sum(count * self._accounts[name].expected for name, count in self._held.items())
        return self.most is None or self.spent + under_way + account.expected <= self.most

    def pay(self, variant: Variant, usage: Usage) -> None:
        """Count one reply that came."""
        if self.most is not None:
            account = self._accounts[variant.id]
            known = cost(account.price, usage)
            account.pay(known, told=int(known is not None), replies=1)

    def release(self, variant: Variant) -> None:
        """Give back what was held for one request."""
        if self.most is not None:
            self._held[variant.id] -= 1
            self._wake()

    def close(self) -> None:
        """Let nobody wait, and hold nothing any more."""
        self._is_closed = True
        self._wake()

    def _wake(self) -> None:
        landed, self._landed = self._landed, anyio.Event()
        landed.set()
