import { choosePlan } from '../sources/pipeline/choose-plan.ts';
import { convert } from '../sources/pipeline/convert.ts';
import { surveyFile } from '../sources/pipeline/survey-file.ts';
import { findUnknownStates } from '../sources/pipeline/unknown-states.ts';
import type { Pipeline } from './pipeline.ts';

/** The pipeline of this tool. It is loaded for the commands that read files. */
export const loadPipeline = (): Pipeline => ({ surveyFile, choosePlan, findUnknownStates, convert });
