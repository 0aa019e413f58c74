import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Files that send statements and are not in the list, or only in part: what they send is that of others, or is no statement of the service. */
const APART: Record<string, string> = {
  'postgres/client/connection.ts': 'hands on what it is given',
  'postgres/client/copy-in.ts': 'hands on what it is given',
  'postgres/client/database.ts': 'hands on what it is given',
  'postgres/client/recognise-engine.ts':
    'asks by the catalogue of Citus: test/postgres/migrate/distribute.test.ts',
  'postgres/migrate/distribute.ts': 'there on Citus alone: test/postgres/migrate/distribute.test.ts',
  'embedded-postgres/start-embedded-postgres.ts': 'makes the database of development',
  'cli/databases/connect-mysql.ts': 'asks databases of others',
  'cli/databases/connect-postgres.ts': 'asks databases of others',
  'cli/databases/mysql-rows.ts': 'asks databases of others',
};

/** The call of a method that sends SQL. A Buffer has a `copy`, too, and is not in the room of the SQL. */
const QUERY = /\.query(?=[<(])/g;
const QUERY_OR_COPY = /\.(?:query|copy)(?=[<(])/g;

export interface Place {
  /** Under `src`. */
  file: string;
  line: number;
}

/** Every place in the source that sends a statement, but for the files that are `APART`. */
export function sendingPlaces(): Place[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  const places = files.flatMap((file) => placesIn(file, readFileSync(SRC + file, 'utf8')));
  const stale = Object.keys(APART).filter((file) => places.every((place) => place.file !== file));
  if (stale.length > 0) throw new Error(`sends nothing any more, and need not be apart: ${stale.join()}`);
  return places.filter(({ file }) => APART[file] === undefined);
}

export function placesIn(file: string, text: string): Place[] {
  const calls = file.startsWith('postgres/') ? QUERY_OR_COPY : QUERY;
  return [...text.matchAll(calls)].map(({ index }) => ({
    file,
    line: text.slice(0, index).split('\n').length,
  }));
}
