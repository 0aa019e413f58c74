import { Type } from '@sinclair/typebox';
import { type RollbackOutcome, rollBackImport } from '../../../imports/history/roll-back-import.ts';
import { ImportIdField, RollbackJson } from '../../protocol/import-json.ts';
import { clientGone } from '../../server/client-gone.ts';
import { defineRoute } from '../define-route.ts';

const STATUS: Record<RollbackOutcome['outcome'], string> = {
  'rolled-back': 'OK',
  'unknown-import': 'UNKNOWN_IMPORT_ID_ERROR',
  expired: 'IMPORT_EXPIRED_ERROR',
};

export const rollBackImportRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Undoes an import, but for users who have signed in or been changed since',
    description:
      'Removes the users it created and restores the hashes and addresses it replaced, and ends the import if it still runs. Answers when all is done; if the answer does not come, ask again: it goes on where it was, and tells the sum. `IMPORT_EXPIRED_ERROR`: part of what it did is older than `import_undo_days` and on record no more, so nothing (or no more) is undone.',
    params: Type.Object({ importId: ImportIdField }),
    // A request without a body has the value `null` here.
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
    const stopping = stopSignal('The service is stopping: roll back again, it goes on from here');
    return async ({ params: { importId } }, reply) => {
      const signal = AbortSignal.any([clientGone(reply), stopping]);
      const { outcome, ...report } = await rollBackImport(deps, importId, signal);
      return { status: STATUS[outcome], importId, ...report };
    };
  },
});
