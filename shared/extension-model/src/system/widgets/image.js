// Shows a picture, or several in turns.

import { LEAVE_MS, between, media, oneOf, picture, stage } from './assets/parts.js';

export const events = [];

const MAX_PICTURES = 50;

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'image', {
    fit: ['cover', 'fill'].includes(config.fit) ? config.fit : 'contain',
    opacity: between(config.opacity_percent, 0, 100, 100) / 100,
    radius: `${between(config.corner_radius, 0, 500, 0)}px`,
  });
  place.dataset.change = oneOf(config.change, ['fade', 'slide', 'none']);
  const given = [config.image, ...(config.images ?? []).slice(0, MAX_PICTURES)];
  const urls = given.map((image) => media(lumio, image)).filter((url) => url !== null);
  const seconds = between(config.slide_secs, 1, 3600, 10);
  let shown = -1;
  let leaving = null;

  function next() {
    const [former] = place.children;
    shown = (shown + 1) % urls.length;
    const image = picture('picture', urls[shown]);
    image.alt = config.alt ?? '';
    place.append(image);
    if (former === undefined) return;
    image.classList.add('coming');
    former.classList.add('leaving');
    leaving = setTimeout(() => former.remove(), LEAVE_MS * 2);
  }

  if (urls.length > 0) next();
  const timer = urls.length > 1 ? setInterval(next, seconds * 1000) : null;
  return () => {
    clearInterval(timer);
    clearTimeout(leaving);
    clear();
  };
}
