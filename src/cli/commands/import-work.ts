import type { CommandContext } from '../command.ts';
import type { ImportOptions } from '../import-id.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import type { Prepared } from '../plan/prepare.ts';

/** All that an import goes by. */
export interface ImportWork {
  context: CommandContext;
  service: ServiceAddress;
  prepared: Prepared;
  options: ImportOptions;
  importId: string;
  retryForMs: number;
  timeoutMs: number;
}
