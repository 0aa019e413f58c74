import type { CommandContext } from '../command.ts';
import type { ImportOptions } from '../import-id.ts';
import type { Prepared } from '../plan/prepare.ts';
import type { Addresses } from '../service/addresses.ts';
import type { SignerKeys } from '../service/signer-keys.ts';

/** All that an import goes by. */
export interface ImportWork {
  context: CommandContext;
  addresses: Addresses;
  /** In how many parts rows are sent at once. */
  parallel: number;
  prepared: Prepared;
  options: ImportOptions;
  importId: string;
  signerKeys: SignerKeys;
  retryForMs: number;
  timeoutMs: number;
}
