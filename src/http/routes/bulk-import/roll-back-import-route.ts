import { Type } from '@sinclair/typebox';
import { type RollbackOutcome, rollBackImport } from '../../../imports/import-history.ts';
import { ImportIdField, RollbackJson } from '../../protocol/import-json.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

const STATUS: Record<RollbackOutcome['outcome'], string> = {
  'rolled-back': 'OK',
  'unknown-import': 'UNKNOWN_IMPORT_ID_ERROR',
  expired: 'IMPORT_EXPIRED_ERROR',
};

export const rollBackImportRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Undoes an import, except for users who have signed in or were changed since',
    description:
      'Removes the users it created and restores the hashes and addresses it replaced, and ends the import if it still runs. Answers when the rollback is complete. If no answer arrives, send the request again: the rollback continues, and the answer has its total counts. `IMPORT_EXPIRED_ERROR`: some records are older than `import_undo_days` and were deleted, so nothing (further) is undone.',
    params: Type.Object({ importId: ImportIdField }),
    // Fastify's value for a missing body is `null`.
    body: Type.Union([Type.Object({}), Type.Null()]),
    response: {
      200: Type.Object({
        status: Type.String({ enum: Object.values(STATUS) }),
        importId: Type.String(),
        rollback: Type.Optional(RollbackJson),
      }),
    },
  },
  errors: ['SHUTTING_DOWN'],
  handler: (deps, { stopSignal }) => {
    const stopping = stopSignal('The service is stopping: roll back again to continue');
    return async ({ params: { importId } }, reply) => {
      const signal = AbortSignal.any([clientGone(reply), stopping]);
      const { outcome, ...report } = await rollBackImport(deps, importId, signal);
      return { status: STATUS[outcome], importId, ...report };
    };
  },
});
