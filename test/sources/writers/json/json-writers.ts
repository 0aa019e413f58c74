import type { Writer } from '../writer.ts';
import { postgresJson, sqliteJson } from './database-json.ts';
import { jq, phpJson, pythonJson } from './scripted-json.ts';

/** Real programs that write JSON: arrays, objects, lines and documents. */
export const JSON_WRITERS: readonly Writer[] = [pythonJson, phpJson, jq, postgresJson, sqliteJson];
