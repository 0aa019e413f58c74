import type { ReadOptions } from '../../../../src/sources/containers/table.ts';
import type { Random } from '../../../support/random.ts';
import { identifier, inserts, literal, postgres, type Writer } from '../writer.ts';
import { type TableToWrite, tableToWrite, toldWriter } from './table-to-write.ts';

/** Returns the statements around a COPY of the rows. */
function scriptOf(table: TableToWrite, copyOptions: string): string {
  return [
    'set standard_conforming_strings = on;',
    'begin;',
    `create temp table users(${table.names.map((name) => `${identifier(name)} text`).join()});`,
    ...inserts(table.body, literal),
    `copy users to stdout (${copyOptions});`,
    'rollback;\n',
  ].join('\n');
}

function chooseOptions(random: Random, header: boolean): { copy: string; options: ReadOptions } {
  const delimiter = random.one([',', ',', ';', '\t', '|']);
  const head = header ? ', header' : '';
  if (random.chance(0.25)) {
    const text = random.one(['\t', '\t', ',', '|']);
    const options: ReadOptions = text === '\t' ? { csv: 'copy-text' } : {};
    return { copy: `format text, delimiter ${literal(text)}${head}`, options };
  }
  if (random.chance(0.4)) {
    const force = random.chance(0.5) ? ', force_quote *' : '';
    return { copy: `format csv${force}${head}`, options: { csv: 'psql' } };
  }
  const quote = random.one(['"', '"', "'", '~', '@', '`', '*']);
  const isBackslash = random.chance(0.4);
  const force = random.chance(0.5) ? ', force_quote *' : '';
  const escaping = isBackslash ? ", escape '\\'" : '';
  return {
    copy: `format csv, delimiter ${literal(delimiter)}, quote ${literal(quote)}${escaping}${force}${head}`,
    options: toldWriter(quote, delimiter, isBackslash ? 'backslash' : 'doubled'),
  };
}

export const psqlCopy: Writer = {
  name: 'psql-copy',
  container: 'csv',
  programs: ['psql', 'initdb'],
  async write(rows, random) {
    const table = tableToWrite(rows, random);
    const { copy, options } = chooseOptions(random, table.hasHeader);
    const bytes = (await postgres()).psql(scriptOf(table, copy));
    const told = { ...options, ...table.options };
    return { how: `${copy} ${table.how}`, bytes, ...table.written, options: told };
  },
};
