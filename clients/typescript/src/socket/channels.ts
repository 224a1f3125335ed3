import type { ChannelEvents } from '../generated/events.js';

/** Prefix of a channel's name, such as `chat`. */
export type ChannelPrefix = keyof ChannelEvents;

/** Name of a channel, such as `chat:{account_id}`. */
export type ChannelName<P extends ChannelPrefix = ChannelPrefix> = { [K in P]: `${K}:${string}` }[P];

/** Event of a channel; `event_type` distinguishes the types. */
export type ChannelEvent<P extends ChannelPrefix = ChannelPrefix> = {
  [K in P]: {
    [T in keyof ChannelEvents[K]]: {
      type: 'event';
      channel: string;
      event_type: T;
      data: ChannelEvents[K][T];
      /** UUID of version 7; the position of a subscription. */
      id: string;
      timestamp: string;
    };
  }[keyof ChannelEvents[K]];
}[P];

/** Events between `after` and now may be missing and do not follow: read the state over REST. */
export interface Gap {
  channel: string;
  /** Id of the last event before the gap; undefined when the subscription had none. */
  after: string | undefined;
  recovered: false;
  /** `expired`: the server no longer holds that event. `no_position`: there was no event to resume after. */
  reason: 'expired' | 'no_position';
}

/** Reason why a subscription ended for good. */
export interface SubscriptionEnd {
  channel: string;
  /** Code of the refusal, reason of the server, or the close code of the socket. */
  code: string;
  message: string;
}

/** What a subscription is for. All functions are called one at a time, in the order of the channel. */
export interface Handler<P extends ChannelPrefix = ChannelPrefix> {
  /** Takes an event. Each one comes once, in the order of the channel. */
  event(event: ChannelEvent<P>): void;
  /** Takes note that events are missing. */
  gap(gap: Gap): void;
  /** Takes note that no event follows. */
  ended?(end: SubscriptionEnd): void;
}

export interface Subscription {
  readonly channel: string;
  /** Id of the last event, for `after` of a later subscription. Undefined before the first one. */
  readonly position: string | undefined;
  /** Resolves when the server has accepted the subscription; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Ends the subscription. */
  close(): void;
}

/** Types that the server publishes past its log: no position to resume after (docs/reference/realtime.md#resume). */
const UNLOGGED = new Set(['ext:push', 'presence:join', 'presence:leave', 'presence:cursor', 'presence:selection']);

/** Channels that resume after any event, also one that no log holds (docs/reference/realtime.md#relayed-events). */
const ANY_POSITION = ['overlay:', 'widget:'];

/** True when a subscription can be resumed after an event of the type. */
export function isPosition(channel: string, eventType: string): boolean {
  return !UNLOGGED.has(eventType) || ANY_POSITION.some((prefix) => channel.startsWith(prefix));
}
