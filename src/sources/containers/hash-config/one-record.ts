import { type Container, FileProblem, type SourceRecord, type TableHead } from '../table.ts';

/** Maximum size of a file with the parameters of Firebase's scrypt. Such a file has only a few lines. */
export const MAX_BYTES = 16_384;

/** @throws FileProblem if the file is larger than MAX_BYTES */
async function collectText(bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_BYTES)
      throw new FileProblem(
        'FILE_INVALID',
        'The file is too long for hash parameters. Copy the block hash_config { … } into a separate file.',
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Reads a file whose text is one record, such as hash parameters of Firebase.
 * @throws FileProblem FILE_INVALID with `message` if `parse` returns undefined
 */
export const oneRecord = (
  container: TableHead['container'],
  parse: (text: string) => SourceRecord | undefined,
  message: string,
): Container =>
  async function* (bytes, _options, wanted) {
    const record = parse(await collectText(bytes));
    if (record === undefined) throw new FileProblem('FILE_INVALID', message);
    const table = { container, name: '', columns: new Set(Object.keys(record)), first: [record], root: {} };
    if (wanted(table)) yield { table, firstRow: 1, records: [record] };
  };
