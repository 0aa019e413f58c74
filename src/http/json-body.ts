import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
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
      const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1];
      if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8') {
        throw new AppError(
          'CONTENT_TYPE_UNSUPPORTED',
          'Unsupported content type: JSON must be sent as UTF-8',
        );
      }
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not UTF-8');
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    // The parser's message quotes the body; where it broke off is all that is said.
    throw new AppError('BODY_INVALID_JSON', 'Invalid Json Input: the body is not JSON', { cause });
  }
}
