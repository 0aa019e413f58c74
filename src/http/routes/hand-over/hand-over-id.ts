import { Type } from '@sinclair/typebox';

export const HandOverIdField = Type.String({ description: 'The `handOverId` of a hand-over.' });
