import type { ReadOptions, SourceFile } from '../sources/containers/table.ts';
import type { LoadDeps, LoadedUsers } from '../sources/pipeline/load-users.ts';
import type { NoPlan, Plan, PlanAsk, Survey } from '../sources/pipeline/plan.ts';
import type { QueriedFiles, queryFiles } from '../sources/pipeline/query-files.ts';

/** Functions that convert export files to import lines. Tests replace them. */
export interface Pipeline {
  surveyFile(file: SourceFile, options: ReadOptions): Promise<Survey>;
  /** Runs the query over the files of these surveys. */
  queryFiles(
    surveys: readonly Survey[],
    query: string,
    options: Parameters<typeof queryFiles>[2],
  ): Promise<QueriedFiles>;
  choosePlan(surveys: readonly Survey[], ask: PlanAsk): Plan | NoPlan;
  loadUsers(plan: Plan, deps: LoadDeps): Promise<LoadedUsers>;
}

/** Loads the readers of all systems and formats on demand, so that commands without files start faster. */
export async function loadPipeline(): Promise<Pipeline> {
  const [{ surveyFile }, { queryFiles }, { choosePlan }, { loadUsers }] = await Promise.all([
    import('../sources/pipeline/survey-file.ts'),
    import('../sources/pipeline/query-files.ts'),
    import('../sources/pipeline/choose-plan.ts'),
    import('../sources/pipeline/load-users.ts'),
  ]);
  return { surveyFile, queryFiles, choosePlan, loadUsers };
}
