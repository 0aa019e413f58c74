import { PLAIN_TEXT_PASSWORDS } from '../fields/plain-text-passwords.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { dateReader, timeOf } from '../fields/time.ts';
import type { Settings } from '../source.ts';
import { parseActive } from './active.ts';
import { FIELDS, isFormerField, providerOf } from './fields.ts';
import type { Mapping, MappingProblem } from './mapping.ts';
import { parseMap } from './parse-map.ts';
import { parseTemplate, type Template } from './parse-template.ts';

export const MAPPING_SETTINGS = {
  map: 'field=column,…: the uses of columns',
  hash: 'a template that builds the hash from columns: $pbkdf2-sha256$i=27500$ {salt|hex} $ {hash|hex}, without the blanks',
  active: 'who may sign in, as --active says it',
  true: 'words for yes, as --true says them',
  dateFormat: 'form of times, as --date-format says it',
  algorithm: 'the hashingAlgorithm of hashes whose format does not show it, as --algorithm says it',
  algorithmOf: 'families by the words of a column, as --algorithm-of says them',
  ...SIGNER_KEY,
  ...PLAIN_TEXT_PASSWORDS,
} as const;

/** Reads the mapping from the options. Needs no export, so errors are reported before a file is read. */
export function readMapping(settings: Settings): Mapping | MappingProblem {
  const columns = parseMap(settings.map ?? '');
  if ('problem' in columns) return columns;
  const text = settings.hash;
  const template = text === undefined ? undefined : parseTemplate(text);
  if (template !== undefined && 'problem' in template)
    return { problem: `--hash, position ${template.position}: ${template.problem}` };
  const readTime = settings.dateFormat === undefined ? timeOf : dateReader(settings.dateFormat);
  if (readTime === undefined)
    return {
      problem: `--date-format ${settings.dateFormat}: expected ms, s, excel, or a format such as DD.MM.YYYY HH:mm:ss`,
    };
  const former = [...columns.keys()].find(isFormerField);
  if (former?.startsWith('metadata.'))
    return { problem: `--map ${former}: columns that become metadata are named by --keep NAME=COLUMN` };
  if (former !== undefined)
    return {
      problem: `--map ${former}: say who may sign in by a rule: --active 'status=active', --active 'deleted_at is null'`,
    };
  const unused = unusedName(columns, template);
  if (unused !== undefined)
    return {
      problem: `"${unused}" of the mapping is not a field (${FIELDS.join(', ')}, identity.<provider>), and ${template === undefined ? `there is no --hash that uses {${unused}}` : 'the template does not use it'}`,
    };
  const active =
    settings.active === undefined ? undefined : parseActive(settings.active.split('\n'), readTime);
  if (active !== undefined && 'problem' in active) return active;
  return {
    columns,
    template,
    algorithm: settings.algorithm,
    algorithmOf: settings.algorithmOf === undefined ? undefined : pairsIn(settings.algorithmOf),
    yes: settings.true === undefined ? undefined : wordsIn(settings.true),
    timeOf: readTime,
    active,
  };
}

/** The words before and behind the last equals sign of each item: `blowfish:10=bcrypt-md5,legacy=vbulletin`. */
const pairsIn = (text: string) =>
  new Map(
    text.split(',').map((item): [string, string] => {
      const at = item.lastIndexOf('=');
      return [item.slice(0, at).trim(), item.slice(at + 1).trim()];
    }),
  );

const wordsIn = (text: string) => new Set(text.split(',').map((word) => word.trim().toLowerCase()));

/** Returns a name that neither a field nor the hash template uses, probably a typing error. */
function unusedName(
  columns: ReadonlyMap<string, string | null>,
  template: Template | undefined,
): string | undefined {
  const used = new Set<string>(FIELDS);
  for (const part of template?.parts ?? []) if (typeof part !== 'string') used.add(part.name);
  return [...columns].find(([name]) => !used.has(name) && providerOf(name) === undefined)?.[0];
}
