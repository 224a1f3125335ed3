  /** Place and age of an event that a layer receives. */
  interface EventMeta {
    readonly id: string;
    readonly timestamp: string;
    readonly age_ms: number;
  }
  /** Data of the events that layers listen to. `event:*` needs `events:read`, `chat:*` needs `chat:read`. */
  interface LayerEvents {
    "event:new": AccountEvent;
    "ext:push": { install_id: string; topic: string; payload: any };
    [other: string]: any;
  }
  /** Second argument of `mount` of `layer.js`. */
  interface LayerHost {
    /** Settings of manifest, install and layer, without secrets. */
    readonly config: Config;
    /** Size of the layer in pixels, as it is now. */
    readonly size: { readonly width: number; readonly height: number };
    /** Alerts of the account, as they are now. */
    readonly alerts: { readonly muted: boolean; readonly volume: number };
    /** Overlay of the page, as it is now. The page of a widget is never that of the default overlay. */
    readonly overlay: { readonly is_default: boolean };
    /** Latest events, newest last, when a layer of the page lists events. */
    readonly recent: readonly AccountEvent[];
    /** Data of the last `spotify:track`, or null. */
    readonly now_playing: EventData["spotify:track"] | null;
    /** Addresses of emotes by their word. */
    readonly emotes: { readonly [word: string]: any };
    /** Shared storage of the install. */
    readonly storage: { readonly value: any; on(listener: (value: any) => void): () => void };
    /** Calls a listener for each event of a type; returns a function that ends it. */
    on<Type extends keyof LayerEvents>(type: Type, listener: (data: LayerEvents[Type], meta: EventMeta) => void): () => void;
    /** Address of an upload or a sound that a setting names, or null. */
    asset(id: string): string | null;
    /** Plays a sound at 0 to 1 of the volume of alerts, unless they are muted. */
    play(address: string, volume?: number): { stop(): void };
    /** Milliseconds of the server's clock. */
    serverTime(): number;
    /** True for an event that is too old for an alert. */
    isOld(event: AccountEvent): boolean;
  }
  /** Exports of `layer.js`. */
  interface Layer {
    events?: readonly string[];
    mount(root: HTMLElement, lumio: LayerHost): void | (() => void);
  }
