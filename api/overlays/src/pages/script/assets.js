// Files that settings name: addresses are signed and end, so the page keeps what is small enough.

/** Largest file that is kept, and all kept files together, in bytes. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const MAX_ALL_KEPT_BYTES = 128 * 1024 * 1024;
/** Time before the end of an address at which new ones are requested. */
const RENEW_BEFORE_MS = 60_000;
/** Longest time that a layer waits for its files. */
const ASSET_TIMEOUT_MS = 3_000;

/** Id → `{ address, kept, blob, loading }`; `kept` is an address of this page. */
const assets = new Map();
let keptBytes = 0;
let renewTimer = null;
let renewAssets = () => {};

/** Takes the signed addresses of a snapshot or change; others are no longer used. */
function takeAssets(given) {
  for (const [id, address] of Object.entries(given)) {
    const known = assets.get(id);
    if (known) known.address = reachable(address);
    else assets.set(id, { address: reachable(address), kept: null, blob: null, loading: null });
  }
  for (const id of assets.keys()) if (!Object.hasOwn(given, id)) dropAsset(id);
  for (const asset of assets.values()) asset.loading ??= keepAsset(asset);
  planRenewal();
}

function dropAsset(id) {
  const { kept, blob } = assets.get(id);
  assets.delete(id);
  if (kept === null) return;
  keptBytes -= blob.size;
  URL.revokeObjectURL(kept);
}

async function keepAsset(asset) {
  if (asset.address === null) return;
  try {
    const response = await fetch(asset.address, { credentials: 'omit', referrerPolicy: 'no-referrer' });
    // Texts are compressed and come without their length.
    if (!response.ok || !hasRoom(Number(response.headers.get('content-length') ?? 0))) {
      await response.body?.cancel();
      return;
    }
    const blob = await response.blob();
    if (!hasRoom(blob.size) || ![...assets.values()].includes(asset)) return;
    keptBytes += blob.size;
    Object.assign(asset, { blob, kept: URL.createObjectURL(blob) });
    planRenewal();
  } catch (error) {
    console.warn('a file could not be loaded', error);
  }
}

const hasRoom = (size) => size <= MAX_KEPT_BYTES && keptBytes + size <= MAX_ALL_KEPT_BYTES;

/** Requests new addresses before the present ones end, for files that are not kept. */
function planRenewal() {
  clearTimeout(renewTimer);
  renewTimer = null;
  const ends = [...assets.values()].filter((asset) => asset.kept === null).map((asset) => endOf(asset.address));
  const first = Math.min(...ends.filter(Number.isFinite));
  if (Number.isFinite(first)) {
    const delay = Math.max(first - serverTime() - RENEW_BEFORE_MS, RENEW_BEFORE_MS);
    renewTimer = setTimeout(() => renewAssets(), delay);
  }
}

function endOf(address) {
  const end = address && new URL(address).searchParams.get('exp');
  return end ? Number(end) * 1000 : Infinity;
}

/** Address of a file by its id, or null. */
function assetAddress(id) {
  const asset = assets.get(id);
  return asset ? (asset.kept ?? asset.address) : null;
}

/** Ids of files that a value names: alone in a text, in a line, or between bars. */
function assetsIn(value, found = new Set()) {
  if (typeof value === 'string') {
    for (const part of value.split(/[\n|]/)) if (assets.has(part.trim())) found.add(part.trim());
  } else if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) assetsIn(part, found);
  }
  return found;
}

/** Waits until files are kept, up to a bound. */
async function assetsReady(ids) {
  const loading = [...ids].map((id) => assets.get(id)?.loading).filter(Boolean);
  if (loading.length === 0) return;
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ASSET_TIMEOUT_MS)));
  await Promise.race([Promise.all(loading), late]);
  clearTimeout(timer);
}
