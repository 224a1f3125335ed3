// Shows a text as it is written, line breaks and all.

import { between, element, stage } from './assets/parts.js';

export const events = [];

export function mount(root, { config }) {
  const { place, clear } = stage(root, 'text', {
    size: `${between(config.font_size, 8, 300, 32)}px`,
    weight: config.bold ? 700 : 400,
    align: ['center', 'right'].includes(config.align) ? config.align : 'left',
    run: `${between(config.scroll_secs, 2, 300, 15)}s`,
    color: config.text_color,
    background: config.background_color,
  });
  place.append(element('p', config.scroll ? 'text runs' : 'text', config.text ?? ''));
  return clear;
}
