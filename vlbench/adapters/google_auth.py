"""Faults of Google's credentials, which the clients for Vertex AI fetch and renew by themselves."""

from __future__ import annotations

from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import AuthFailed, Fault, Network
from vlbench.printable import printable


def auth_errors(entry: ProviderEntry) -> tuple[type[Exception], ...]:
    """What is raised when credentials cannot be had; imports the library, so call it in a thread."""
    if entry.cloud != "vertex":
        return ()
    from google.auth.exceptions import GoogleAuthError

    return (GoogleAuthError,)


def fault_of_auth(error: Exception, who: str) -> Fault:
    """The fault behind one of `auth_errors`; `who` is the provider's name."""
    said = printable(str(error)) or type(error).__name__
    if getattr(error, "retryable", False):
        return Network(f"{who}: Google's credentials could not be fetched: {said}.")
    return AuthFailed(
        f"{who}: no Google credentials: {said}. Run gcloud auth application-default login, or give an access "
        "token as the key."
    )
