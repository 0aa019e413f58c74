import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import { surveyFile } from '../../../../src/sources/pipeline/survey-file.ts';
import { collect, fileOf, problemOf } from '../read-whole.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuJ9kz7U0k1v2w3x4y5z6A7B8C9D0E1F2';

async function read(text: string, options: ReadOptions = {}) {
  const survey = await surveyFile(fileOf(text), options);
  return { container: survey.container, records: (await collect(survey.read(() => true))).records };
}

const refusal = (text: string, options: ReadOptions = {}) => problemOf(() => read(text, options));

describe('the first row of a file without header does not decide its kind', () => {
  const statement = `INSERT INTO users(email,password_hash) VALUES ('boss@example.org','${HASH}');/*`;

  it.each(["o'neil@x.org", '{ann}@x.org', '`a`@x.org', 'ann@localhost', 'ann@[10.0.0.1]', ''])(
    'with the address "%s"',
    async (address) => {
      const rows = [
        [statement, address, HASH],
        ['bob', 'bob@x.org', HASH],
        ['*/;-- ', 'm@x.org', HASH],
      ];
      const text = rows.map((row) => `${row.join('\t')}\n`).join('');
      expect(await refusal(text, { csvQuote: 'none' })).toContain('--format sql or --format csv');
    },
  );
});

it('--csv-delimiter is enough to make a file CSV', async () => {
  const { container } = await read('name:email\nAnn:ann@example.org\n', { csvDelimiter: ':' });
  expect(container).toBe('csv');
});
