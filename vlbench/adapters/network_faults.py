"""What was wrong with the network, from aiohttp's errors to faults."""

from __future__ import annotations

from vlbench.errors import Fault, Network, Timeout
from vlbench.printable import printable

CONNECT_TIMEOUT_S = 10.0
_IS_IT_RUNNING = "Is the server running?"
_IS_THERE_A_WAY = "Check the network; where only a proxy leads out of it, name that in HTTPS_PROXY."


def is_unreachable(error: Exception) -> bool:
    """Whether no connection was made, so that nothing was sent."""
    import aiohttp

    return isinstance(
        error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | aiohttp.ClientHttpProxyError
    )


def network_fault(error: Exception, where: str, why: str, *, is_own: bool) -> Fault:
    """The fault behind `error` (a text of it is `why`) at the host `where`, the user's own server or not."""
    import aiohttp

    unreached = _IS_IT_RUNNING if is_own else _IS_THERE_A_WAY
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return Network(
            f"The proxy to {where} failed: {why}. Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY."
        )
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Network(
            f"The certificate of {where} is not trusted: {why}. "
            "Point SSL_CERT_FILE to your organisation's certificates."
        )
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Network(f"No connection to {where} within {CONNECT_TIMEOUT_S:g} s. {unreached}")
    if isinstance(error, aiohttp.ClientConnectorError):
        return Network(f"No connection to {where}: {printable(str(error.os_error))}. {unreached}")
    if isinstance(error, TimeoutError):
        return Timeout(f"{where} did not answer in time.")
    if isinstance(error, aiohttp.ClientPayloadError):
        return Network(f"The reply of {where} broke off before its end.")
    return Network(f"The connection to {where} was cut: {why}.")
