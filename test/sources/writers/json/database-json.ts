import { execFileSync } from 'node:child_process';
import { COLUMNS } from '../hostile-rows.ts';
import { startPostgres } from '../postgres-server.ts';
import { literal, sqliteText, type Writer, withoutServer } from '../writer.ts';

const OBJECT = COLUMNS.map((name) => `'${name}', ${name}`).join(', ');

/** Queries that produce JSON, either one object a line or one array. */
const POSTGRES = [
  'select row_to_json(u) from users u order by id::int',
  'select row_to_json(u, true) from users u order by id::int',
  'select to_jsonb(u) from users u order by id::int',
  `select json_build_object(${OBJECT}) from users order by id::int`,
  'select json_agg(u order by id::int) from users u',
  'select jsonb_pretty(jsonb_agg(u order by id::int)) from users u',
  "select json_build_object('users', json_agg(u order by id::int)) from users u",
];

export const postgresJson: Writer = {
  name: 'psql-json',
  container: 'json',
  programs: ['psql', 'initdb'],
  async start() {
    const server = await startPostgres();
    return {
      async write(rows, random) {
        const query = random.one(POSTGRES);
        const script = [
          `begin; create temp table users(${COLUMNS.map((name) => `${name} text`).join()});`,
          ...rows.map(
            (row) => `insert into users values(${COLUMNS.map((name) => literal(row[name])).join()});`,
          ),
          `${query};`,
          'rollback;\n',
        ];
        const bytes = server.psql(script.join('\n'));
        return { how: query, bytes, rows: rows.map((row) => ({ ...row })), options: {} };
      },
      stop: server.stop,
    };
  },
};

const SQLITE = [
  ['-json', 'select * from users'],
  ['-list', `select json_object(${OBJECT}) from users`],
  ['-list', `select json_group_array(json_object(${OBJECT})) from users`],
] as const;

export const sqliteJson: Writer = {
  name: 'sqlite3-json',
  container: 'json',
  programs: ['sqlite3'],
  start: withoutServer(async (rows, random) => {
    const [mode, query] = random.one(SQLITE);
    const script = [
      `create table users(${COLUMNS.join()});`,
      ...rows.map(
        (row) => `insert into users values(${COLUMNS.map((name) => sqliteText(row[name])).join()});`,
      ),
      `${query};\n`,
    ];
    const bytes = execFileSync('sqlite3', ['-batch', mode, ':memory:'], {
      input: script.join('\n'),
      maxBuffer: 64 * 1024 * 1024,
    });
    return { how: `${mode} ${query}`, bytes, rows: rows.map((row) => ({ ...row })), options: {} };
  }),
};
