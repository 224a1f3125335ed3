// Shows the song that plays.

import { LEAVE_MS, address, between, clock, colors, drawing, element, fill, listen, now, oneOf, picture, stage } from './assets/parts.js';

export const events = ['spotify:track', 'spotify:state'];

const NOTE = 'M9 4.2l11-2.4v13.4a3.4 3.4 0 1 1-2-3.1V7.2l-7 1.5v8.9a3.4 3.4 0 1 1-2-3.1z';
const TICK_MS = 500;

export function mount(root, lumio) {
  const { config } = lumio;
  const { place, clear } = stage(root, 'now-playing', {
    ...colors(config),
    size: `${between(config.font_size, 8, 160, 24)}px`,
  });
  place.dataset.align = oneOf(config.align, ['left', 'center', 'right']);
  const hideAfter = between(config.hide_after_secs, 0, 3600, 0) * 1000;
  let playing = null;
  let shownSince = 0;
  const lines = config.marquee === false ? null : new ResizeObserver(run);
  let timer = null;

  /** Draws a song, or takes the drawn one away. */
  function show(track) {
    if (sameSong(track, playing)) {
      playing = { ...track, gone: playing.gone };
      tick();
      return;
    }
    playing = track;
    clearInterval(timer);
    timer = null;
    lines?.disconnect();
    place.replaceChildren();
    if (track === null) return;
    shownSince = now(lumio);
    place.append(songOf(track, config));
    for (const line of place.querySelectorAll('.song, .album')) lines?.observe(line);
    timer = setInterval(tick, TICK_MS);
    tick();
  }

  function tick() {
    if (playing === null || playing.gone) return;
    const at = now(lumio);
    const shown = place.firstElementChild;
    const pausedAway = !playing.isPlaying && config.hide_when_paused !== false;
    const gone = pausedAway || (hideAfter > 0 && at - shownSince >= hideAfter);
    shown.classList.toggle('paused', !playing.isPlaying);
    shown.classList.toggle('leaving', gone);
    if (hideAfter > 0 && at - shownSince >= hideAfter + LEAVE_MS) {
      clearInterval(timer);
      timer = null;
      shown.remove();
      playing = { ...playing, gone: true };
      return;
    }
    const bar = shown.querySelector('.done');
    if (bar === null) return;
    const done = Math.min(playing.duration, playing.progress + (playing.isPlaying ? at - playing.at : 0));
    bar.style.transform = `scaleX(${playing.duration > 0 ? done / playing.duration : 0})`;
    const times = shown.querySelector('.times');
    const text = `${clock(Math.floor(done / 1000))} / ${clock(Math.floor(playing.duration / 1000))}`;
    if (times !== null && times.textContent !== text) times.textContent = text;
  }

  const take = (data, meta) => show(trackOf(data, meta, playing, lumio));
  if (lumio.now_playing) take(lumio.now_playing);
  const end = listen(lumio, { 'spotify:track': take, 'spotify:state': take });
  return () => {
    end();
    clearInterval(timer);
    lines?.disconnect();
    clear();
  };
}

const sameSong = (track, playing) =>
  track !== null && playing !== null && track.title === playing.title && track.artist === playing.artist;

/** The song of an event of either type; null when nothing plays. */
function trackOf(data, meta, playing, lumio) {
  const song = data && 'now_playing' in data ? data.now_playing : data;
  // A state without a song says how the present one plays.
  const title = song?.title ?? song?.name ?? (song && 'is_playing' in song && !('title' in song) ? playing?.title : null);
  if (!title) return null;
  const artist = song.artist ?? song.artists ?? (title === playing?.title ? playing.artist : '');
  const number = (...values) => Number(values.find((value) => typeof value === 'number') ?? 0);
  const same = title === playing?.title ? playing : null;
  return {
    title: String(title),
    artist: Array.isArray(artist) ? artist.map((one) => one?.name ?? one).join(', ') : String(artist ?? ''),
    album: String(song.album?.name ?? song.album ?? same?.album ?? ''),
    cover: address(song.cover_url ?? song.image_url ?? song.album_image_url ?? song.artwork_url ?? same?.cover ?? '', { secure: true }),
    duration: number(song.duration_ms, same?.duration),
    progress: number(song.progress_ms, data.progress_ms, song.position_ms),
    isPlaying: (data.is_playing ?? song.is_playing) !== false,
    isTest: data.is_test === true,
    at: now(lumio) - (meta?.age_ms ?? 0),
  };
}

function songOf(track, config) {
  const shown = element('div', 'song-panel panel');
  if (track.isTest) shown.dataset.test = 'true';
  if (config.show_cover !== false) {
    const art = shown.appendChild(element('span', 'cover'));
    art.append(drawing('icon', NOTE));
    if (track.cover !== null) {
      const cover = picture('front', track.cover);
      cover.onerror = () => cover.remove();
      art.append(cover);
    }
  }
  const words = shown.appendChild(element('div', 'words'));
  const { title, artist, album } = track;
  words.append(lineOf('song', fill(config.template ?? '{title}', { title, artist, album })));
  if (config.show_album && album) words.append(lineOf('album', album));
  if (config.show_progress !== false && track.duration > 0) {
    const bar = words.appendChild(element('div', 'bar'));
    bar.append(element('div', 'done'));
    if (config.show_times) words.append(element('p', 'times'));
  }
  return shown;
}

/** A line whose text may be longer than its place. */
function lineOf(className, text) {
  const line = element('p', className);
  line.append(element('span', 'inner', text));
  return line;
}

/** Lets a line run that is longer than its place. Called after layout, so that nothing is laid out for it. */
function run(entries) {
  for (const { target } of entries) {
    const over = target.firstElementChild.offsetWidth - target.clientWidth;
    target.classList.toggle('runs', over > 1);
    target.style.setProperty('--over', `${-Math.max(0, over)}px`);
    target.style.setProperty('--run', `${Math.max(6, Math.round(over / 20))}s`);
  }
}
