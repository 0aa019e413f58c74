import { Readable } from 'node:stream';
import { exportUsers } from '../../../users/export-users.ts';
import { clientGone } from '../../server/client-gone.ts';
import { sendExport } from '../../server/streamed-report.ts';
import { defineRoute, lines } from '../define-route.ts';

export const exportStreamRoute = defineRoute({
  schema: {
    tags: ['export'],
    summary: 'Exports all users with their hashes, one a line, as a stream of an import takes them',
    description:
      'The users of one moment, in no order. The last line is `{"export":{"users":…,"sha256":"…","withoutFactors":…}}`, with the number of the other lines, their SHA-256, and the number of users whose TOTP devices, roles or phone numbers are left out; where it is missing, the export is incomplete. A stream of an import skips that line.',
    response: {
      200: lines(
        'One user a line, then the number and digest of these lines; where that cannot be, an error: INTERNAL, REQUEST_TIMEOUT, SHUTTING_DOWN, STORAGE_UNAVAILABLE.',
      ),
    },
  },
  errors: ['EXPORT_UNAVAILABLE'],
  handler: ({ exports, bulk: { exportMinutes } }, { stopSignal }) => {
    const stopping = stopSignal('The service is stopping: start the export again');
    return async (request, reply) => {
      // The sender of HEAD reads no lines, so none are read for it.
      if (request.method === 'HEAD')
        return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from([]));
      const running = await exportUsers(exports, {
        keyName: request.apiKeyName ?? '',
        signal: AbortSignal.any([stopping, clientGone(reply)]),
        maxMinutes: exportMinutes,
      });
      request.log.info({ exportId: running.exportId, apiKeyName: request.apiKeyName }, 'an export began');
      return sendExport(reply, running);
    };
  },
});
