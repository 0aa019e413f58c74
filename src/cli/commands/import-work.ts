import type { CommandContext } from '../command.ts';
import type { ImportOptions } from '../import-id.ts';
import type { MatchOptions } from '../options/match-options.ts';
import type { Prepared } from '../plan/prepare.ts';
import type { Addresses } from '../service-client/addresses.ts';
import type { SignerKeys } from '../service-client/signer-keys.ts';

export interface ImportWork {
  context: CommandContext;
  addresses: Addresses;
  /** Number of parts of the import, which are sent at the same time. */
  parallel: number;
  prepared: Prepared;
  options: ImportOptions;
  matching: MatchOptions;
  importId: string;
  signerKeys: SignerKeys;
  retryForMs: number;
  timeoutMs: number;
}
