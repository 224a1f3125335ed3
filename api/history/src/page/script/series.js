// Points of the charts: one for each minute with a sample, as in the PDF.

/** Points of a chart at most; beyond it each stands for twice as many minutes as before. */
const MAX_POINTS = 1440;
const MINUTE_MS = 60_000;

class Series {
  constructor(startedAt, samples) {
    this.start = Math.floor(Date.parse(startedAt) / MINUTE_MS) * MINUTE_MS;
    this.minutes = 1;
    this.platforms = new Map();
    const last = samples.reduce((latest, sample) => Math.max(latest, this.minuteOf(sample)), 0);
    while (last / this.minutes >= MAX_POINTS) this.minutes *= 2;
    this.length = samples.length === 0 ? 0 : Math.floor(last / this.minutes) + 1;
    for (const sample of samples) this.add(sample);
  }

  minuteOf(sample) {
    return Math.max(0, Math.floor((Date.parse(sample.at) - this.start) / MINUTE_MS));
  }

  add(sample) {
    if (!this.platforms.has(sample.platform)) this.platforms.set(sample.platform, new Array(this.length).fill(null));
    const points = this.platforms.get(sample.platform);
    const at = Math.floor(this.minuteOf(sample) / this.minutes);
    points[at] ??= { viewers: 0, seen: 0, messages: 0, minutes: 0 };
    points[at].viewers += sample.viewer_count ?? 0;
    points[at].seen += sample.viewer_count === null ? 0 : 1;
    points[at].messages += sample.message_count;
    points[at].minutes += 1;
  }

  /** Curves of average viewers, that of all platforms first where there are several. */
  viewers() {
    const average = (point) => (point === null || point.seen === 0 ? null : point.viewers / point.seen);
    const names = [...this.platforms.keys()].sort();
    const each = names
      .map((platform) => ({
        name: platformName(platform),
        kind: platformClass(platform),
        values: this.platforms.get(platform).map(average),
      }))
      .filter(({ values }) => values.some((value) => value !== null));
    if (each.length < 2) return each;
    return [{ name: 'All platforms', kind: 'all', values: this.summed(average) }, ...each];
  }

  /** Curve of the messages a minute of all platforms. */
  messages() {
    const values = this.summed((point) => (point === null ? null : point.messages / point.minutes));
    return this.length === 0 ? [] : [{ name: 'Messages per minute', kind: 'messages', values }];
  }

  summed(value) {
    const sums = new Array(this.length).fill(null);
    for (const points of this.platforms.values()) {
      points.forEach((point, at) => {
        const known = value(point);
        if (known !== null) sums[at] = (sums[at] ?? 0) + known;
      });
    }
    return sums;
  }

  /** Milliseconds of a place on the axis. */
  time(place) {
    return this.start + place * this.minutes * MINUTE_MS;
  }

  place(at) {
    return (Date.parse(at) - this.start) / MINUTE_MS / this.minutes;
  }
}
