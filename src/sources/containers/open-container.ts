import { readCsv } from './csv/read-csv.ts';
import { decodeBytes, decodeHead } from './decode-bytes.ts';
import { binaryAdvice } from './detect/binary-kinds.ts';
import {
  type Beginning,
  looksLikeCsv,
  looksLikeHashConfig,
  looksLikeLdif,
  looksLikeShadow,
  looksLikeSignerKey,
  textAdvice,
} from './detect/text-kinds.ts';
import { unpackBytes } from './encodings/unpack-bytes.ts';
import { readHashConfig } from './hash-config/read-hash-config.ts';
import { readSignerKey } from './hash-config/read-signer-key.ts';
import { looksLikeJson } from './json/looks-like-json.ts';
import { readJson } from './json/read-json.ts';
import { readLdif } from './ldif/read-ldif.ts';
import { readShadow } from './shadow/read-shadow.ts';
import { looksLikeSql } from './sql/looks-like-sql.ts';
import { readSql } from './sql/read-sql.ts';
import {
  type Container,
  type ContainerName,
  FileProblem,
  type ReadOptions,
  type RecordBatch,
  type SourceFile,
  type TableHead,
} from './table.ts';

/** So much of a file tells what it is. */
const LOOK_BYTES = 65_536;

/** A file whose kind is known. */
export interface OpenedContainer {
  name: ContainerName;
  /** Reads the file from its start; may be called again. */
  read(wanted: (table: TableHead) => boolean): AsyncGenerator<RecordBatch>;
}

interface Kind {
  name: ContainerName;
  fits(beginning: Beginning): boolean;
  read: Container;
  /** It may hold bytes that are no text, and checks itself what should be. */
  holdsBytes?: true;
}

/** What a file is, by the first of these that it looks like. */
const KINDS: readonly Kind[] = [
  { name: 'hash-config', fits: looksLikeHashConfig, read: readHashConfig },
  { name: 'json', fits: ({ head }) => looksLikeJson(head), read: readJson },
  { name: 'sql', fits: ({ head }) => looksLikeSql(head), read: readSql, holdsBytes: true },
  { name: 'ldif', fits: looksLikeLdif, read: readLdif },
  { name: 'shadow', fits: looksLikeShadow, read: readShadow },
  { name: 'signer-key', fits: looksLikeSignerKey, read: readSignerKey },
  { name: 'csv', fits: looksLikeCsv, read: readCsv },
];

/**
 * Tells by the first bytes what a file is; its name says nothing.
 * @throws FileProblem that says what to do, where it is nothing that can be read
 */
export async function openContainer(file: SourceFile, options: ReadOptions): Promise<OpenedContainer> {
  const { bytes, isWhole } = await readHead(unpackBytes(file.open()));
  const advice = binaryAdvice(bytes);
  if (advice !== undefined) throw new FileProblem('FILE_UNKNOWN', `The file is ${advice}.`);
  // Which files may hold other bytes is known later.
  const head = decodeHead(bytes, isWhole, options.encoding, false);
  const beginning = { head, text: head.toString(), isWhole };
  if (beginning.text.trim() === '') {
    throw new FileProblem(
      'FILE_INVALID',
      isWhole ? 'The file is empty.' : 'The file begins with nothing but blanks.',
    );
  }
  const kind = KINDS.find(({ fits }) => fits(beginning));
  if (!kind?.holdsBytes) decodeHead(bytes, isWhole, options.encoding, true);
  if (kind === undefined) throw new FileProblem('FILE_UNKNOWN', textAdvice(beginning));
  return {
    name: kind.name,
    read: (wanted) => {
      const bytes = {
        [Symbol.asyncIterator]: () => decodeBytes(file.open(), options.encoding, !kind.holdsBytes),
      };
      return kind.read(bytes, options, wanted);
    },
  };
}

async function readHead(bytes: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LOOK_BYTES) return { bytes: Buffer.concat(chunks).subarray(0, LOOK_BYTES), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
