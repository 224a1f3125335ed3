// Shows a page of somebody else: it may run its scripts, and reaches neither this page nor what the browser keeps of it.

import { address, between, element, stage } from './assets/parts.js';

export const events = [];

export function mount(root, { config }) {
  const { place, clear } = stage(root, 'obs-browser-source');
  const url = address(config.url, { secure: true });
  if (url === null) return clear;
  const frame = element('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.title = config.title ?? '';
  frame.src = url;
  place.append(frame);
  const reload = between(config.reload_secs, 0, 86400, 0);
  const timer = reload > 0 ? setInterval(() => (frame.src = url), reload * 1000) : null;
  return () => {
    clearInterval(timer);
    clear();
  };
}
