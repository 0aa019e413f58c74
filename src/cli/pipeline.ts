import type { ReadOptions, SourceFile } from '../sources/containers/table.ts';
import type { ConvertDeps } from '../sources/pipeline/convert.ts';
import type { NoPlan, Plan, PlanAsk, Survey } from '../sources/pipeline/plan.ts';
import type { findUnknownStates } from '../sources/pipeline/unknown-states.ts';
import type { Verdict } from '../sources/pipeline/verdict.ts';

/** What turns files into lines. */
export interface Pipeline {
  surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey>;
  choosePlan(surveys: readonly Survey[], ask: PlanAsk): Plan | NoPlan;
  findUnknownStates: typeof findUnknownStates;
  convert(plan: Plan, deps: ConvertDeps): AsyncGenerator<readonly Verdict[]>;
}
