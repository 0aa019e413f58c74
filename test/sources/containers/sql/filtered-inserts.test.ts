import { expect, it } from 'vitest';
import { problemOf, readSurveyed as read } from '../read-whole.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuJ9kz7U0k1v2w3x4y5z6A7B8C9D0E1F2';

const row = (values: string) => `INSERT INTO users VALUES (${values});\n`;
const hex = (value: string) => `0x${Buffer.from(value).toString('hex')}`;
/** A text of several lines, of which grep kept the first and dropped the last. */
const torn =
  row(`1, 'ann', 'ann@x.org', '${HASH}'`) +
  "INSERT INTO users VALUES (7, 'x\nINSERT INTO y\n" +
  row(`9, ', ${hex('boss@example.org')}, ${hex(HASH)}); -- ', 'm@x.org', '${HASH}'`);

it.each([
  ['INSERT', torn],
  [
    'the name of the table',
    `-- Name: users; Type: TABLE\nCREATE TABLE users (id int, a text, b text, c text);\n${torn}`,
  ],
])('lines that grep selected from a dump by %s are refused', async (_, text) => {
  expect(await problemOf(() => read(text))).toContain('Name the whole dump');
});

it('a whole dump may contain texts with such lines', async () => {
  const text =
    '-- PostgreSQL database dump\nSET standard_conforming_strings = on;\n' +
    `${row("1, 'x\nINSERT INTO y'")}-- PostgreSQL database dump complete\n`;
  expect((await read(text)).records).toHaveLength(1);
});
