// Address of this page. The token leaves it at once. It stays in the state of the entry of the history, so that a refresh
// keeps it.

/** Token of the link; null where the address had none. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  const token = given || (history.state?.token ?? null);
  history.replaceState(token === null ? null : { token }, '', location.pathname);
  return token;
}

// Another link to the same page changes the fragment only, and loads nothing by itself.
addEventListener('hashchange', () => {
  if (!new URLSearchParams(location.hash.slice(1)).get('token')) return;
  takeToken();
  location.reload();
});
