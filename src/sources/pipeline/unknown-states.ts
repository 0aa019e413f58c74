import { isBadRecord, type SourceRecord, type TableHead } from '../containers/table.ts';
import { hasOwnStates, ownStateReader } from '../fields/own-state.ts';
import { NOT_SHOWN, STATE_MEANINGS, STATE_SETTING } from '../fields/read-state.ts';
import { MAX_CELL } from '../fields/shown-name.ts';
import type { Advice, Form, Settings } from '../source.ts';
import type { UnknownState } from '../source-user.ts';
import { listCounts } from './list-counts.ts';
import type { Plan, TableUse } from './plan.ts';
import { readTables, type UserTable } from './read-tables.ts';
import { isWantedRealm, realmReader } from './realms.ts';

/** Maximum number of words to count, because a file may have any number of them. */
const MAX_WORDS = 1000;
const OTHERS = 'others';

export function countUnknownState(counts: Map<string, number>, { column, word }: UnknownState): void {
  const key = JSON.stringify([column, word]);
  const kept = counts.has(key) || counts.size < MAX_WORDS ? key : JSON.stringify([column, OTHERS]);
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
}

const MEANINGS = Object.keys(STATE_MEANINGS).join('|');

export const unknownStateText = ({ column, word }: UnknownState): string =>
  `${column} is ${word}, and the meaning of this state is unknown: --set ${STATE_SETTING}${word}=${MEANINGS}`;

export function adviceOnStates(counts: ReadonlyMap<string, number>): Advice | undefined {
  if (counts.size === 0) return undefined;
  const columns = new Map<string, [word: string, count: number][]>();
  for (const [key, count] of counts) {
    const [column, word] = JSON.parse(key) as [string, string];
    columns.set(column, [...(columns.get(column) ?? []), [word, count]]);
  }
  const lines = [...columns].map(([column, words]) => `${column}: ${listCounts(words, 'words')}.`);
  const [[first = '', words = []] = []] = columns;
  const hasHidden = [...columns.values()].some((found) => found.some(([word]) => word === NOT_SHOWN));
  return {
    level: 'stop',
    text: [
      'The meaning of these states is unknown, so nobody is imported:',
      ...lines,
      ...(hasHidden ? [HIDDEN_WORDS] : []),
      `Define the meaning of each word: --set ${STATE_SETTING}${words[0]?.[0] ?? 'WORD'}=${MEANINGS} (once for each word). If a column does not decide who may sign in: --set noState=${first}.`,
    ].join('\n'),
  };
}

const HIDDEN_WORDS = `${NOT_SHOWN} stands for words that are longer than ${MAX_CELL} characters, or look like an address or a secret. Look them up in the files. --set ${STATE_SETTING}${NOT_SHOWN}=… applies to all of them, and --set with the word itself to one.`;

/** Makes a counter of records with an unknown state, if the table has columns for states. */
export function unknownStateCounter(
  form: Form,
  table: TableHead,
  { settings, nowMs, counts }: { settings: Settings; nowMs: number; counts: Map<string, number> },
): ((record: SourceRecord) => void) | undefined {
  const read =
    form.stateReader?.({ table, settings, nowMs }) ??
    (hasOwnStates(form, table, settings)
      ? ownStateReader(table, form.ownStates ?? [], { settings, nowMs })
      : undefined);
  if (read === undefined) return undefined;
  const realmOf = realmReader(form, { table, details: noDetails });
  return (record) => {
    if (!isWantedRealm(realmOf?.(record), settings)) return;
    const state = read(record);
    if (typeof state === 'object') countUnknownState(counts, state);
  };
}

/** Counts unknown states in a separate pass. Skips files without columns for states. */
export async function findUnknownStates(
  plan: Plan,
  { nowMs, signal }: { nowMs: number; signal?: AbortSignal | undefined },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const { settings } = plan;
  const counters = new Map<TableUse, (record: SourceRecord) => void>();
  for (const [index, { tables }] of plan.surveys.entries())
    for (const table of tables) {
      const use = plan.uses[index]?.get(table.name);
      const counter =
        use?.as === 'users' ? unknownStateCounter(use.form, table, { settings, nowMs, counts }) : undefined;
      if (use !== undefined && counter !== undefined) counters.set(use, counter);
    }
  for await (const { use, batch } of readTables<UserTable>(plan, (one) => counters.has(one), signal))
    for (const record of batch.records) if (!isBadRecord(record)) counters.get(use)?.(record);
  return counts;
}

/** Details are not read while states are counted. No form with states needs them to find a realm. */
const noDetails = (): never => {
  throw new Error('the details of users are not known here');
};
