import type { Advice } from '../../sources/source.ts';
import type { CommandContext } from '../command.ts';
import { flagOf, SERVICE_FLAGS, SOURCE_FLAGS } from '../options/flags.ts';
import { isSaved } from '../options/mapping-file.ts';
import { fileArgument, flagArguments } from '../terminal/wrap.ts';
import { questionsIn } from './inspection-text.ts';

/** Flags that the next command repeats. */
const REPEATED = new Set<string>([...SOURCE_FLAGS, ...SERVICE_FLAGS]);

/** Settings that hold keys of the old system. */
const SECRET = /^(signerKey)=.+/s;

interface NextOptions {
  command?: 'import' | 'prove';
  /**
   * Advice with questions. For each, the command gets a flag with the placeholder `…`, because only the operator knows
   * the answer.
   */
  advice?: readonly Advice[];
  isRepeated?: (name: string) => boolean;
}

/**
 * Returns the arguments of a command that reads the same files with the same answers. If --save has written answers to
 * a file, --mapping with that file replaces them.
 */
export function nextCommand(
  { words, flags }: Pick<CommandContext, 'words' | 'flags'>,
  { command = 'import', advice = [], isRepeated = (name) => REPEATED.has(name) }: NextOptions = {},
): string[] {
  const saved = flags.text('save');
  const questions = questionsIn(advice).flatMap(({ question }) => question?.flag.split(', ') ?? []);
  const open = new Set(questions);
  const given = flags.typed.names.filter((name) => {
    // If the question asks for another query, the given query does not answer it.
    if (!isRepeated(name) || name === 'save' || (name === 'query' && open.has('--query'))) return false;
    return saved === undefined || !(name === 'mapping' || isSaved(name));
  });
  return [
    ...['user-import', command, ...words.map(fileArgument)],
    ...(saved === undefined ? [] : flagArguments('mapping', saved)),
    ...given.flatMap((name) =>
      flagOf(name).value === undefined
        ? [`--${name}`]
        : flags.typed.list(name).flatMap((value) => flagArguments(name, value.replace(SECRET, '$1=…'))),
    ),
    ...[...open].flatMap((flag) => {
      const [name = '', start = ''] = flag.split(' ');
      return [name, `${start}…`];
    }),
  ];
}
