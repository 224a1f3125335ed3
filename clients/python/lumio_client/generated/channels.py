"""Generated from the AsyncAPI document by `./scripts/clients --update`. Edits are lost."""

from __future__ import annotations

from ..channel import Channel
from . import events as types


def account(account_id: str) -> Channel[types.AccountChannelEvent]:
    """Channel `account:{account_id}`. Who may listen: any session or key of a member, keys of the account, and system keys."""
    return Channel(f"account:{account_id}")


def automations(account_id: str) -> Channel[types.AutomationsChannelEvent]:
    """Channel `automations:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"automations:{account_id}")


def chat(account_id: str) -> Channel[types.ChatChannelEvent]:
    """Channel `chat:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"chat:{account_id}")


def events(account_id: str) -> Channel[types.EventsChannelEvent]:
    """Channel `events:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"events:{account_id}")


def ext_storage(install_id: str) -> Channel[types.ExtStorageChannelEvent]:
    """Channel `ext-storage:{install_id}`. Who may listen: the extension token of the install, whoever holds the permission in its account, and system keys."""
    return Channel(f"ext-storage:{install_id}")


def extensions(account_id: str) -> Channel[types.ExtensionsChannelEvent]:
    """Channel `extensions:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"extensions:{account_id}")


def obs(account_id: str) -> Channel[types.ObsChannelEvent]:
    """Channel `obs:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"obs:{account_id}")


def overlay(key: str) -> Channel[types.OverlayChannelEvent]:
    """Channel `overlay:{key}`. Who may listen: the token of the overlay and its shares."""
    return Channel(f"overlay:{key}")


def overlay_editor(overlay_id: str) -> Channel[types.OverlayEditorChannelEvent]:
    """Channel `overlay-editor:{overlay_id}`. Who may listen: whoever holds the permission in the account and reaches the overlay."""
    return Channel(f"overlay-editor:{overlay_id}")


def sounds(account_id: str) -> Channel[types.SoundsChannelEvent]:
    """Channel `sounds:{account_id}`. Who may listen: any session or key of a member, popouts, keys of the account, and system keys."""
    return Channel(f"sounds:{account_id}")


def spotify(account_id: str) -> Channel[types.SpotifyChannelEvent]:
    """Channel `spotify:{account_id}`. Who may listen: whoever holds the permission in the account, and system keys."""
    return Channel(f"spotify:{account_id}")


def user(user_id: str) -> Channel[types.UserChannelEvent]:
    """Channel `user:{user_id}`. Who may listen: sessions of the person, and system keys."""
    return Channel(f"user:{user_id}")


def widget(widget_id: str) -> Channel[types.WidgetChannelEvent]:
    """Channel `widget:{widget_id}`. Who may listen: the token of the widget, and whoever holds the permission in the account and reaches the widget."""
    return Channel(f"widget:{widget_id}")
