const NUMBER = new Intl.NumberFormat('en');
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });
const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export const numberText = (/** @type {number} */ number) => NUMBER.format(number);

/** Rounds down, so that only the whole is 100%. A small share is `under 1%`, never 0%. */
export const percentText = (/** @type {number} */ part) =>
  part > 0 && part < 0.01 ? 'under 1%' : PERCENT.format(Math.floor(part * 100) / 100);

export const timeText = (/** @type {number} */ ms) => TIME.format(ms);

/** @param {number} count @param {string} one @param {string} [more] */
export const countText = (count, one, more = `${one}s`) =>
  `${NUMBER.format(count)} ${count === 1 ? one : more}`;

/** Returns `850 ms`, `12 s`, `3 min 5 s` or `2 h 10 min`. @param {number} ms */
export function durationText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
