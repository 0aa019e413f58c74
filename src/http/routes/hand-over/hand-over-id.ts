import { Type } from '@sinclair/typebox';
import { isUuid } from '../../../lib/text/uuid.ts';

export const HandOverIdField = Type.String({ description: 'The `handOverId` of a hand-over.' });

/** Calls `find` if the text can be an id. */
export const findByUuid = async <T>(
  id: string,
  find: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> => (isUuid(id) ? find(id) : undefined);
