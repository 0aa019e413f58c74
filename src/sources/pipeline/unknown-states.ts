import { shellWord } from '../../lib/text/shell-word.ts';
import { NOT_SHOWN, STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import { MAX_CELL } from '../fields/shown-name.ts';
import type { Advice } from '../source.ts';
import type { UnknownState } from '../source-user.ts';
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

const MEANINGS = Object.keys(STATE_MEANINGS).join('|');

/** Exactly one of the meanings is to be left. */
const settingOf = (word: string) => {
  const name = shellWord(`${STATE_SETTING}${word}=`);
  return name.endsWith("'") ? `${name.slice(0, -1)}'${MEANINGS}` : `${name}${MEANINGS}`;
};

export const unknownStateText = ({ column, word, isOfRule }: UnknownState): string =>
  isOfRule
    ? `${column} is ${word}, which the rule of --active cannot read`
    : `${column} is ${word}, and the meaning of this state is unknown: --set ${settingOf(word)}`;

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
  const lines = [...columns].map(([column, words]) => `${column}: ${listCounts(words, 'words')}.`);
  if (settings.active !== undefined)
    return {
      level: 'stop',
      text: ['The rules of --active cannot read these values, so nobody is imported:', ...lines].join('\n'),
    };
  const [[first = '', words = []] = []] = columns;
  const hasHidden = [...columns.values()].some((found) => found.some(([word]) => word === NOT_SHOWN));
  return {
    level: 'stop',
    text: [
      'The meaning of these states is unknown, so nobody is imported:',
      ...lines,
      ...(hasHidden ? [HIDDEN_WORDS] : []),
      `Define the meaning of each word: --set ${settingOf(words[0]?.[0] ?? 'WORD')} (once for each word). If a column does not decide who may sign in: --set ${shellWord(`noState=${first}`)}.`,
    ].join('\n'),
  };
}

const HIDDEN_WORDS = `${NOT_SHOWN} stands for words that are longer than ${MAX_CELL} characters, or look like an address or a secret. Look them up in the files. --set ${STATE_SETTING}${NOT_SHOWN}=… applies to all of them, and --set with the word itself to one.`;
