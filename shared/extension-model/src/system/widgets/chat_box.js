// Shows chat: a line a message, removed when the platform removes it.

import { appendText, emoteAddress, fragmentEmote } from './assets/emotes.js';
import {
  LEAVE_MS, between, colors, drawing, element, listen, oneOf, picture, readable, stage,
} from './assets/parts.js';

export const events = ['chat:message', 'chat:delete_message', 'chat:clear_user', 'chat:clear'];

const MAX_BADGES = 5;
/** Colours for names whose owner chose none; the style sheet holds as many. */
const HUES = 8;
const LETTERS = { twitch: 'T', youtube: 'Y', kick: 'K', trovo: 'Tr', discord: 'D' };
/** Drawings of roles, on a field of 24 by 24. */
const ROLES = {
  broadcaster: 'M3 6h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H3zm15.5 4L22 7.5v9L18.5 14z',
  moderator: 'M12 2l8.5 3v6.5c0 5-3.4 8.7-8.5 10.5-5.1-1.8-8.5-5.5-8.5-10.5V5z',
  vip: 'M6.5 4h11L22 10 12 21 2 10z',
  subscriber: 'M12 2l3 6.5 7 .9-5.1 4.8 1.3 7L12 17.8l-6.2 3.4 1.3-7L2 9.4l7-.9z',
  verified: 'M9.5 18.5L3 12l2.4-2.4 4.1 4.1L18.6 4.6 21 7z',
  gifter: 'M3 8h8V3H8l3 5 1 .5 1-.5 3-5h-3v5h8v4H3zm1.5 5.5H11V21H4.5zm8.5 0h6.5V21H13z',
};
const ROLE_OF = {
  lead_moderator: 'moderator',
  founder: 'subscriber',
  member: 'subscriber',
  partner: 'verified',
  premium: 'verified',
  og: 'vip',
  sub_gifter: 'gifter',
  'sub-gifter': 'gifter',
};

export function mount(root, lumio) {
  const { config } = lumio;
  const shades = colors(config);
  const { place, clear } = stage(root, 'chat-box', { ...shades, size: `${between(config.font_size, 8, 96, 20)}px` });
  place.dataset.direction = oneOf(config.direction, ['up', 'down']);
  place.dataset.align = oneOf(config.align, ['left', 'right']);
  place.dataset.animation = oneOf(config.animation, ['slide', 'fade', 'pop', 'none']);
  const max = between(config.max_messages, 1, 100, 20);
  const hideAfter = between(config.hide_after_secs, 0, 3600, 0) * 1000;
  const hidden = new Set((config.hidden_users ?? []).map((name) => String(name).trim().toLowerCase()));
  const platforms = new Set((config.platforms ?? []).map((name) => String(name).trim().toLowerCase()));
  /** Lines by platform and id of the message, the oldest first. */
  const lines = new Map();
  /** Names before which colours are made readable; the outline of a theme without panel is dark. */
  const behind = config.theme === 'minimal' ? shades.outline.slice(0, 7) : shades.background;
  let timer = null;

  const isLeftOut = (message) =>
    hidden.has(String(message.username ?? '').toLowerCase()) ||
    hidden.has(String(message.display_name ?? '').toLowerCase()) ||
    (platforms.size > 0 && !platforms.has(message.platform)) ||
    (config.hide_commands && String(message.text ?? '').startsWith('!'));

  function show(message) {
    if (message.is_deleted || isLeftOut(message)) return;
    const id = `${message.platform}:${message.platform_message_id}`;
    remove(id);
    const line = lineOf(message, lumio, behind, lines.get(`${message.platform}:${message.reply_to}`)?.line);
    lines.set(id, { line, ends: performance.now() + hideAfter });
    place.append(line);
    while (lines.size > max) remove(lines.keys().next().value);
    if (hideAfter > 0 && timer === null) expire();
  }

  function remove(id) {
    lines.get(id)?.line.remove();
    lines.delete(id);
  }

  function removeWhere(which) {
    for (const [id, { line }] of lines) if (which(line.dataset)) remove(id);
  }

  /** Lets lines leave whose time is over; one timer waits for the next. */
  function expire() {
    const at = performance.now();
    let next = null;
    for (const [id, { line, ends }] of lines) {
      const left = ends - at;
      if (left > 0) {
        next = Math.min(next ?? left, left);
        break;
      }
      line.classList.add('leaving');
      if (left <= -LEAVE_MS) remove(id);
      else next ??= left + LEAVE_MS;
    }
    timer = next === null ? null : setTimeout(expire, next);
  }

  const end = listen(lumio, {
    'chat:message': show,
    'chat:delete_message': ({ platform, message_id }) => remove(`${platform}:${message_id}`),
    'chat:clear_user': ({ platform, platform_user_id }) =>
      removeWhere((line) => line.platform === platform && line.user === String(platform_user_id)),
    'chat:clear': (cleared) => removeWhere((line) => !cleared?.platform || line.platform === cleared.platform),
  });
  return () => {
    end();
    clearTimeout(timer);
    lines.clear();
    clear();
  };
}

