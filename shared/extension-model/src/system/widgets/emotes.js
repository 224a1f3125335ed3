// Emotes in texts: pictures of known providers, and nothing else that a viewer could name.

import { element, picture } from './parts.js';

/** Hosts that serve emotes, each with the hosts below it. */
const HOSTS = [
  'jtvnw.net',
  '7tv.app',
  'betterttv.net',
  'frankerfacez.com',
  'kick.com',
  'trovo.live',
  'ggpht.com',
  'googleusercontent.com',
  'youtube.com',
  'gstatic.com',
  'discordapp.com',
];
/** Emotes of platforms whose addresses follow from the id. */
const ADDRESSES = {
  twitch: (id) => `https://static-cdn.jtvnw.net/emoticons/v2/${id}/default/dark/2.0`,
  kick: (id) => `https://files.kick.com/emotes/${id}/fullsize`,
};
const EMOTE_ID = /^[A-Za-z0-9_-]{1,128}$/;
/** Emotes drawn in one text; further ones stay words. */
const MAX_EMOTES = 60;

/** Address of an emote at one of the known hosts, or null. */
export function emoteAddress(text) {
  if (typeof text !== 'string') return null;
  try {
    const url = new URL(text);
    const known = HOSTS.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`));
    return url.protocol === 'https:' && known && !url.username && !url.port ? url.href : null;
  } catch {
    return null;
  }
}

/** Appends parts of a text: words that `lumio.emotes` names become pictures. Returns what was drawn. */
export function appendText(place, text, emotes, drawn = { pictures: 0, words: 0 }) {
  let plain = '';
  for (const word of String(text ?? '').split(/(\s+)/)) {
    const url = emotes && Object.hasOwn(emotes, word) && drawn.pictures < MAX_EMOTES ? emoteAddress(emotes[word]) : null;
    if (url === null) {
      plain += word;
      if (word.trim() !== '') drawn.words += 1;
      continue;
    }
    if (plain) place.append(plain);
    plain = '';
    place.append(emote(word, url));
    drawn.pictures += 1;
  }
  if (plain) place.append(plain);
  return drawn;
}

/** Picture of an emote fragment, or null for one whose address is not known. */
export function fragmentEmote(fragment, platform, emotes, drawn) {
  const name = /^\[emote:\d+:(.+)\]$/.exec(fragment.text ?? '')?.[1] ?? fragment.text ?? '';
  const id = String(fragment.emote_id ?? '');
  const known = Object.hasOwn(ADDRESSES, platform ?? '') && EMOTE_ID.test(id) ? ADDRESSES[platform](id) : null;
  const url = known ?? (emotes && Object.hasOwn(emotes, name) ? emoteAddress(emotes[name]) : null);
  if (url === null || drawn.pictures >= MAX_EMOTES) return null;
  drawn.pictures += 1;
  return emote(name, url);
}

/** A picture that its word replaces where it does not load. */
function emote(name, url) {
  const made = picture('emote', url);
  made.alt = name;
  made.onerror = () => made.replaceWith(element('span', 'text', name));
  return made;
}
