import { shellWord } from '../../lib/text/shell-word.ts';
import type { TableHead } from '../containers/table.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { shownName } from '../fields/shown-name.ts';
import { flagOf, textOf } from '../fields/values.ts';
import type { Advice, Settings } from '../source.ts';
import { lacksColumn } from './column.ts';
import { planColumns } from './column-plan.ts';
import { identityColumnsOf } from './identity-columns.ts';
import { keptColumns } from './keep-columns.ts';
import { readMapping } from './read-mapping.ts';

const MAX_SHOWN = 50;

function shownColumns({ columns }: TableHead): string {
  const names = [...columns].slice(0, MAX_SHOWN).map(shownName).join(', ');
  return columns.size > MAX_SHOWN ? `${names}, …` : names;
}

/** Escapes a column name for `--map`, so that the operator can paste it. */
const escaped = (name: string) => name.replace(/[\\,="]/g, '\\$&');

/** Users whose hash is in a second column would be left out as users without a password. */
function unusedHashes(table: TableHead, { ignore }: Settings, taken: ReadonlySet<string>): Advice[] {
  const named = new Set([...taken, ...keptColumns({ keep: ignore ?? '' }).values()]);
  const unused = [...table.columns].filter(
    (name) => !named.has(name) && table.first.some((record) => looksLikeHash(textOf(record[name]) ?? '')),
  );
  if (unused.length === 0) return [];
  const names = unused.map(shownName).join(', ');
  return [
    {
      level: 'stop',
      text: [
        `Columns that hold hashes are not used: ${names}. Users who have no other hash would be left out.`,
        `If a user has one of several columns, or a salt in another one: --query 'select …, coalesce(COLUMN, COLUMN) as hash from …', with --hash. Otherwise name the column of hashes: --map hash=COLUMN; and those that are none: --ignore ${shellWord(names)}`,
      ].join('\n'),
      question: { code: 'HASHES_UNUSED', flag: '--map hash=' },
    },
  ];
}

/** Advice about the columns of an unknown system, from the tables that users are read from. */
export function genericAdvice(tables: readonly TableHead[], settings: Settings): readonly Advice[] {
  const mapping = readMapping(settings);
  if ('problem' in mapping) return [{ level: 'stop', text: mapping.problem }];
  const advice: Advice[] = [];
  for (const table of tables) {
    const { fields, template, identities, active, used } = planColumns(table, mapping);
    const told = [...fields.values(), ...identities.map((one) => one.column), ...active, ...template];
    const taken = new Set([...used, ...told.map(({ column }) => column)]);
    const missing = [...new Set(told.filter((one) => lacksColumn(table, one)).map(({ column }) => column))];
    if (missing.length > 0)
      advice.push({
        level: 'stop',
        text: `--map, --hash or --active names columns that are not there: ${missing.join(', ')}. The table has ${shownColumns(table)}.`,
      });
    if (!fields.has('hash') && template.length === 0 && identities.length === 0)
      advice.push({
        level: 'warn',
        text: `No column of hashes was found: everybody would need a new password. Name it: --map hash=COLUMN, or join the table that has it: --query 'select …'. The table has ${shownColumns(table)}.`,
      });
    advice.push(...unusedHashes(table, settings, taken));
    const social = identityColumnsOf(table).filter(
      ({ column }) => !taken.has(column) && !taken.has(column.replace(/\.id$/, '')),
    );
    if (social.length > 0) {
      const pairs = social.map(({ provider, column }) => `identity.${provider}=${escaped(column)}`).join(',');
      advice.push({
        level: 'warn',
        text: `Columns that may hold the ids of accounts at providers are not used as logins: ${social.map(({ column }) => column).join(', ')}. If they do, add ${shellWord(pairs)} to --map.`,
      });
    }
  }
  if (flagOf(settings.plainTextPasswords) === true)
    advice.push({
      level: 'warn',
      text: 'Values in the column of hashes that are not hashes are read as plain-text passwords (plainTextPasswords).',
    });
  return advice;
}
