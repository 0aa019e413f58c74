import type { HashRegistry } from '../hashing/registry.ts';
import type { ReadOptions, SourceFile } from '../sources/containers/table.ts';
import type { NoPlan, Plan, Survey } from '../sources/pipeline/plan.ts';
import type { Verdict } from '../sources/pipeline/verdict.ts';
import type { Settings } from '../sources/source.ts';

export interface ConvertDeps {
  registry: HashRegistry;
  /** ms since the epoch. With the same one, the same files give the same lines: an import can be resumed. */
  nowMs: number;
  includeDisabled: boolean;
  hashingSecretId?: string;
  /** For what does not fit memory. */
  tempDirectory: string;
  signal?: AbortSignal;
  /** Provider in the file → thirdPartyId. */
  providers: Readonly<Record<string, string>>;
  /** Takes how often what has no place here was met. */
  dropped: Map<string, number>;
  /** What an address is where its system knows no verification. */
  verifiedByDefault?: boolean;
}

/** What turns files into lines. */
export interface Pipeline {
  surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey>;
  choosePlan(
    surveys: readonly Survey[],
    ask: { from?: string; settings: Settings; options: ReadOptions },
  ): Plan | NoPlan;
  convert(plan: Plan, deps: ConvertDeps): AsyncGenerator<readonly Verdict[]>;
}
