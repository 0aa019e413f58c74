import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { exportUsers } from '../../../users/export-users.ts';
import { QueryField, readOneOf } from '../../protocol/query.ts';
import { clientGone } from '../../server/connections.ts';
import { sendExport } from '../../server/streamed.ts';
import { defineRoute, lines } from '../define-route.ts';

const FACTORS = ['keep', 'omit'] as const;

export const exportStreamRoute = defineRoute({
  schema: {
    tags: ['export'],
    summary: 'Exports all users with their hashes, one per line, in the form of an import stream',
    description:
      'The users as of one moment, in no particular order. The last line is `{"export":{"users":…,"sha256":"…"}}`, with the number and the SHA-256 of the other lines. If it is missing, the export is incomplete. An import stream skips this line. TOTP devices, roles and phone numbers are decrypted, unless `factors=omit` leaves them out.',
    querystring: Type.Object({
      factors: QueryField(
        'Whether TOTP devices, roles and phone numbers are exported.',
        Type.String({ enum: [...FACTORS], default: 'keep' }),
      ),
    }),
    response: {
      200: lines(
        'One user per line, then the number and digest of these lines. If the export cannot be finished, an error in place of the last line: FACTORS_SECRET_MISSING, INTERNAL, REQUEST_TIMEOUT, SHUTTING_DOWN, STORAGE_UNAVAILABLE.',
      ),
    },
  },
  errors: ['EXPORT_UNAVAILABLE', 'FACTORS_SECRET_MISSING'],
  handler: ({ exports, vault, bulk: { exportMinutes } }, { stopSignal }) => {
    const stopping = stopSignal('The service is stopping: start the export again');
    return async (request, reply) => {
      // The answer to a HEAD request has no lines, so no users are read for it.
      if (request.method === 'HEAD')
        return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from([]));
      const factors = readOneOf('factors', FACTORS, request.query.factors ?? 'keep');
      const running = await exportUsers(exports, {
        keyName: request.apiKeyName ?? '',
        signal: AbortSignal.any([stopping, clientGone(reply)]),
        maxMinutes: exportMinutes,
        vault: factors === 'omit' ? undefined : vault,
      });
      request.log.info({ exportId: running.exportId, apiKeyName: request.apiKeyName }, 'an export began');
      return sendExport(reply, running);
    };
  },
});
