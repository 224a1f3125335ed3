// Layers of type `video`: `{ video, loop, muted, volume, fit }`, where `video` is an upload or an address.

const VIDEO_RETRY_MS = 30_000;

function mountVideo(layer) {
  const { config } = layer.given;
  const video = document.createElement('video');
  const source = () => assetAddress(String(config.video ?? '').trim()) ?? addressOf(config.video);
  if (source() === null) return;
  video.autoplay = true;
  video.playsInline = true;
  video.loop = config.loop !== false;
  video.muted = config.muted !== false;
  video.volume = isFraction(config.volume) ? config.volume : 1;
  video.style.objectFit = ['cover', 'fill'].includes(config.fit) ? config.fit : 'contain';
  // A signed address ends; the page has a new one by then.
  let retry = null;
  video.onerror = () => {
    retry ??= setTimeout(() => {
      retry = null;
      video.src = source() ?? '';
    }, VIDEO_RETRY_MS);
  };
  video.src = source();
  layer.element.append(video);
  layer.ends.push(() => {
    clearTimeout(retry);
    video.onerror = null;
    video.removeAttribute('src');
    video.load();
  });
}

/** An address of the web, or null. */
function addressOf(text) {
  return typeof text === 'string' && /^https?:\/\//.test(text.trim()) ? text.trim() : null;
}
