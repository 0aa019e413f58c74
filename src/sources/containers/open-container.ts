import { COLON_FILES, colonContainer, matchColonFile } from './colon-files.ts';
import { looksLikeCsv, looksLikeRowsOfUsers } from './csv/csv-beginning.ts';
import { readCsv } from './csv/read-csv.ts';
import { decodeBytes, decodeHead, readHead, unpackBytes } from './decode-bytes.ts';
import { matchHashConfig, matchSignerKey, readHashConfig, readSignerKey } from './hash-config.ts';
import { matchJson, readJson } from './json/read-json.ts';
import { matchLdif, readLdif } from './read-ldif.ts';
import { matchSql, readSql } from './sql/read-sql.ts';
import {
  type Beginning,
  type BrokenMatch,
  type Container,
  type ContainerName,
  EXPORT_FORMATS,
  type FileProblem,
  invalidFile,
  type KindMatch,
  type ReadOptions,
  type RecordBatch,
  type SourceFile,
  type TableHead,
  unknownFile,
} from './table.ts';
import { binaryAdvice, shellAdvice, textAdvice } from './unsupported-kinds.ts';

const LOOK_BYTES = 65_536;

export interface OpenedContainer {
  name: ContainerName;
  /** May be called repeatedly: reads the export file from its start. */
  read(wanted: (table: TableHead) => boolean): AsyncGenerator<RecordBatch>;
}

interface Kind {
  name: ContainerName;
  title: string;
  match(beginning: Beginning, options: ReadOptions): KindMatch;
  read: Container;
  /**
   * Files of this kind may contain bytes that are not UTF-8. Their reader checks the encoding itself, unless the
   * operator names one.
   */
  holdsBytes?: true;
}

/** Files with hash parameters of Firebase. They are recognised even if `--format` names the kind of the other files. */
const PARAMETERS: readonly Kind[] = [
  {
    name: 'hash-config',
    title: 'the hash parameters of Firebase',
    match: matchHashConfig,
    read: readHashConfig,
  },
  { name: 'signer-key', title: 'a signer key', match: matchSignerKey, read: readSignerKey },
];

/** Kinds of file that begin with a structure that CSV does not have. */
const STRUCTURED: readonly Kind[] = [
  ...PARAMETERS,
  { name: 'json', title: 'JSON', match: matchJson, read: readJson },
  { name: 'sql', title: 'SQL', match: matchSql, read: readSql, holdsBytes: true },
  { name: 'ldif', title: 'LDIF', match: matchLdif, read: readLdif },
  ...COLON_FILES.map((file) => ({
    name: file.name,
    title: file.title,
    match: matchColonFile(file),
    read: colonContainer(file),
  })),
];

const CSV: Kind = {
  name: 'csv',
  title: 'CSV',
  match: (beginning, options) => (looksLikeCsv(beginning, options) ? 'fits' : undefined),
  read: readCsv,
};

/**
 * Detects the kind of an export file from its first bytes. The file name is ignored.
 * @throws FileProblem with advice if the file cannot be read, or if it may be of two kinds
 */
export async function openContainer(file: SourceFile, options: ReadOptions): Promise<OpenedContainer> {
  const { bytes, isWhole } = await readHead(unpackBytes(file.open()), LOOK_BYTES);
  const advice = binaryAdvice(bytes);
  if (advice !== undefined) throw unknownFile(`The file is ${advice}.`);
  // Until the kind of file is known, bytes that are not UTF-8 are accepted, because files of some kinds may have them.
  const head = decodeHead(bytes, isWhole, options.encoding, false);
  const beginning = { head, text: head.toString(), isWhole };
  if (beginning.text.trim() === '') {
    throw invalidFile(
      isWhole
        ? 'The file is empty. Leave it out if its table has no rows; otherwise export it again.'
        : 'The file begins with nothing but blanks. Export it again.',
    );
  }
  const ofShell = shellAdvice(beginning);
  if (ofShell !== undefined) throw unknownFile(ofShell);
  const kind = chooseKind(beginning, options);
  const isChecked = !kind?.holdsBytes || options.encoding !== undefined;
  if (isChecked) decodeHead(bytes, isWhole, options.encoding, true);
  if (kind === undefined) throw unknownFile(textAdvice(beginning));
  return {
    name: kind.name,
    read: (wanted) => {
      const bytes = {
        [Symbol.asyncIterator]: () => decodeBytes(file.open(), options.encoding, isChecked),
      };
      return kind.read(bytes, options, wanted);
    },
  };
}

/**
 * Chooses the kind of an export file by its structure, from the first byte on: the content of a cell must
 * never decide how its file is read. A file may also be CSV rows without a header, whose first cell any
 * user may have typed; in that case the operator must decide.
 * @throws FileProblem if several kinds fit, or if the file starts like one kind but does not continue like
 * it
 */
function chooseKind(beginning: Beginning, options: ReadOptions): Kind | undefined {
  const { format } = options;
  const parameters = PARAMETERS.find(({ match }) => match(beginning, options) === 'fits');
  if (parameters !== undefined) return parameters;
  if (format !== undefined) return [...STRUCTURED, CSV].find(({ name }) => name === format);
  const begun = STRUCTURED.map((kind) => ({ kind, match: kind.match(beginning, options) })).filter(
    ({ match }) => match !== undefined,
  );
  const certain = begun.find(({ match }) => match === 'certain');
  if (certain !== undefined) return certain.kind;
  const fitting = begun.flatMap(({ kind, match }) => (match === 'fits' ? kind : []));
  if (begun.length > 0 && looksLikeRowsOfUsers(beginning)) fitting.push(CSV);
  if (fitting.length > 1) throw severalKinds(fitting);
  if (fitting[0] !== undefined) return fitting[0];
  for (const { kind, match } of begun) if (typeof match === 'object') throw brokenKind(kind, match);
  return CSV.match(beginning, options) === undefined ? undefined : CSV;
}

function severalKinds(kinds: readonly Kind[]): FileProblem {
  const titles = kinds.map(({ title }) => title).join(' or ');
  const flags = kinds.map(({ name }) => `--format ${name}`).join(' or ');
  return unknownFile(`The file may be ${titles}: its first lines fit both. Name the kind: ${flags}.`);
}

function brokenKind({ name, title }: Kind, { but, advice }: BrokenMatch): FileProblem {
  const others = EXPORT_FORMATS.filter((format) => format !== name).join('|');
  const question = `If it is ${title} nevertheless, add --format ${name}; otherwise name its kind: --format ${others}.`;
  return unknownFile(`The file begins like ${title}, but ${but}. ${advice ?? question}`);
}
