import { outputOf, type Writer } from '../writer.ts';
import { encode, oddEncoding, tableToWrite, toldWriter } from './table-to-write.ts';

const PROGRAM = `
$given = json_decode(stream_get_contents(STDIN), true);
$out = fopen('php://stdout', 'w');
foreach ($given['table'] as $row)
  fputcsv($out, $row, $given['delimiter'], $given['quote'], $given['escape'], $given['eol']);
`;

const phpWriter = (name: string, isOdd: boolean): Writer => ({
  name,
  container: 'csv',
  programs: ['php'],
  write(rows, random) {
    const table = tableToWrite(rows, random);
    const options = {
      delimiter: isOdd ? random.one([',', ';', '\t', '|']) : random.one([',', ',', ';']),
      quote: isOdd ? random.one(['"', '"', "'"]) : '"',
      escape: isOdd ? random.one(['\\', '', '', '#', '~']) : '\\',
      eol: isOdd ? random.one(['\n', '\r\n']) : '\n',
    };
    const bytes = outputOf('php', ['-r', PROGRAM], JSON.stringify({ ...options, table: table.cells }));
    const encoding = isOdd ? oddEncoding(random, table) : 'utf-8';
    const escaping = options.escape === '\\' ? 'php' : 'doubled';
    // No writer has another escape.
    const isKnown = options.escape === '\\' || options.escape === '';
    const told = { ...table.options, ...(isKnown && toldWriter(options.quote, options.delimiter, escaping)) };
    const how = `${JSON.stringify(options)} ${table.how} ${encoding}`;
    return { how, ...table.written, ...encode(bytes, encoding, told) };
  },
});

export const phpFputcsv = phpWriter('php-fputcsv', false);
export const phpOptions = phpWriter('php-options', true);
