import { CONTROL_CHARACTERS } from './characters.ts';

/** Words that mean the same in every shell without quotes. zsh expands a word that begins with `=`. */
const PLAIN = /^(?!=)[\w@%+=:,./…-]+$/;

/**
 * Returns a text as one word of a shell, for commands that people paste. Control characters would act on the terminal, so
 * they are written as `$'\x1b'`, which bash, zsh and ksh read.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(CONTROL_CHARACTERS, (char) => (char === '\n' ? char : bytesOf(char)));
  const hasControls = text.replace(CONTROL_CHARACTERS, (char) => (char === '\n' ? char : '')) !== text;
  return hasControls ? `$'${escaped}'` : `'${text.replaceAll("'", `'\\''`)}'`;
}

const bytesOf = (char: string) =>
  [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
