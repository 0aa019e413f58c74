import type { ReadOptions, SourceFile } from '../sources/containers/table.ts';
import type { ConvertDeps } from '../sources/pipeline/convert.ts';
import type { NoPlan, Plan, PlanAsk, Survey } from '../sources/pipeline/plan.ts';
import type { findUnknownStates } from '../sources/pipeline/unknown-states.ts';
import type { Verdict } from '../sources/pipeline/verdict.ts';

/** The functions that convert export files to import lines. Tests replace them. */
export interface Pipeline {
  surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey>;
  choosePlan(surveys: readonly Survey[], ask: PlanAsk): Plan | NoPlan;
  findUnknownStates: typeof findUnknownStates;
  convert(plan: Plan, deps: ConvertDeps): AsyncGenerator<readonly Verdict[]>;
}
