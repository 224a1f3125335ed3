// The report: heading, exports, figures, charts and tables.

const FORMATS = { csv: 'CSV', txt: 'Text', json: 'JSON', pdf: 'PDF' };
const MARKERS = {
  title_change: 'New title',
  category_change: 'New category',
  raid: 'Raid',
  hype_train: 'Hype train',
  clip: 'Clip',
  ad_break: 'Ad break',
};

/** Fills the article with a report. */
function showReport(article, { report, samples, allow_export: allowsExport }, link) {
  const series = new Series(report.started_at, samples);
  const title = report.title?.trim() || `Stream of ${report.started_at.slice(0, 10)}`;
  document.title = `${visible(title)} – stream report`;
  article.replaceChildren(
    heading(report, title),
    ...(allowsExport ? [exports(link)] : []),
    figures(report),
    new Chart('Viewers', series, series.viewers(), report.chart_markers).element(),
    new Chart('Messages by minute', series, series.messages()).element(),
    ...tables(report),
  );
}

function heading(report, title) {
  const span = report.ended_at === null ? `from ${moment(report.started_at)}` : `${moment(report.started_at)} to ${moment(report.ended_at)}`;
  const parts = [`${span} UTC`, ...(report.duration_secs === null ? [] : [duration(report.duration_secs)])];
  parts.push(report.platforms.map(platformName).join(', '), ...(report.category ? [report.category] : []));
  return element('header', {}, [
    element('p', { className: 'kind', textContent: report.is_live ? 'Live stream report' : 'Stream report' }),
    personal('h1', title),
    personal('p', parts.join(' · '), { className: 'subtitle' }),
  ]);
}

/** Buttons that save the report as a file. */
function exports(link) {
  const status = element('p', { className: 'note' });
  status.setAttribute('role', 'status');
  const buttons = Object.entries(FORMATS).map(([format, name]) => {
    const button = element('button', { type: 'button', textContent: `Save as ${name}` });
    button.dataset.format = format;
    button.addEventListener('click', () => save(link, format, button, status));
    return button;
  });
  return element('div', { className: 'exports' }, [...buttons, status]);
}

async function save(link, format, button, status) {
  button.disabled = true;
  status.textContent = 'The file is being made.';
  try {
    await saveExport(link, format);
    status.textContent = 'The file is saved.';
  } catch (error) {
    status.textContent = exportError(error);
  }
  button.disabled = false;
  button.focus();
}

function exportError(error) {
  if (error instanceof Refused && error.status === 429) return `Too many requests. ${retryText(error)}`;
  if (error instanceof Refused && error.status === 409) return 'The stream is live. Its files can be saved after its end.';
  if (error instanceof Refused && [401, 403].includes(error.status)) return 'This link no longer allows it.';
  return 'The file could not be made. Try again.';
}

function figures(report) {
  const values = {
    'Peak viewers': number(report.peak_viewers),
    'Average viewers': decimal(report.avg_viewers),
    Messages: number(report.total_messages),
    Chatters: number(report.unique_chatters),
    'New followers': number(report.new_followers),
    'New subscribers': number(report.new_subscribers),
    'Peak messages per minute': number(report.messages_per_minute_peak),
    Duration: duration(report.duration_secs),
  };
  const cards = Object.entries(values).map(([name, value]) =>
    element('div', {}, [element('dt', { textContent: name }), element('dd', { textContent: value })]));
  return element('dl', { className: 'figures' }, cards);
}

/** Column `[head, kind]`; kinds are `amount`, `time` and nothing for texts. */
function table(title, columns, rows) {
  if (rows.length === 0) return [];
  const head = element('tr', {}, columns.map(([name, kind]) => element('th', { textContent: name, scope: 'col', className: kind ?? '' })));
  const body = rows.map((cells) =>
    element('tr', {}, cells.map((cell, at) => personal('td', cell, { className: columns[at][1] ?? '' }))));
  const made = element('table', {}, [element('thead', {}, [head]), element('tbody', {}, body)]);
  const id = `table-${title.toLowerCase().replaceAll(' ', '-')}`;
  const wide = element('div', { className: 'wide', tabIndex: 0 }, [made]);
  wide.setAttribute('role', 'region');
  wide.setAttribute('aria-labelledby', id);
  return [element('section', {}, [element('h2', { textContent: title, id }), wide])];
}

function tables(report) {
  const numbered = (rows) => rows.map((cells, at) => [at + 1, ...cells]);
  const rank = ['#', 'amount'];
  return [
    table(
      'Streams',
      [['Platform'], ['Start', 'time'], ['End', 'time'], ['Peak', 'amount'], ['Average', 'amount'], ['Title'], ['Category']],
      report.streams.map((stream) => [
        platformName(stream.platform),
        moment(stream.started_at),
        moment(stream.ended_at),
        number(stream.peak_viewers),
        decimal(stream.avg_viewers),
        stream.title,
        stream.category,
      ]),
    ),
    table('Events', [['Event'], ['Sum', 'amount']], eventSums(report)),
    table(
      'Top chatters',
      [rank, ['Messages', 'amount'], ['Platform'], ['Name'], ['Login']],
      numbered(report.top_chatters.map((chatter) => [
        number(chatter.message_count),
        platformName(chatter.platform),
        chatter.display_name,
        chatter.username,
      ])),
    ),
    table(
      'Top emotes',
      [rank, ['Uses', 'amount'], ['Provider'], ['Emote']],
      numbered(report.top_emotes.map((emote) => [number(emote.count), emote.provider, emote.name])),
    ),
    table(
      'Top GIFs',
      [rank, ['Uses', 'amount'], ['Provider'], ['Description'], ['Address']],
      numbered(report.top_gifs.map((gif) => [number(gif.count), gif.provider, gif.alt, gif.url])),
    ),
    table(
      'Moments',
      [rank, ['Time', 'time'], ['Moment'], ['Text']],
      numbered(report.chart_markers.map((marker) => [moment(marker.at), MARKERS[marker.type] ?? marker.type, marker.label])),
    ),
    table(
      'Categories',
      [['Start', 'time'], ['Length', 'amount'], ['Category']],
      report.categories.map((span) => [moment(span.started_at), duration(span.duration_secs), span.name]),
    ),
    table(
      'Music',
      [['Time', 'time'], ['Artist'], ['Title']],
      report.music.map((song) => [moment(song.played_at), song.artist, song.title]),
    ),
    table('Events by type', [['Type'], ['Number', 'amount']], Object.entries(report.events_by_type).map(([type, count]) => [type, number(count)])),
  ].flat();
}

/** Sums that are not zero. */
function eventSums({ totals, moderation }) {
  const sums = {
    Follows: totals.follows,
    Subscriptions: totals.subs,
    'Gifted subscriptions': totals.gift_subs,
    'Renewed subscriptions': totals.resubs,
    Bits: totals.cheers_bits,
    'Super Chats': totals.superchats,
    Redemptions: totals.redemptions,
    Raids: totals.raids_in,
    'Viewers of raids': totals.raid_viewers,
    Bans: moderation.bans,
    Timeouts: moderation.timeouts,
    'Deleted messages': moderation.deletions,
  };
  const counts = Object.entries(sums).filter(([, sum]) => sum !== 0);
  const tips = totals.tips.map((tip) => [`Tips in ${tip.currency}`, tip.amount]);
  return [...counts.map(([name, sum]) => [name, number(sum)]), ...tips];
}
