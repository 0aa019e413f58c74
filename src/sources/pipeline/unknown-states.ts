import { shellWord } from '../../lib/text/shell-word.ts';
import type { Advice } from '../source.ts';
import type { UnknownState } from '../source-user.ts';
import { ruledColumns } from './account.ts';
import { listCounts } from './list-counts.ts';
import type { Plan } from './plan.ts';

/** Maximum number of words to count, because a file may have any number of them. */
const MAX_WORDS = 1000;
const OTHERS = 'others';

export function countUnknownState(counts: Map<string, number>, { column, word }: UnknownState): void {
  const key = JSON.stringify([column, word]);
  const kept = counts.has(key) || counts.size < MAX_WORDS ? key : JSON.stringify([column, OTHERS]);
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
}

export const unknownStateText = ({ column, word, isOfRule }: UnknownState): string =>
  isOfRule
    ? `${column} is ${word}, which the rule of --active cannot read`
    : `${column} is ${word}, and the meaning of this state is unknown: --active ${shellWord(`${column}=WORD,…`)}`;

/** Stops at states whose meaning is not known, and at values that a rule of `--active` cannot read. */
export function adviceOnStates(
  { settings }: Pick<Plan, 'settings'>,
  counts: ReadonlyMap<string, number>,
): Advice | undefined {
  if (counts.size === 0) return undefined;
  const columns = new Map<string, [word: string, count: number][]>();
  for (const [key, count] of counts) {
    const [column, word] = JSON.parse(key) as [string, string];
    columns.set(column, [...(columns.get(column) ?? []), [word, count]]);
  }
  const lines = [...columns].map(([column, words]) => `  ${column}: ${listCounts(words, 'words')}`);
  const ruled = ruledColumns(settings);
  if ([...columns.keys()].every((column) => ruled.has(column)))
    return {
      level: 'stop',
      text: [
        'The rules of --active cannot read these values, so nobody is imported:',
        ...lines,
        "Name the form of times: --date-format 'DD.MM.YYYY HH:mm', ms, s or excel (for a table of your own); or give a rule with words.",
      ].join('\n'),
      question: { code: 'STATES_UNREADABLE', flag: '--active' },
    };
  const [first = ''] = columns.keys();
  return {
    level: 'stop',
    text: [
      'The meaning of these states is unknown, so nobody is imported:',
      ...lines,
      `Say with which words users may sign in: --active ${shellWord(`${first}=WORD,WORD`)}. Those with other words are left out as disabled. Words that the system knows keep their meaning.`,
    ].join('\n'),
    question: { code: 'STATES_UNKNOWN', flag: '--active', columns: questionColumns(columns) },
  };
}

const questionColumns = (columns: ReadonlyMap<string, readonly (readonly [string, number])[]>) =>
  [...columns].map(([column, words]) => ({
    column,
    records: words.reduce((sum, [, count]) => sum + count, 0),
    values: listCounts(words, 'words'),
  }));
