import { createHash } from 'node:crypto';
import { isJsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { ServiceRequest } from './call-service.ts';
import { endOfStream, ServiceProblem, unintelligibleAnswer } from './service-problem.ts';

const LINE_FEED = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface ExportEnd {
  users: number;
  /** SHA-256, in hexadecimal digits, of all lines except the last one, which states it. */
  sha256: string;
}

interface ReadExportOptions {
  withoutFactors: boolean;
  timeoutMs: number;
  /**
   * Called with blocks of whole lines, and the number of users so far. The last line is passed on only if the number
   * and the digest that it states are right.
   */
  write(block: Buffer, users: number): Promise<void>;
}

/**
 * Reads an export of all users from the service, and checks that it is complete.
 * @throws {ServiceProblem} if the export is not complete, and errors of `write`
 */
export async function readExport(
  service: ServiceAddress,
  { withoutFactors, timeoutMs, write }: ReadExportOptions,
): Promise<ExportEnd> {
  const path = `/bulk-export/stream${withoutFactors ? '?factors=omit' : ''}`;
  const request = new ServiceRequest(service, path, { timeoutMs });
  const digest = createHash('sha256');
  let users = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    request.request.end();
    for await (const piece of request.ndjson()) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      // The last line received so far is held back, because it may be the summary of the export.
      const end = bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
      const block = bytes.subarray(0, end);
      rest = bytes.subarray(end);
      if (rest.length > MAX_LINE_BYTES) throw unintelligibleAnswer();
      if (end === 0) continue;
      digest.update(block);
      for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, at + 1)) users += 1;
      await write(block, users);
    }
    const last = rest.at(-1) === LINE_FEED ? parseJsonObject(rest.toString()) : undefined;
    const stated = isJsonObject(last?.export) ? last.export : undefined;
    endOfStream(stated === undefined && last?.error === undefined ? undefined : last, 'export');
    const found = { users, sha256: digest.digest('hex') };
    if (stated?.users !== users || stated.sha256 !== found.sha256)
      throw new ServiceProblem(
        `The export was changed on its way: its last line states ${Number(stated?.users)} users and another digest than that of the ${users} users that arrived. Is there a proxy that changes answers?`,
        'seldom',
      );
    await write(rest, users);
    return found;
  } finally {
    request.close();
  }
}
