import type { Mode, Reader } from './reader.ts';
import { type ScanTarget, scanOn, startScan } from './scan.ts';
import type { Window } from './window.ts';

/** Passes over a statement, from where the window stands. */
export function skipStatement(reader: Reader, target: ScanTarget, then: Mode): Mode {
  const scan = startScan(target);
  return (window) => {
    if (scanOn(window, reader.dialect, scan)) return then;
    // Where no sign ends a statement, the file may.
    return endsWithFile(window) && reader.dialect.hasGoLines && scan.closing === '' ? then : undefined;
  };
}

const endsWithFile = (window: Window) => window.isEnd && window.pos === window.text.length;

/** Passes over everything up to this text, and over the text. */
export function skipPast(closing: string, then: Mode): Mode {
  return (window) => {
    const found = window.text.indexOf(closing, window.pos);
    if (found !== -1) {
      window.pos = found + closing.length;
      return then;
    }
    // The file may end instead of the line.
    const isLastLine = window.isEnd && closing === '\n';
    window.pos = Math.max(window.pos, window.text.length - (isLastLine ? 0 : closing.length - 1));
    return isLastLine ? then : undefined;
  };
}
