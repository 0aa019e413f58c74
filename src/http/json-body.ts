import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * Bodies are JSON in UTF-8 and nothing else. Fastify's own parser replaces bytes that are not UTF-8, which would
 * make different passwords equal.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!isSaidToBeUtf8(request)) throw unsupported('JSON must be sent as UTF-8');
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding.toLowerCase() !== 'identity')
        throw unsupported('JSON must be sent without Content-Encoding');
      const isNothing = body.length === 0 && request.routeOptions.config.bodyOptional;
      done(null, isNothing ? null : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Does the content type name no charset but this one? */
export function isSaidToBeUtf8({ headers }: FastifyRequest): boolean {
  return /^utf-?8$/i.test(CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8');
}

const unsupported = (what: string) =>
  new AppError('CONTENT_TYPE_UNSUPPORTED', `Unsupported content type: ${what}`);

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not UTF-8');
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    // The parser's message quotes the body; where it broke off is all that is said.
    throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not JSON', { cause });
  }
}
