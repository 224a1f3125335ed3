// Sounds: those of alerts, and those that members play.

/** Sounds at the same time; a further one ends the oldest. */
const MAX_SOUNDS = 16;

/** Whether and how loud the account plays alerts; layers read it at use. */
const alerts = { muted: false, volume: 1 };
const playing = new Set();

const isFraction = (value) => typeof value === 'number' && value >= 0 && value <= 1;

function setAlerts(given) {
  alerts.muted = given?.muted === true;
  alerts.volume = isFraction(given?.volume) ? given.volume : 1;
  if (alerts.muted) stopSounds();
  for (const sound of playing) sound.audio.volume = sound.volume * alerts.volume;
}

/** Plays an address at a volume of 0 to 1. Returns what stops it. */
function playSound(address, volume = 1, id = null) {
  const url = reachable(address);
  if (alerts.muted || url === null) return { stop() {} };
  if (playing.size >= MAX_SOUNDS) endSound(playing.values().next().value);
  const sound = { audio: new Audio(url), volume: isFraction(volume) ? volume : 1, id };
  sound.audio.volume = sound.volume * alerts.volume;
  const end = () => endSound(sound);
  sound.audio.onended = end;
  sound.audio.onerror = end;
  playing.add(sound);
  // A browser that lets no page play by itself stays silent; everything is drawn nevertheless.
  sound.audio.play().catch(end);
  return { stop: end };
}

function endSound(sound) {
  if (!playing.delete(sound)) return;
  sound.audio.onended = null;
  sound.audio.onerror = null;
  sound.audio.pause();
  sound.audio.removeAttribute('src');
  sound.audio.load();
}

/** Ends all sounds, or those of an id. */
function stopSounds(id = null) {
  for (const sound of [...playing]) if (id === null || sound.id === id) endSound(sound);
}

/** Handles `sound:play` and `sound:stop` of members. */
function hearSound(type, data, meta, shownId) {
  if (data.target?.id && data.target.id !== shownId) return;
  if (type === 'sound:stop') stopSounds(data.sound_id ?? null);
  else if (meta.age_ms <= MAX_SOUND_AGE_MS) playSound(data.url, data.volume ?? 1, data.sound_id);
}
