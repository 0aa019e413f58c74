import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { oneLine } from './statement-list.ts';

/** Files whose statements are not in the list, with the reason. */
const APART: Record<string, string> = {
  'postgres/client/connection.ts': 'hands on what it is given',
  'postgres/client/copy-in.ts': 'sends statements that are listed where they are made',
  'postgres/client/copy-out.ts': 'hands on what it is given',
  'postgres/client/database.ts': 'hands on what it is given',
  'postgres/citus/recognise-engine.ts':
    'asks by the catalogue of Citus: test/postgres/citus/migrate/distribute.test.ts',
  'postgres/citus/migrate/distribute.ts':
    'there on Citus alone: test/postgres/citus/migrate/distribute.test.ts',
  'postgres/citus/migrate/check-cluster.ts':
    'there on Citus alone: test/postgres/citus/migrate/distribute.test.ts',
  'embedded-postgres/start-embedded-postgres.ts': 'makes the database of development',
  'cli/databases/connect-postgres.ts': 'asks databases of others',
};

/** Matches calls of methods that send SQL. Buffers have a method `copy` as well, but not in src/postgres. */
const QUERY = /\.query(?=[<(])/g;
const QUERY_OR_COPY = /\.(?:query|copy|copyOut)(?=[<(])/g;

/** Matches a literal that begins like a statement, up to the first inserted value. */
const STATEMENT =
  /([`'"])\s*((?:select|insert into|update|delete from|with|copy|create|truncate|set local)\s(?:(?!\1|\$\{).)*)/gs;

const COMMENT = /\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs;

/** A place in the source, as `file:line` below `src`. */
export interface Found {
  at: string;
  text: string;
}

/** All files of `src`. */
const SOURCE = sourceFiles();

function sourceFiles(): [file: string, text: string][] {
  const src = fileURLToPath(new URL('../../../src/', import.meta.url));
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  return files.map((file) => [file, readFileSync(src + file, 'utf8')]);
}

/** Returns every place that sends a statement, except in the files of `APART`. */
export function sendingPlaces(): Found[] {
  const places = SOURCE.flatMap(([file, text]) => placesIn(file, text));
  const stale = Object.keys(APART).filter((file) => places.every(({ at }) => !at.startsWith(`${file}:`)));
  if (stale.length > 0) throw new Error(`sends nothing any more, and need not be apart: ${stale.join()}`);
  return places.filter(isNotApart);
}

/** Returns the beginning of every statement in src/postgres, in one line. */
export const writtenStatements = (): Found[] =>
  SOURCE.filter(([file]) => file.startsWith('postgres/'))
    .flatMap(([file, text]) => statementsIn(file, text))
    .filter(isNotApart);

const isNotApart = ({ at }: Found) => APART[at.split(':')[0] ?? ''] === undefined;

export const placesIn = (file: string, text: string): Found[] =>
  find(file, text, file.startsWith('postgres/') ? QUERY_OR_COPY : QUERY, ([call]) => call);

export const statementsIn = (file: string, text: string): Found[] =>
  find(file, text, STATEMENT, ([, , statement = '']) => oneLine(statement));

function find(
  file: string,
  source: string,
  pattern: RegExp,
  textOf: (match: RegExpMatchArray) => string,
): Found[] {
  // Comments become blanks, so that line numbers stay the same.
  const text = source.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...text.matchAll(pattern)].map((match) => ({
    at: `${file}:${text.slice(0, match.index).split('\n').length}`,
    text: textOf(match),
  }));
}
