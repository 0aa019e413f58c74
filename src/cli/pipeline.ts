import type { ReadOptions, SourceFile } from '../sources/containers/table.ts';
import type { ConvertDeps, UserIndex } from '../sources/pipeline/convert.ts';
import type { NoPlan, Plan, PlanAsk, Survey } from '../sources/pipeline/plan.ts';
import type { Verdict } from '../sources/pipeline/verdict.ts';

/** Functions that convert export files to import lines. Tests replace them. */
export interface Pipeline {
  surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey>;
  choosePlan(surveys: readonly Survey[], ask: PlanAsk): Plan | NoPlan;
  indexUsers(plan: Plan, deps: ConvertDeps): Promise<UserIndex>;
  convert(plan: Plan, deps: ConvertDeps, index: UserIndex): AsyncGenerator<readonly Verdict[]>;
}

/** Loads the readers of all systems and formats on demand, so that commands without files start faster. */
export async function loadPipeline(): Promise<Pipeline> {
  const [{ surveyFile }, { choosePlan }, { convert, indexUsers }] = await Promise.all([
    import('../sources/pipeline/survey-file.ts'),
    import('../sources/pipeline/choose-plan.ts'),
    import('../sources/pipeline/convert.ts'),
  ]);
  return { surveyFile, choosePlan, indexUsers, convert };
}
