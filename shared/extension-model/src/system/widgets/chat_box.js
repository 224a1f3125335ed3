// Shows chat: a line a message, removed when the platform removes it.

import { between, element, listen, stage } from './assets/parts.js';

export const events = ['chat:message', 'chat:delete_message', 'chat:clear_user'];

const COLOR = /^#[0-9a-f]{3,8}$/i;

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'chat-box', {
    size: `${between(config.font_size, 8, 96, 20)}px`,
    color: config.text_color,
    background: config.background_color,
  });
  const most = between(config.max_messages, 1, 100, 20);
  const hideAfter = between(config.hide_after_secs, 0, 3600, 0);
  const hidden = new Set((config.hidden_users ?? []).map((name) => name.toLowerCase()));
  const timers = new Set();

  const isLeftOut = (message) =>
    hidden.has(String(message.username ?? '').toLowerCase()) ||
    (config.hide_commands && String(message.text ?? '').startsWith('!'));

  function show(message) {
    if (message.is_deleted || isLeftOut(message)) return;
    const line = lineOf(message, config);
    place.append(line);
    while (place.childElementCount > most) place.firstElementChild.remove();
    if (hideAfter > 0) {
      const timer = setTimeout(() => {
        timers.delete(timer);
        line.remove();
      }, hideAfter * 1000);
      timers.add(timer);
    }
  }

  function remove(which) {
    for (const line of [...place.children]) if (which(line.dataset)) line.remove();
  }

  const end = listen(lumio, {
    'chat:message': show,
    'chat:delete_message': ({ platform, message_id }) =>
      remove((line) => line.platform === platform && line.message === message_id),
    'chat:clear_user': ({ platform, platform_user_id }) =>
      remove((line) => line.platform === platform && line.user === platform_user_id),
  });
  return () => {
    end();
    timers.forEach(clearTimeout);
    clear();
  };
}

function lineOf(message, config) {
  const line = element('p', message.is_action ? 'line action' : 'line');
  line.dataset.platform = message.platform ?? '';
  line.dataset.message = message.platform_message_id ?? '';
  line.dataset.user = message.platform_user_id ?? '';
  if (config.show_platform && message.platform) line.append(element('span', 'platform', message.platform));
  if (config.show_badges) {
    for (const badge of (message.badges ?? []).slice(0, 5)) line.append(element('span', 'badge', badge.id));
  }
  const name = element('span', 'name', message.display_name ?? message.username);
  if (COLOR.test(message.color ?? '')) name.style.color = message.color;
  line.append(name);
  for (const fragment of message.fragments?.length ? message.fragments : [{ type: 'text', text: message.text }]) {
    line.append(element('span', fragment.type === 'text' ? 'text' : `text ${kindOf(fragment)}`, fragment.text));
  }
  return line;
}

const kindOf = ({ type }) => (['emote', 'mention', 'cheermote'].includes(type) ? type : 'other');
