// Shows the song that plays.

import { between, element, fill, listen, stage } from './assets/parts.js';

export const events = ['spotify:track'];

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'now-playing', {
    size: `${between(config.font_size, 8, 160, 24)}px`,
    color: config.text_color,
    background: config.background_color,
  });
  const hideAfter = between(config.hide_after_secs, 0, 3600, 0);
  let timer = null;
  const end = listen(lumio, {
    'spotify:track': (track) => {
      clearTimeout(timer);
      place.replaceChildren();
      // Nothing plays.
      if (!track?.title) return;
      const values = { title: track.title, artist: track.artist ?? '', album: track.album ?? '' };
      place.append(element('p', 'song', fill(config.template ?? '{title}', values)));
      if (config.show_album && values.album) place.append(element('p', 'album', values.album));
      if (hideAfter > 0) timer = setTimeout(() => place.replaceChildren(), hideAfter * 1000);
    },
  });
  return () => {
    end();
    clearTimeout(timer);
    clear();
  };
}
