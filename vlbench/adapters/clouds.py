"""Which client of a vendor's SDK an entry needs: the vendor's own API, or its models at a cloud.

Imports an SDK where a client is made. Entries of clouds are proven as far as the loopback reaches, not
against the clouds themselves.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from vlbench.catalog.entry import CloudSetting, ProviderEntry
from vlbench.catalog.urls import is_local
from vlbench.errors import UsageError

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex
    from google.genai import Client as GeminiClient
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    AnthropicClient = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex

AUTH_HEADERS = frozenset(
    {
        "authorization",
        "api-key",
        "x-goog-api-key",
        "x-goog-user-project",
        "x-amz-date",
        "x-amz-security-token",
        "x-amz-content-sha256",
    }
)
"""Headers (lower case) in which the clients carry a key, a token or a signature."""

NO_KEY = "none"
"""Stands for the key of a server that needs none: the clients insist on one."""

_AWS_BEARER = "AWS_BEARER_TOKEN_BEDROCK"
# Entries may come from strangers, and these clients sign with the machine's own credentials.
_HOMES = {"vertex": (".googleapis.com",), "bedrock": (".amazonaws.com", ".amazonaws.com.cn")}


class _Ours(TypedDict):
    base_url: str
    http_client: httpx2.AsyncClient
    max_retries: int
    timeout: None


def _ours(base_url: str, http_client: httpx2.AsyncClient) -> _Ours:
    """What OpenAI's and Anthropic's clients must leave to us: the way, and when to give up or try again."""
    return {"base_url": base_url, "http_client": http_client, "max_retries": 0, "timeout": None}


@dataclass(frozen=True, slots=True)
class _Aws:
    access_key: str | None = None
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    profile: str | None = None


def anthropic_client(
    entry: ProviderEntry,
    base_url: str,
    key: str | None,
    http_client: httpx2.AsyncClient,
    environ: Mapping[str, str] = os.environ,
) -> AnthropicClient:
    """Anthropic's client for the entry: retries off, no time-out of its own, nothing left to the environment.

    At Vertex AI `key` is an access token, at Bedrock a bearer token; without one the machine's own
    credentials are used. Raises `UsageError` for what is missing.
    """
    if entry.cloud is None:
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(api_key=key or NO_KEY, **_ours(base_url, http_client))
    if entry.cloud == "vertex":
        from anthropic import AsyncAnthropicVertex

        _check_home(entry, base_url)
        return AsyncAnthropicVertex(
            project_id=_setting(entry, "project", environ),
            region=_setting(entry, "region", environ),
            access_token=key,
            **_ours(base_url, http_client),
        )
    if entry.cloud == "bedrock":
        return _bedrock_client(entry, base_url, key, http_client, environ)
    raise _no_such_cloud(entry)


def _bedrock_client(
    entry: ProviderEntry,
    base_url: str,
    key: str | None,
    http_client: httpx2.AsyncClient,
    environ: Mapping[str, str],
) -> AsyncAnthropicBedrock:
    from anthropic import AsyncAnthropicBedrock

    _check_home(entry, base_url)
    region = _setting(entry, "region", environ)
    aws = _Aws() if key else _aws_credentials(entry, environ)
    return AsyncAnthropicBedrock(
        api_key=key,
        aws_access_key=aws.access_key,
        aws_secret_key=aws.secret_key,
        aws_session_token=aws.session_token,
        aws_profile=aws.profile,
        aws_region=region,
        **_ours(base_url, http_client),
    )


def gemini_client(
    entry: ProviderEntry,
    base_url: str,
    key: str | None,
    http_client: httpx2.AsyncClient,
    environ: Mapping[str, str] = os.environ,
) -> GeminiClient:
    """Google's client for the entry: one attempt a request, no time-out, nothing left to the environment.

    `http_client` is given so that the client does not go its own way through aiohttp, which it does wherever
    that is installed. At Vertex AI `key` is an access token; without one the machine's own credentials are
    used. Raises `UsageError` for what is missing.
    """
    from google.genai import Client
    from google.genai.client import DebugConfig
    from google.genai.types import HttpOptions, HttpRetryOptions

    options = HttpOptions(
        base_url=base_url,
        # Always given: a variable could change the client's own default.
        api_version=entry.api_version or ("v1beta1" if entry.cloud else "v1"),
        retry_options=HttpRetryOptions(attempts=1),
        httpx_async_client=http_client,
    )
    # Its variables could make it answer from a recording.
    debug = DebugConfig(client_mode=None, replays_directory=None, replay_id=None)
    if entry.cloud is None:
        return Client(vertexai=False, api_key=key or NO_KEY, http_options=options, debug_config=debug)
    if entry.cloud != "vertex":
        raise _no_such_cloud(entry)
    from google.oauth2.credentials import Credentials

    _check_home(entry, base_url)
    return Client(
        vertexai=True,
        credentials=Credentials(token=key) if key else None,  # type: ignore[no-untyped-call] # untyped library
        project=_setting(entry, "project", environ),
        location=_setting(entry, "region", environ),
        http_options=options,
        debug_config=debug,
    )


def openai_client(
    entry: ProviderEntry, base_url: str, key: str | None, http_client: httpx2.AsyncClient
) -> AsyncOpenAI:
    """OpenAI's client for the entry: retries off, no time-out of its own, nothing left to the environment."""
    if entry.cloud is not None:
        return _azure_client(entry, base_url, key, http_client)
    from openai import AsyncOpenAI

    return AsyncOpenAI(api_key=key or NO_KEY, **_ours(base_url, http_client))


