// Shows a picture.

import { address, between, element, stage } from './assets/parts.js';

export const events = [];

export function mount(root, { config }) {
  const { place, clear } = stage(root, 'image', {
    fit: ['cover', 'fill'].includes(config.fit) ? config.fit : 'contain',
    opacity: between(config.opacity_percent, 0, 100, 100) / 100,
  });
  const picture = address(config.image);
  if (picture) {
    const image = element('img');
    image.alt = config.alt ?? '';
    image.src = picture;
    place.append(image);
  }
  return clear;
}
