// The server's clock, and the ages after which something is missed (reference/overlays.md#missed-events).

const MAX_ALERT_AGE_MS = 60_000;
const MAX_SOUND_AGE_MS = 5_000;

/** Server time minus the time of this machine. */
let clockOffset = 0;
/** Times of the frames of events, for the age of an event that a layer keeps. */
const frameTimes = new WeakMap();

function setServerTime(text) {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) clockOffset = time - Date.now();
}

/** Milliseconds of the server's clock. */
const serverTime = () => Date.now() + clockOffset;

/** True for an event that is too old for an alert. */
function isOld(event) {
  const time = frameTimes.get(event) ?? Date.parse(event?.occurred_at ?? '');
  return serverTime() - time > MAX_ALERT_AGE_MS;
}
