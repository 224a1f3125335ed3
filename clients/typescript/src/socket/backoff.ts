/** Pauses between attempts, in milliseconds. */
export interface Backoff {
  /** Ceiling of the first pause (default 1,000). */
  base: number;
  /** Largest ceiling (default 30,000). */
  max: number;
  /** Returns a number from 0 to 1. */
  random: () => number;
}

export const DEFAULT_BACKOFF: Backoff = { base: 1000, max: 30_000, random: Math.random };

/** Pause before an attempt, counted from 0: any time up to a ceiling that doubles (full jitter). */
export function pause(backoff: Backoff, attempt: number): number {
  const ceiling = Math.min(backoff.max, backoff.base * 2 ** Math.min(attempt, 30));
  return backoff.random() * ceiling;
}