def _azure_client(
    entry: ProviderEntry, base_url: str, key: str | None, http_client: httpx2.AsyncClient
) -> AsyncAzureOpenAI:
    """`base_url` is the resource's address ending in `/openai`, `api_version` the date in the query."""
    from openai import AsyncAzureOpenAI

    if entry.cloud != "azure":
        raise _no_such_cloud(entry)
    if not entry.api_version:
        raise UsageError(
            f'Provider {entry.id} is at Azure and names no api_version; add one to its entry ("2026-10-01").'
        )
    return AsyncAzureOpenAI(
        api_version=entry.api_version, api_key=key or NO_KEY, **_ours(base_url, http_client)
    )


def _setting(entry: ProviderEntry, name: CloudSetting, environ: Mapping[str, str]) -> str:
    value = _optional(entry, name, environ)
    if value is None:
        variable = entry.cloud_variables.get(name)
        advice = (
            f"set {variable}" if variable else f"name its variable in cloud_variables.{name} of the entry"
        )
        raise UsageError(f"Provider {entry.id} needs the {name} of its {entry.cloud} account: {advice}.")
    return value


def _optional(entry: ProviderEntry, name: CloudSetting, environ: Mapping[str, str]) -> str | None:
    variable = entry.cloud_variables.get(name)
    return environ.get(variable, "").strip() or None if variable else None


def _check_home(entry: ProviderEntry, base_url: str) -> None:
    parts = urlsplit(base_url)
    homes = _HOMES[str(entry.cloud)]
    if is_local(base_url) or (parts.scheme == "https" and (parts.hostname or "").endswith(homes)):
        return
    raise UsageError(
        f"Provider {entry.id} is a {entry.cloud} entry, but its address {parts.hostname} is none of that "
        f"cloud (https://…{homes[0]}). Nothing was sent; correct its urls."
    )


def _aws_credentials(entry: ProviderEntry, environ: Mapping[str, str]) -> _Aws:
    """What the entry's variables name; boto3 finds the rest where AWS's own tools look."""
    if environ.get(_AWS_BEARER):
        raise UsageError(
            f"{_AWS_BEARER} is set, but provider {entry.id} does not name it. Add it to key_variables of the "
            "entry, or unset it to sign with AWS keys."
        )
    try:
        boto3 = importlib.import_module("boto3")
    except ImportError:
        raise UsageError(
            f"Provider {entry.id} signs with AWS keys, which needs the package boto3: pip install boto3. "
            f'Or use a Bedrock API key: key_variables = ["{_AWS_BEARER}"].'
        ) from None
    aws = _Aws(
        _optional(entry, "access_key", environ),
        _optional(entry, "secret_key", environ),
        _optional(entry, "session_token", environ),
        _optional(entry, "profile", environ),
    )
    session = boto3.Session(
        aws_access_key_id=aws.access_key,
        aws_secret_access_key=aws.secret_key,
        aws_session_token=aws.session_token,
        profile_name=aws.profile,
    )
    if session.get_credentials() is None:
        raise UsageError(
            f"No AWS credentials were found for provider {entry.id}; set the variables its entry names in "
            "cloud_variables, or log in with AWS's own tools."
        )
    return aws


def _no_such_cloud(entry: ProviderEntry) -> UsageError:
    return UsageError(
        f"Provider {entry.id} asks for wire {entry.wire!r} at {entry.cloud}, which has no client; "
        "azure serves openai-chat and responses, vertex messages and gemini, bedrock messages."
    )
