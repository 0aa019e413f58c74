import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import type { Random } from '../../../support/random.ts';
import { outputOf, type Writer } from '../writer.ts';
import {
  type Encoding,
  encode,
  oddEncoding,
  type TableToWrite,
  tableToWrite,
  toldWriter,
} from './table-to-write.ts';

const PROGRAM = `
import csv, io, json, sys
given = json.load(sys.stdin)
options = given['options']
options['quoting'] = getattr(csv, options['quoting'])
out = io.StringIO(newline='')
try:
    csv.writer(out, **options).writerows(given['table'])
except csv.Error as error:
    sys.exit(3)
sys.stdout.buffer.write(out.getvalue().encode('utf-8', 'surrogatepass'))
`;

interface PythonOptions {
  quoting: string;
  lineterminator: string;
  delimiter: string;
  quotechar: string;
  doublequote: boolean;
  escapechar: string | null;
}

const usual = (random: Random): PythonOptions => ({
  quoting: random.one(['QUOTE_ALL', 'QUOTE_MINIMAL', 'QUOTE_NONNUMERIC']),
  lineterminator: random.one(['\n', '\r\n']),
  delimiter: random.one([',', ',', ';']),
  quotechar: '"',
  doublequote: true,
  escapechar: null,
});

const odd = (random: Random): PythonOptions => {
  const quoting = random.one(['QUOTE_ALL', 'QUOTE_MINIMAL', 'QUOTE_NONNUMERIC', 'QUOTE_NONE']);
  const escapechar = quoting === 'QUOTE_NONE' || random.chance(0.5) ? '\\' : null;
  return {
    quoting,
    lineterminator: random.one(['\n', '\r\n', '\r']),
    delimiter: random.one([',', ';', '\t', '|', ':']),
    quotechar: random.one(['"', '"', "'", '`', '~']),
    doublequote: escapechar === null || random.chance(0.3),
    escapechar,
  };
};

const optionsOf = ({ quoting, delimiter, quotechar, escapechar }: PythonOptions): ReadOptions =>
  quoting === 'QUOTE_NONE'
    ? {}
    : toldWriter(quotechar, delimiter, escapechar === null ? 'doubled' : 'backslash');

function run(options: PythonOptions, { cells }: TableToWrite): Buffer | undefined {
  try {
    return outputOf('python3', ['-c', PROGRAM], JSON.stringify({ options, table: cells }));
  } catch {
    // Some cells cannot be written with some options.
    return undefined;
  }
}

const pythonWriter = (name: string, choose: (random: Random) => PythonOptions, isOdd: boolean): Writer => ({
  name,
  container: 'csv',
  programs: ['python3'],
  write(rows, random) {
    const table = tableToWrite(rows, random);
    const encoding: Encoding = isOdd ? oddEncoding(random, table) : 'utf-8';
    for (;;) {
      const options = choose(random);
      const bytes = run(options, table);
      if (bytes === undefined) continue;
      const told = { ...optionsOf(options), ...table.options };
      const how = `${JSON.stringify(options)} ${table.how} ${encoding}`;
      return { how, ...table.written, ...encode(bytes, encoding, told) };
    }
  },
});

export const pythonCsv = pythonWriter('python-csv', usual, false);
export const pythonDialects = pythonWriter('python-dialects', odd, true);
