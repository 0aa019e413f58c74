import type { SourceFile } from '../../sources/containers/table.ts';
import type { Plan } from '../../sources/pipeline/plan.ts';

/** The same plan, over files that count what is read of them: how far a conversion is. */
export function withCountedFiles(plan: Plan): { plan: Plan; readShare(): number | undefined } {
  let readBytes = 0;
  const totalBytes = plan.surveys.reduce((sum, { file }) => sum + (file.sizeBytes ?? Number.NaN), 0);
  const counted = (file: SourceFile): SourceFile => ({
    ...file,
    async *open() {
      for await (const bytes of file.open()) {
        readBytes += bytes.length;
        yield bytes;
      }
    },
  });
  return {
    plan: { ...plan, surveys: plan.surveys.map((survey) => ({ ...survey, file: counted(survey.file) })) },
    readShare() {
      const share = readBytes / totalBytes;
      // Files that are read twice, details first, tell nothing once they are.
      return share > 0 && share <= 1 ? share : undefined;
    },
  };
}
