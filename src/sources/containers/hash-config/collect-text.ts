import { FileProblem } from '../table.ts';

/** Hash parameters are some lines. */
export const MAX_BYTES = 16_384;

/** The whole of a small file. @throws FileProblem where it is not small */
export async function collectText(bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new FileProblem('FILE_INVALID', 'The file is too long for hash parameters.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
