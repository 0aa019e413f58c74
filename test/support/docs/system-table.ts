import { GENERIC, SOURCES } from '../../../src/sources/sources.ts';
import { code, table } from './doc-tables.ts';

/** Number of systems: sources without rows of an earlier import and tables of any system. */
const SYSTEM_COUNT = SOURCES.filter((source) => !source.isOwnFormat && source !== GENERIC).length;

/** Returns the number of systems whose exports `user-import` reads, and their table. */
export const systemTable = () =>
  `${SYSTEM_COUNT} systems, rejects of an earlier import, and any table of users:\n\n${table(
    ['system', '`--from`', 'forms', '`--set`'],
    SOURCES.map(({ title, name, forms, settings = {} }) => [
      title,
      code(name),
      forms.map((form) => code(form.name)).join(', '),
      Object.entries(settings)
        .map(([setting, text]) => `${code(setting)}: ${text}`)
        .join('; '),
    ]),
  )}`;
