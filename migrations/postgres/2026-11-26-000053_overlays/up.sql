-- Overlays (reference/overlays.md#overlays).
CREATE TABLE overlays (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- Part of the address that browsers open.
    key text NOT NULL UNIQUE CHECK (key ~ '^[A-Za-z0-9_-]{12}$'),
    width integer NOT NULL CHECK (width BETWEEN 1 AND 7680),
    height integer NOT NULL CHECK (height BETWEEN 1 AND 7680),
    background text NOT NULL,
    -- Number of the present state: each change of the overlay or of its layers adds one.
    version integer NOT NULL DEFAULT 1,
    thumbnail_upload_id uuid REFERENCES uploads ON DELETE SET NULL,
    -- Token of the address, encrypted, because the address is shown again. Its hash is in surface_tokens.
    token bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX overlays_list ON overlays (account_id, created_at, id);
CREATE INDEX overlays_thumbnail ON overlays (thumbnail_upload_id) WHERE thumbnail_upload_id IS NOT NULL;

CREATE TABLE overlay_layers (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    overlay_id uuid NOT NULL,
    layer_type text NOT NULL CHECK (layer_type IN ('alert_box', 'chat_box', 'event_list', 'text', 'image', 'video', 'timer',
        'music', 'browser', 'custom_html', 'extension')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    config jsonb NOT NULL DEFAULT '{}',
    visible boolean NOT NULL DEFAULT true,
    sort_order integer NOT NULL,
    -- Install of an extension layer; the layer ends with it.
    install_id uuid REFERENCES extension_installs ON DELETE CASCADE,
    x double precision NOT NULL DEFAULT 0,
    y double precision NOT NULL DEFAULT 0,
    width double precision NOT NULL,
    height double precision NOT NULL,
    rotation double precision NOT NULL DEFAULT 0,
    opacity double precision NOT NULL DEFAULT 1 CHECK (opacity BETWEEN 0 AND 1),
    locked boolean NOT NULL DEFAULT false,
    FOREIGN KEY (account_id, overlay_id) REFERENCES overlays (account_id, id) ON DELETE CASCADE,
    CHECK ((layer_type = 'extension') = (install_id IS NOT NULL))
);
CREATE INDEX overlay_layers_overlay ON overlay_layers (overlay_id, sort_order, id);
CREATE INDEX overlay_layers_account ON overlay_layers (account_id);
CREATE INDEX overlay_layers_install ON overlay_layers (install_id) WHERE install_id IS NOT NULL;

-- Shares of an overlay for a time (reference/overlays.md#shares). The id is that of the token.
CREATE TABLE overlay_shares (
    id uuid PRIMARY KEY REFERENCES surface_tokens ON DELETE CASCADE,
    account_id uuid NOT NULL,
    overlay_id uuid NOT NULL,
    label text CHECK (length(label) BETWEEN 1 AND 100),
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (account_id, overlay_id) REFERENCES overlays (account_id, id) ON DELETE CASCADE
);
CREATE INDEX overlay_shares_overlay ON overlay_shares (overlay_id, created_at DESC, id DESC);
CREATE INDEX overlay_shares_account ON overlay_shares (account_id);
CREATE INDEX overlay_shares_creator ON overlay_shares (created_by);

-- Access of members to one overlay (reference/overlays.md#access). It ends with the membership.
CREATE TABLE overlay_access (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    overlay_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'editor')),
    granted_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (overlay_id, user_id),
    FOREIGN KEY (account_id, overlay_id) REFERENCES overlays (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX overlay_access_member ON overlay_access (account_id, user_id);
CREATE INDEX overlay_access_granter ON overlay_access (granted_by);

-- Widgets: single browser sources (reference/overlays.md#widgets).
CREATE TABLE widgets (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- Name of a system widget, or slug of an extension.
    widget_type text NOT NULL,
    install_id uuid REFERENCES extension_installs ON DELETE CASCADE,
    config jsonb NOT NULL DEFAULT '{}',
    width integer NOT NULL CHECK (width BETWEEN 1 AND 7680),
    height integer NOT NULL CHECK (height BETWEEN 1 AND 7680),
    enabled boolean NOT NULL DEFAULT true,
    token_prefix text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account_id, id)
);
CREATE INDEX widgets_list ON widgets (account_id, created_at, id);
CREATE INDEX widgets_install ON widgets (install_id) WHERE install_id IS NOT NULL;

CREATE TABLE widget_access (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    widget_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'editor')),
    granted_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (widget_id, user_id),
    FOREIGN KEY (account_id, widget_id) REFERENCES widgets (account_id, id) ON DELETE CASCADE,
    FOREIGN KEY (account_id, user_id) REFERENCES memberships (account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX widget_access_member ON widget_access (account_id, user_id);
CREATE INDEX widget_access_granter ON widget_access (granted_by);

-- The overlay that pages show by default is one of the account's.
ALTER TABLE account_settings
    ADD CONSTRAINT account_settings_default_overlay FOREIGN KEY (account_id, default_overlay_id)
    REFERENCES overlays (account_id, id) ON DELETE SET NULL (default_overlay_id);
