// Address of this page: what it shows, and the token. The token leaves the address at once. It stays in the state of the
// entry of the history, so that "Refresh" of a browser source keeps it, and is sent in the address of the socket only.

const PLACE = /\/v1\/(overlay|widget)s\/([^/]+)\/page$/;

/** `{ kind, id, token }` of the page; the token is null where the address had none. */
function readAddress() {
  const [, kind, id] = PLACE.exec(location.pathname) ?? [];
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  const token = given || (history.state?.token ?? null);
  keepToken(token);
  return { kind, id, token };
}

/** Removes everything behind the path from the address. */
function keepToken(token) {
  history.replaceState(token === null ? null : { token }, '', location.pathname);
}

// Another link to the same page changes the fragment only, and loads nothing by itself.
addEventListener('hashchange', () => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  keepToken(token);
  location.reload();
});

/** Origin of published bundles: that of the page, or one of its own. */
const BUNDLE_ORIGIN = document.documentElement.dataset.bundles || location.origin;

/** An address of the API as this page reaches it, which may be by another name than the public one; null for none. */
function reachable(address) {
  try {
    const url = new URL(address, location.href);
    if (url.protocol === 'blob:' || url.protocol === 'data:') return url.href;
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
    const isOwn = url.origin === location.origin || url.origin === BUNDLE_ORIGIN;
    return isOwn ? url.href : `${location.origin}${url.pathname}${url.search}`;
  } catch {
    return null;
  }
}
