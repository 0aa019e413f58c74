import { choosePlan } from '../sources/pipeline/choose-plan.ts';
import { convert } from '../sources/pipeline/convert.ts';
import { surveyFile } from '../sources/pipeline/survey-file.ts';
import { findUnknownStates } from '../sources/pipeline/unknown-states.ts';
import type { Pipeline } from './pipeline.ts';

/** Returns the real pipeline. Only commands that read files load this module. */
export const loadPipeline = (): Pipeline => ({ surveyFile, choosePlan, findUnknownStates, convert });
