import { SOURCES } from '../../../src/sources/sources.ts';
import { code, table } from './doc-tables.ts';

/** Returns the table of the systems whose exports `user-import` reads. */
export const systemTable = () =>
  table(
    ['system', '`--from`', 'forms', '`--set`'],
    SOURCES.map(({ title, name, forms, settings = {} }) => [
      title,
      code(name),
      forms.map((form) => code(form.name)).join(', '),
      Object.entries(settings)
        .map(([setting, text]) => `${code(setting)}: ${text}`)
        .join('; '),
    ]),
  );
