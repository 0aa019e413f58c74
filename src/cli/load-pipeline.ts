import { choosePlan } from '../sources/pipeline/choose-plan.ts';
import { convert } from '../sources/pipeline/convert.ts';
import type { Pipeline } from './pipeline.ts';
import { Stopped } from './stopped.ts';

/** The pipeline of this tool. It is loaded for the commands that read files. */
export const loadPipeline = (): Pipeline => ({
  surveyFile: () => Promise.reject(new Stopped('Files cannot be read yet.')),
  choosePlan,
  convert,
});
