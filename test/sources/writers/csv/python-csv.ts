import { execFileSync } from 'node:child_process';
import { COLUMNS } from '../hostile-rows.ts';
import { type Writer, withoutServer } from '../writer.ts';

const PROGRAM = `
import csv, io, json, sys
given = json.load(sys.stdin)
options = given['options']
options['quoting'] = getattr(csv, options['quoting'])
out = io.StringIO(newline='')
csv.writer(out, **options).writerows(given['table'])
sys.stdout.buffer.write(out.getvalue().encode())
`;

export const pythonCsv: Writer = {
  name: 'python-csv',
  container: 'csv',
  programs: ['python3'],
  start: withoutServer(async (rows, random) => {
    const options = {
      quoting: random.one(['QUOTE_ALL', 'QUOTE_MINIMAL', 'QUOTE_NONNUMERIC']),
      lineterminator: random.one(['\n', '\r\n']),
    };
    const table = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))];
    const bytes = execFileSync('python3', ['-c', PROGRAM], {
      input: JSON.stringify({ options, table }),
      maxBuffer: 64 * 1024 * 1024,
    });
    return { how: JSON.stringify(options), bytes, rows: rows.map((row) => ({ ...row })), options: {} };
  }),
};
