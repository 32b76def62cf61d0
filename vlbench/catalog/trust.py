"""A workspace is often someone else's: it must not send the user's keys to another host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.urls import is_local, origin

# Secrets that lie in the environment of many machines and that no entry names, each with the hosts that
# take it for an API of models. A workspace may invent variables of its own, but not take these elsewhere.
_OF_OTHERS: Final[Mapping[str, tuple[str, ...]]] = {
    "AWS_ACCESS_KEY_ID": (),
    "AWS_SECRET_ACCESS_KEY": (),
    "AWS_SESSION_TOKEN": (),
    "AZURE_CLIENT_SECRET": (),
    "CEREBRAS_API_KEY": ("api.cerebras.ai",),
    "CLOUDFLARE_API_TOKEN": ("api.cloudflare.com",),
    "COHERE_API_KEY": ("api.cohere.com", "api.cohere.ai"),
    "DEEPINFRA_API_KEY": ("api.deepinfra.com",),
    "GH_TOKEN": ("models.github.ai",),
    "GITHUB_TOKEN": ("models.github.ai",),
    "GITLAB_TOKEN": (),
    "HF_TOKEN": ("router.huggingface.co",),
    "HUGGING_FACE_HUB_TOKEN": ("router.huggingface.co",),
    "KAGGLE_KEY": (),
    "NPM_TOKEN": (),
    "NVIDIA_API_KEY": ("integrate.api.nvidia.com",),
    "PERPLEXITY_API_KEY": ("api.perplexity.ai",),
    "REPLICATE_API_TOKEN": ("api.replicate.com",),
    "TWINE_PASSWORD": (),
    "UV_PUBLISH_TOKEN": (),
    "WANDB_API_KEY": ("api.inference.wandb.ai",),
}


def stranger(variables: Iterable[str], urls: Iterable[str], known: Iterable[ProviderEntry]) -> str | None:
    """The first of `urls` that is no home of a key among `variables`, in words; None when all are.

    A key is known when an entry of `known` (shipped or the user's own) names its variable, or when it is a
    secret that many machines hold for other ends (`HF_TOKEN`). Its homes are the hosts of those entries, the
    hosts that take such a secret, and this machine. Plain http is another home than https: others can read
    it.
    """
    wanted = set(variables)
    owners = [entry for entry in known if wanted & set(entry.key_variables)]
    of_others = wanted & _OF_OTHERS.keys()
    names = sorted(wanted & {name for entry in owners for name in entry.key_variables} | of_others)
    if not names:
        return None
    homes = {origin(url) for entry in owners for url in entry.urls}
    homes |= {("https", host) for name in of_others for host in _OF_OTHERS[name]}
    for url in urls:
        if not is_local(url) and origin(url) not in homes:
            scheme, host = origin(url)
            return f"sends {' or '.join(names)} to {scheme}://{host}, which is not where this key belongs"
    return None
