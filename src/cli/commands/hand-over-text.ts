import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Paint } from '../terminal/colours.ts';
import { columns, count, wordOf } from '../terminal/text.ts';

const STATES: readonly [state: string, meaning: string][] = [
  ['waiting', 'wait for their first sign-in'],
  ['moved', 'are in the core with their password, or have none'],
  ['changed', 'have got another password in the core'],
  ['refused', 'were refused by the core'],
  ['sending', 'are on the way'],
];

export const loginsOf = ({ logins }: JsonObject): JsonObject => (isJsonObject(logins) ? logins : {});

/** @param isShort leaves out the tables of hash families and of days */
export function handOverText(handOver: JsonObject, paint: Paint, isShort = false): string {
  const logins = loginsOf(handOver);
  const rows = (value: unknown) => (Array.isArray(value) ? value : []).filter(isJsonObject);
  const families = rows(handOver.byAlgorithm).map((row) => [
    wordOf(row.algorithm),
    ...STATES.slice(0, 4).map(([state]) => count(Number(row[state]))),
  ]);
  const days = rows(handOver.movedByDay).map(({ day, logins: moved }) => [wordOf(day), count(Number(moved))]);
  return [
    `${paint.bold(`Hand-over ${wordOf(handOver.handOverId)}`)}: ${wordOf(handOver.status).toLowerCase()}`,
    ...(typeof handOver.problem === 'string' ? [`  It stands still: ${wordOf(handOver.problem)}`] : []),
    ...columns(
      STATES.filter(([state]) => Number(logins[state]) > 0).map(([state, meaning]) => [
        count(Number(logins[state])),
        `logins ${meaning}`,
      ]),
    ),
    ...(isShort || families.length === 0
      ? []
      : ['', ...columns([['hash', 'waiting', 'moved', 'changed', 'refused'], ...families])]),
    ...(isShort || days.length === 0 ? [] : ['', paint.bold('Moved'), ...columns(days)]),
    '',
    wordOf(handOver.advice),
    '',
  ].join('\n');
}
