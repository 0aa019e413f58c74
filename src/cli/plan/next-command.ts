import { shellWord } from '../../lib/text/shell-word.ts';
import type { Advice } from '../../sources/source.ts';
import type { CommandContext } from '../command.ts';
import { flagOf, SOURCE_FLAGS } from '../options/flags.ts';
import { printable } from '../terminal/text.ts';

/** Flags that the next command repeats. */
const REPEATED = new Set<string>([...SOURCE_FLAGS, 'url', 'api-key-file'].filter((name) => name !== 'save'));

/** Settings that hold keys of the old system. */
const SECRET = /^(signerKey)=.+/s;

const withoutSecret = (value: string) => value.replace(SECRET, '$1=…');

/**
 * Returns the command that imports the files with the options given so far. Open questions are placeholders: who may sign
 * in, and what has no use, is for the operator to say.
 */
export function nextCommand(
  { words, flags }: Pick<CommandContext, 'words' | 'flags'>,
  advice: readonly Advice[],
): string {
  const given = flags.names
    .filter((name) => REPEATED.has(name))
    .flatMap((name) => {
      const values = flagOf(name).value === undefined ? [undefined] : flags.list(name);
      return values.map((value) =>
        value === undefined ? `--${name}` : `--${name} ${shellWord(printable(withoutSecret(value)))}`,
      );
    });
  const open = advice.flatMap(({ question }) => (question === undefined ? [] : `${question.flag} …`));
  // A name that begins with a dash would be a flag.
  const files = words.map((word) =>
    shellWord(printable(word.startsWith('-') && word !== '-' ? `./${word}` : word)),
  );
  return ['user-import import', ...files, ...new Set([...given, ...open])].join(' ');
}
