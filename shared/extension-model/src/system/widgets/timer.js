// Counts down from when it is shown or to a moment, counts up, or shows the time of day.

import { between, element, stage } from './assets/parts.js';

export const events = [];

/** Often enough that no second is seen twice as long as another. */
const TICK_MS = 200;

export function mount(root, { config }) {
  const { place, clear } = stage(root, 'timer', {
    size: `${between(config.font_size, 8, 300, 64)}px`,
    color: config.text_color,
  });
  const text = place.appendChild(element('p', 'time'));
  const shown = shownBy(config, Date.now());
  const tick = () => {
    const now = shown(Date.now());
    if (text.textContent !== now) text.textContent = now;
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
  const left = (end) => (now) => (end > now ? length(Math.ceil((end - now) / 1000)) : (config.finished_text ?? ''));
  switch (config.mode) {
    case 'up':
      return (now) => length(Math.floor((now - start) / 1000));
    case 'clock':
      return (now) => new Date(now).toLocaleTimeString();
    case 'until': {
      const end = Date.parse(config.until ?? '');
      return left(Number.isNaN(end) ? start : end);
    }
    default:
      return left(start + between(config.seconds, 1, 604800, 300) * 1000);
  }
}

function length(seconds) {
  const two = (number) => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
