import { FileProblem } from '../table.ts';

/** Maximum size of a file with the parameters of Firebase's scrypt. Such a file has only a few lines. */
export const MAX_BYTES = 16_384;

/** @throws FileProblem if the file is larger than MAX_BYTES */
export async function collectText(bytes: AsyncIterable<Buffer>): Promise<string> {
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
