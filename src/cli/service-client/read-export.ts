import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isJsonObject, parseJsonObject } from '../../lib/json/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { openRequest, requireNdjson, silenceProblem } from './call-service.ts';
import {
  isCode,
  problemOfConnection,
  problemOfError,
  ServiceProblem,
  unintelligibleAnswer,
} from './service-problem.ts';

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
  /** Takes blocks of whole lines, with the number of users so far. The last line comes only if number and digest are right. */
  write(block: Buffer, users: number): Promise<void>;
}

/** @throws {ServiceProblem} if the export is not complete, and errors of `write` */
export async function readExport(
  service: ServiceAddress,
  { withoutFactors, timeoutMs, write }: ReadExportOptions,
): Promise<ExportEnd> {
  const path = `/bulk-export/stream${withoutFactors ? '?factors=omit' : ''}`;
  const request = openRequest(service, path, { method: 'GET' });
  let silence: ServiceProblem | undefined;
  request.setTimeout(timeoutMs, () => {
    silence = silenceProblem(timeoutMs);
    request.destroy(silence);
  });
  // Without a listener, an error after the answer has begun would end the process. The answer reports it.
  request.on('error', () => {});
  const digest = createHash('sha256');
  let users = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    request.end();
    for await (const piece of bytesOf(
      request,
      (error) => silence ?? problemOfConnection(error, service.url),
    )) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      // The last line received so far may be the summary of the export.
      const end = bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
      const block = bytes.subarray(0, end);
      rest = bytes.subarray(end);
      if (rest.length > MAX_LINE_BYTES) throw unintelligibleAnswer();
      if (end === 0) continue;
      digest.update(block);
      users += countLines(block);
      await write(block, users);
    }
    const stated = endOf(rest);
    const found = { users, sha256: digest.digest('hex') };
    if (stated.users !== found.users || stated.sha256 !== found.sha256)
      throw new ServiceProblem(
        `The export was changed on its way: its last line states ${stated.users} users and another digest than that of the ${found.users} users that arrived. Is there a proxy that changes answers?`,
        { retry: 'seldom' },
      );
    await write(rest, users);
    return found;
  } finally {
    request.destroy();
  }
}

async function* bytesOf(
  request: ClientRequest,
  explain: (error: unknown) => ServiceProblem,
): AsyncGenerator<Buffer> {
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await requireNdjson(response);
    yield* response;
  } catch (error) {
    throw explain(error);
  }
}

function countLines(block: Buffer): number {
  let lines = 0;
  for (let at = block.indexOf(LINE_FEED); at !== -1; at = block.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

/** @throws {ServiceProblem} with the error that the last line states, or if it is no summary */
function endOf(line: Buffer): ExportEnd {
  const { export: end, error } = (line.at(-1) === LINE_FEED && parseJsonObject(line.toString())) || {};
  if (isJsonObject(error) && isCode(error.code))
    throw problemOfError({
      code: error.code,
      message: typeof error.message === 'string' ? error.message : error.code,
    });
  if (isJsonObject(end) && typeof end.users === 'number' && typeof end.sha256 === 'string')
    return { users: end.users, sha256: end.sha256 };
  throw new ServiceProblem('The connection broke before the export was complete.', { retry: 'often' });
}
