import { COLUMNS, cellsOf } from '../hostile-rows.ts';
import { inserts, literal, outputOf, postgres, sqliteText, type Writer } from '../writer.ts';

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
  async write(rows, random) {
    const query = random.one(POSTGRES);
    const script = [
      `begin; create temp table users(${COLUMNS.map((name) => `${name} text`).join()});`,
      ...inserts(rows.map(cellsOf), literal),
      `${query}; rollback;\n`,
    ];
    const bytes = (await postgres()).psql(script.join('\n'));
    return { how: query, bytes, rows: rows.map((row) => ({ ...row })), options: {} };
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
  write(rows, random) {
    const [mode, query] = random.one(SQLITE);
    const script = [
      `create table users(${COLUMNS.join()});`,
      ...inserts(rows.map(cellsOf), sqliteText),
      `${query};\n`,
    ];
    const bytes = outputOf('sqlite3', ['-batch', mode, ':memory:'], script.join('\n'));
    return { how: `${mode} ${query}`, bytes, rows: rows.map((row) => ({ ...row })), options: {} };
  },
};
