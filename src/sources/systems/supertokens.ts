import { SIGNER_KEY } from '../fields/signer-key.ts';
import type { Source } from '../source.ts';
import { supertokensBulk } from './supertokens-bulk.ts';
import { SUPERTOKENS_TABLES } from './supertokens-tables.ts';

/** SuperTokens core: its database, or files for its bulk import. */
export const supertokens: Source = {
  name: 'supertokens',
  title: 'SuperTokens',
  forms: [...SUPERTOKENS_TABLES, supertokensBulk],
  settings: SIGNER_KEY,
};
