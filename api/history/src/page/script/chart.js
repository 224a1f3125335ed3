// Charts as drawings, with a reading of the point under the pointer or the cursor keys.

const NARROW = matchMedia('(max-width: 40rem)');
const CHART = { height: 260, left: 58, right: 12, top: 10, bottom: 26 };
/** Unit of the drawing is about a pixel, so that its texts have the size of others. */
const chartWidth = () => (NARROW.matches ? 400 : 900);
/** Room for the number of a marker. */
const MARKER_ROOM = 16;
const MAX_MARKERS = 400;

/** Distance of two numbers on the axis: 1, 2 or 5 times a power of ten, at least 1. */
function stepOf(largest) {
  const rough = Math.max(1, largest / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10);
}

class Chart {
  constructor(title, series, curves, markers = []) {
    Object.assign(this, { title, series, curves, markers, at: null, width: chartWidth() });
    const largest = curves.flatMap(({ values }) => values).reduce((most, value) => Math.max(most, value ?? 0), 0);
    this.step = stepOf(largest);
    this.top = Math.max(1, Math.ceil(largest / this.step)) * this.step;
    this.last = Math.max(1, series.length - 1);
  }

  x(place) {
    const width = this.width - CHART.left - CHART.right;
    return CHART.left + (Math.min(Math.max(place, 0), this.last) / this.last) * width;
  }

  y(value) {
    const height = CHART.height - CHART.top - CHART.bottom;
    return CHART.height - CHART.bottom - (value / this.top) * height;
  }

  /** The chart with its heading, legend and reading. */
  element() {
    const section = element('section', {}, [element('h2', { textContent: this.title })]);
    if (this.curves.length === 0) {
      section.append(element('p', { className: 'note', textContent: 'No samples' }));
      return section;
    }
    this.readout = element('p', { className: 'readout' });
    this.readout.setAttribute('aria-live', 'polite');
    section.append(this.legend(), element('figure', {}, [this.drawing()]), this.readout);
    return section;
  }

  legend() {
    const entries = this.curves.map(({ name, kind }) => element('li', { className: kind }, [element('i'), name]));
    if (this.series.minutes > 1) {
      const note = `each point is the average of ${this.series.minutes} minutes`;
      entries.push(element('li', { className: 'note', textContent: note }));
    }
    return element('ul', { className: 'legend' }, entries);
  }

  drawing() {
    const svg = shape('svg', { viewBox: `0 0 ${this.width} ${CHART.height}`, role: 'img', tabindex: 0 });
    svg.setAttribute('aria-label', `${this.title}: ${this.summary()} Use the arrow keys to read single points.`);
    svg.append(...this.grid(), ...this.times());
    this.curves.forEach((curve, at) => svg.append(...this.curve(curve, at === 0 && curve.kind === 'messages')));
    svg.append(...this.moments());
    this.cursor = shape('line', { class: 'cursor', y1: CHART.top, y2: CHART.height - CHART.bottom, visibility: 'hidden' });
    svg.append(this.cursor);
    svg.addEventListener('pointermove', (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * this.width;
      const width = this.width - CHART.left - CHART.right;
      this.read(Math.round(((x - CHART.left) / width) * this.last));
    });
    svg.addEventListener('pointerleave', () => this.read(null));
    svg.addEventListener('blur', () => this.read(null));
    svg.addEventListener('keydown', (event) => this.key(event));
    return svg;
  }

  /** One sentence for readers who do not see the drawing. */
  summary() {
    const highest = this.curves.map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      return `${name} up to ${number(Math.round(Math.max(...known)))}`;
    });
    return `${highest.join(', ')}.`;
  }

  grid() {
    const parts = [];
    for (let value = 0; value <= this.top; value += this.step) {
      const y = this.y(value);
      parts.push(shape('line', { class: 'grid', x1: CHART.left, x2: this.width - CHART.right, y1: y, y2: y }));
      parts.push(shape('text', { x: CHART.left - 8, y: y + 4, 'text-anchor': 'end' }, number(value)));
    }
    return parts;
  }

  times() {
    const last = this.series.length - 1;
    const isLong = last * this.series.minutes > 24 * 60;
    const count = Math.min(NARROW.matches ? 3 : 6, last + 1);
    return Array.from({ length: count }, (_, at) => {
      const place = count === 1 ? 0 : (last * at) / (count - 1);
      const anchor = at === 0 ? 'start' : at === count - 1 ? 'end' : 'middle';
      const text = moment(this.series.time(place)).slice(isLong ? 5 : 11);
      return shape('text', { x: this.x(place), y: CHART.height - 8, 'text-anchor': anchor }, text);
    });
  }

  /** One point for each known value; a gap stays a gap. */
  curve({ kind, values }, isTinted) {
    const parts = [];
    values.forEach((value, at) => {
      if (value === null) return;
      const point = [this.x(at).toFixed(1), this.y(value).toFixed(1)];
      if (at > 0 && values[at - 1] !== null) parts.at(-1).push(point);
      else parts.push([point]);
    });
    const path = (part) => `M${part.map((point) => point.join(' ')).join('L')}`;
    const lines = parts.filter((part) => part.length > 1);
    const drawn = [shape('path', { class: `curve ${kind}`, d: lines.map(path).join('') })];
    if (isTinted) {
      const bottom = CHART.height - CHART.bottom;
      const below = (part) => `${path(part)}L${part.at(-1)[0]} ${bottom}L${part[0][0]} ${bottom}Z`;
      drawn.unshift(shape('path', { class: `tint ${kind}`, d: lines.map(below).join('') }));
    }
    const alone = parts.filter((part) => part.length === 1);
    return [...drawn, ...alone.map(([[cx, cy]]) => shape('circle', { class: `dot ${kind}`, cx, cy, r: 2 }))];
  }

  /** Moments as dashed lines with the numbers of their table. */
  moments() {
    const parts = [];
    let free = 0;
    this.markers.slice(0, MAX_MARKERS).forEach((marker, at) => {
      const x = this.x(this.series.place(marker.at));
      parts.push(shape('line', { class: 'marker', x1: x, x2: x, y1: CHART.top, y2: CHART.height - CHART.bottom }));
      if (x < free) return;
      free = x + MARKER_ROOM;
      parts.push(shape('text', { class: 'number', x: x + 3, y: CHART.top + 9 }, String(at + 1)));
    });
    return parts;
  }

  key(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -30, PageDown: 30, Home: -Infinity, End: Infinity };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.read((this.at ?? (move > 0 ? -1 : this.series.length)) + move);
  }

  /** Shows the values of a point; null shows none. */
  read(at) {
    this.at = at === null ? null : Math.min(Math.max(at, 0), this.series.length - 1);
    this.cursor.setAttribute('visibility', this.at === null ? 'hidden' : 'visible');
    if (this.at === null) {
      this.readout.textContent = '';
      return;
    }
    for (const end of ['x1', 'x2']) this.cursor.setAttribute(end, this.x(this.at));
    const values = this.curves.map(({ name, values }) => {
      const value = values[this.at];
      return `${name} ${value === null ? '–' : number(Math.round(value))}`;
    });
    this.readout.textContent = `${moment(this.series.time(this.at))} UTC: ${values.join(', ')}`;
  }
}
