import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../../../src/postgres/client/engine.ts';
import type { Sent } from './recording-database.ts';

export const LIST = fileURLToPath(new URL('statements.sql', import.meta.url));

type EngineName = Engine['name'];

export interface Listed {
  /** File and function that send the statement. */
  place: string;
  engines: readonly EngineName[];
  text: string;
}

export const ENGINES: readonly EngineName[] = ['postgres', 'citus'];

/**
 * Lists the statements that each engine was sent, in the order of files and lines. Each text of a place is
 * listed once.
 */
export function listOf(
  sent: Partial<Record<EngineName, readonly Sent[]>>,
  isListed: (text: string) => boolean,
): Listed[] {
  const all = new Map<string, { sent: Sent; engines: EngineName[] }>();
  for (const engine of ENGINES) {
    for (const one of sent[engine]?.filter(({ text }) => isListed(text)) ?? []) {
      const { engines } = upsert(all, `${placeOf(one)}\n${plain(one.text)}`, one);
      if (!engines.includes(engine)) engines.push(engine);
    }
  }
  return [...all]
    .toSorted(([key, a], [other, b]) => {
      const byPlace = compare(a.sent.file, b.sent.file) || a.sent.line - b.sent.line;
      return byPlace || compare(key, other);
    })
    .map(([, { sent: one, engines }]) => ({ place: placeOf(one), engines, text: plain(one.text) }));
}

function upsert(all: Map<string, { sent: Sent; engines: EngineName[] }>, key: string, sent: Sent) {
  const entry = all.get(key) ?? { sent, engines: [] };
  all.set(key, entry);
  return entry;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const placeOf = ({ file, name }: Sent) => `${file.replace('postgres/', '')} ${name}`.trim();

/** Matches ids of users, which differ in each run. */
const USER_ID = /'(?!0{8})[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'/g;
const SOME_USER_ID = `'01890000-0000-7000-8000-000000000001'`;

/**
 * Removes what the layout of the source adds, and ids of users. No literal in our SQL spans several lines.
 */
const plain = (text: string) =>
  text
    .replace(USER_ID, SOME_USER_ID)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

const HEAD =
  '-- Every statement that is sent, by the file and function that send it. Renew: npx vitest run test/postgres/statements -u\n';

const nameOf = ({ place, engines }: Listed) =>
  engines.length === ENGINES.length ? place : `${place} (${engines.join()} only)`;

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

export const titleOf = (one: Listed) => `${nameOf(one)}: ${oneLine(one.text).slice(0, 80)}`;

const toText = (one: Listed) => `-- ${nameOf(one)}\n${one.text};\n`;

export const listText = (list: readonly Listed[]) => [HEAD, ...list.map(toText)].join('\n');

export function readList(): Listed[] {
  const [, ...entries] = readFileSync(LIST, 'utf8').split('\n\n');
  return entries.map((entry) => {
    const [, place, only, text] = /^-- (.*?)(?: \((\w+) only\))?\n(.+);\n?$/s.exec(entry) ?? [];
    if (place === undefined || text === undefined) throw new Error(`no statement of the list: ${entry}`);
    return { place, engines: ENGINES.filter((engine) => only === undefined || only === engine), text };
  });
}
