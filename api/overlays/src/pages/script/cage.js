// The documents of a frame. Both inherit the policy of this page and add two that hold for them together: code runs only
// when the own script of the frame has loaded it (a grandchild could have what that script took away), and nothing is
// loaded but files of the API, of the bundle and of the frame itself. The outer frame has no code: its policy lets the
// inner one navigate nowhere.

function cageDocument({ type, script }) {
  const origins = new Set([location.origin, BUNDLE_ORIGIN]);
  if (script) origins.add(new URL(reachable(script)).origin);
  const bundles = [...origins].map((origin) => `${origin}/v1/extension-bundles/`).join(' ');
  const media = `data: blob: ${bundles} ${location.origin}/v1/media/`;
  const policies = [
    `script-src '${FRAME_HASH}' 'strict-dynamic'`,
    [
      `default-src 'none'; script-src 'unsafe-inline' blob: ${type === 'custom_html' ? '' : bundles}`,
      `style-src 'unsafe-inline' ${bundles}; img-src ${media}; media-src ${media}; font-src data: ${bundles}`,
      `connect-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'`,
    ].join('; '),
  ];
  const head = `<!doctype html><meta charset="utf-8">${policies.map(policyTag).join('')}
<meta name="referrer" content="no-referrer"><meta http-equiv="x-dns-prefetch-control" content="off">
<style>html, body, iframe, #root { display: block; width: 100%; height: 100%; margin: 0; border: 0; overflow: hidden;
background: transparent; }</style>`;
  const inner = `${head}<body><div id="root"></div><script>${FRAME_SCRIPT}<\/script>`;
  return `${head}<body><iframe sandbox="allow-scripts" referrerpolicy="no-referrer" srcdoc="${escaped(inner)}"></iframe>`;
}

const policyTag = (policy) => `<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
