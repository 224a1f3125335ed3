// Counts down from when it is shown or to a moment, counts up, or shows the time of day.

import { between, clock, colors, element, now, oneOf, stage } from './assets/parts.js';

export const events = [];

/** Often enough that no second is seen twice as long as another. */
const TICK_MS = 200;
/** Seconds before the end during which a countdown is emphasised. */
const LAST_SECS = 10;

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'timer', {
    ...colors({ ...config, theme: config.theme ?? 'minimal' }),
    size: `${between(config.font_size, 8, 300, 64)}px`,
  });
  const panel = place.appendChild(element('div', 'panel'));
  if (config.label) panel.append(element('p', 'label', config.label));
  const text = panel.appendChild(element('p', 'time'));
  const shown = shownBy(config, now(lumio));
  const tick = () => {
    const state = shown(now(lumio));
    if (text.textContent === state.text) return;
    text.textContent = state.text;
    place.style.setProperty('--letters', String(between(state.text.length, 5, 14, 5)));
    place.classList.toggle('last', state.left !== undefined && state.left > 0 && state.left <= LAST_SECS);
    place.classList.toggle('finished', state.left === 0);
    panel.hidden = state.text === '';
  };
  tick();
  const timer = setInterval(tick, TICK_MS);
  return () => {
    clearInterval(timer);
    clear();
  };
}

/** What is shown at a moment, in milliseconds. */
function shownBy(config, start) {
  const format = formatOf(config.format);
  const left = (end) => (at) => {
    const seconds = Math.max(0, Math.ceil((end - at) / 1000));
    return { text: seconds > 0 ? format(seconds) : (config.finished_text ?? ''), left: seconds };
  };
  switch (config.mode) {
    case 'up':
      return (at) => ({ text: format(Math.max(0, Math.floor((at - start) / 1000))) });
    case 'clock':
      return (at) => ({ text: new Date(at).toLocaleTimeString() });
    case 'until': {
      const end = Date.parse(config.until ?? '');
      return left(Number.isNaN(end) ? start : end);
    }
    default:
      return left(start + between(config.seconds, 1, 604800, 300) * 1000);
  }
}

function formatOf(name) {
  const two = (number) => String(number).padStart(2, '0');
  const hours = (seconds) => Math.floor(seconds / 3600);
  switch (oneOf(name, ['auto', 'hms', 'ms', 'dhms', 'words'])) {
    case 'hms':
      return (seconds) => `${two(hours(seconds))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    case 'ms':
      return (seconds) => `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
    case 'dhms':
      return (seconds) => {
        const days = Math.floor(seconds / 86400);
        const rest = `${hours(seconds) % 24}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
        return days > 0 ? `${days}d ${rest}` : clock(seconds);
      };
    case 'words':
      return (seconds) => {
        const parts = [[hours(seconds), 'h'], [Math.floor(seconds / 60) % 60, 'min'], [seconds % 60, 's']];
        return parts.filter(([value], at) => value > 0 || at === 2).map((part) => part.join(' ')).join(' ');
      };
    default:
      return clock;
  }
}
