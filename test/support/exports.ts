import { createHash } from 'node:crypto';
import type { TestApp } from './app.ts';

export const EXPORT = '/bulk-export/stream';

/** A whole export: its lines in sorted order, without the last one. Throws if the last one does not fit the others. */
export async function exportLines(service: TestApp): Promise<string[]> {
  const { status, text } = await service.send('GET', EXPORT);
  if (status !== 200) throw new Error(text);
  const lines = text.split('\n').slice(0, -1);
  const { export: end } = JSON.parse(lines.pop() ?? '');
  const sha256 = createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex');
  if (end.users !== lines.length || end.sha256 !== sha256) throw new Error(`the last line is ${text}`);
  return lines.sort();
}
