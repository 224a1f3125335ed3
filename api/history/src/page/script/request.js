// Requests to the routes of the shared report. The password is kept in the memory of this page only.

/** Answer that is no success; `retrySeconds` is null where the server names no time. */
class Refused extends Error {
  constructor(status, retrySeconds) {
    super(`status ${status}`);
    Object.assign(this, { status, retrySeconds });
  }
}

/** Header fields hold bytes: each of the UTF-8 form of the text becomes a character. */
const headerText = (text) => String.fromCharCode(...new TextEncoder().encode(text));

/** Sends a request below the shared report. */
async function request(link, rest = '') {
  const headers = link.password === null ? {} : { 'X-Share-Password': headerText(link.password) };
  const response = await fetch(`/v1/history/shared/${encodeURIComponent(link.token)}${rest}`, {
    headers,
    cache: 'no-store',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
  });
  if (!response.ok) {
    const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
    throw new Refused(response.status, Number.isNaN(seconds) ? null : seconds);
  }
  return response;
}

/** `{ report, samples, allow_export }`. */
async function loadReport(link) {
  const response = await request(link);
  return (await response.json()).data;
}

/** Loads a file and saves it under the name that the server gives. */
async function saveExport(link, format) {
  const response = await request(link, `/export?format=${format}`);
  const file = await response.blob();
  const name = /filename="([\w.-]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? `report.${format}`;
  const address = URL.createObjectURL(file);
  const anchor = element('a', { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