function lineOf(message, lumio, behind, parent) {
  const { config } = lumio;
  const line = element('p', message.is_action ? 'line panel action' : 'line panel');
  line.dataset.platform = message.platform ?? '';
  line.dataset.message = message.platform_message_id ?? '';
  line.dataset.user = message.platform_user_id ?? '';
  if (message.is_test) line.dataset.test = 'true';
  if (message.reply_to && config.show_replies !== false) line.append(replyOf(parent));
  const author = line.appendChild(element('span', 'author'));
  if (config.show_platform && message.platform) {
    const letter = LETTERS[message.platform] ?? String(message.platform).slice(0, 2);
    author.append(element('span', 'platform', letter));
  }
  if (config.show_badges) author.append(...(message.badges ?? []).slice(0, MAX_BADGES).map(badgeOf));
  const color = readable(message.color, behind);
  const name = element('span', 'name', message.display_name ?? message.username);
  if (color !== null && config.user_colors !== false) name.style.color = color;
  else name.classList.add(`hue-${hueOf(message.platform_user_id ?? message.username)}`);
  author.append(name);
  const drawn = { pictures: 0, words: 0 };
  for (const fragment of message.fragments?.length ? message.fragments : [{ type: 'text', text: message.text }]) {
    line.append(part(fragment, message.platform, lumio.emotes, drawn));
  }
  if (drawn.words === 0 && drawn.pictures > 0 && config.big_emotes !== false) line.classList.add('emotes-only');
  return line;
}

function part(fragment, platform, emotes, drawn) {
  const kind = ['text', 'emote', 'mention', 'cheermote'].includes(fragment.type) ? fragment.type : 'other';
  const shown = element('span', kind === 'text' ? 'text' : `text ${kind}-text`);
  const emote = kind === 'emote' ? fragmentEmote(fragment, platform, emotes, drawn) : null;
  if (emote === null) appendText(shown, fragment.text, emotes, drawn);
  else shown.append(emote);
  return shown;
}

/** What a line replies to: its author and words, where they are still shown. */
function replyOf(parent) {
  const name = parent?.querySelector('.name')?.textContent;
  const words = parent ? [...parent.querySelectorAll('.text')].map((text) => text.textContent).join('') : '';
  return name ? element('span', 'reply known', `↩ ${name}: ${words.slice(0, 80)}`) : element('span', 'reply', '↩');
}

function badgeOf(badge) {
  const id = String(badge.id ?? '');
  const url = emoteAddress(badge.url);
  if (url !== null) return picture('badge', url);
  const role = ROLE_OF[id] ?? id;
  const shown = Object.hasOwn(ROLES, role) ? drawing(`badge role-${role}`, ROLES[role]) : element('span', 'badge', id.slice(0, 12));
  shown.dataset.badge = id;
  return shown;
}

/** One of the colours, the same for a person each time. */
function hueOf(text) {
  let hash = 0;
  for (const letter of String(text ?? '').slice(0, 64)) hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  return hash % HUES;
}
