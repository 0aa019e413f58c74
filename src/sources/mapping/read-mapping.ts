import { dateReader } from '../fields/date-format.ts';
import { PLAIN_TEXT_PASSWORDS } from '../fields/plain-text-passwords.ts';
import { SIGNER_KEY } from '../fields/signer-key.ts';
import { timeOf } from '../fields/time.ts';
import type { Settings } from '../source.ts';
import { parseActive } from './active.ts';
import { FIELDS, isFormerField, providerOf } from './fields.ts';
import type { Mapping, MappingProblem } from './mapping.ts';
import { parseMap } from './parse-map.ts';
import { type MappingFile, parseMappingFile } from './parse-mapping-file.ts';
import { parseTemplate, type Template } from './parse-template.ts';

export const MAPPING_SETTINGS = {
  map: 'field=column,…: the uses of columns; or the text of a mapping file in JSON',
  hash: 'a template that builds the hash from columns: $pbkdf2-sha256$i=27500$ {salt|hex} $ {hash|hex}, without the blanks',
  active: 'who may sign in, as --active says it',
  true: 'words for yes, as --true says them',
  dateFormat: 'form of times, as --date-format says it',
  algorithm: 'the hashingAlgorithm of hashes whose format does not show it',
  ...SIGNER_KEY,
  ...PLAIN_TEXT_PASSWORDS,
} as const;

/** Reads the mapping from the options. Needs no export, so errors are reported before a file is read. */
export function readMapping(settings: Settings): Mapping | MappingProblem {
  const file = mapOf(settings.map ?? '');
  if ('problem' in file) return file;
  const text = settings.hash ?? file.hash;
  const template = text === undefined ? undefined : parseTemplate(text);
  if (template !== undefined && 'problem' in template)
    return { problem: `--hash, position ${template.position}: ${template.problem}` };
  const readTime = settings.dateFormat === undefined ? timeOf : dateReader(settings.dateFormat);
  if (readTime === undefined)
    return {
      problem: `--date-format ${settings.dateFormat}: expected ms, s, excel, or a format such as DD.MM.YYYY HH:mm:ss`,
    };
  const former = [...file.columns.keys()].find(isFormerField);
  if (former?.startsWith('metadata.'))
    return { problem: `--map ${former}: columns that become metadata are named by --keep NAME=COLUMN` };
  if (former !== undefined)
    return {
      problem: `--map ${former}: say who may sign in by a rule: --active 'status=active', --active 'deleted_at is null'`,
    };
  const unused = unusedName(file.columns, template);
  if (unused !== undefined)
    return {
      problem: `"${unused}" of the mapping is not a field (${FIELDS.join(', ')}, identity.<provider>), and ${template === undefined ? `there is no --hash that uses {${unused}}` : 'the template does not use it'}`,
    };
  const active = settings.active === undefined ? undefined : parseActive(settings.active.split('\n'));
  if (active !== undefined && 'problem' in active) return active;
  return {
    columns: file.columns,
    template,
    algorithm: settings.algorithm ?? file.algorithm,
    yes: settings.true === undefined ? undefined : wordsIn(settings.true),
    timeOf: readTime,
    active,
  };
}

const wordsIn = (text: string) => new Set(text.split(',').map((word) => word.trim().toLowerCase()));

function mapOf(text: string): MappingFile | MappingProblem {
  if (text.trimStart().startsWith('{')) return parseMappingFile(text);
  const columns = parseMap(text);
  return 'problem' in columns ? columns : { columns };
}

/** Returns a name that neither a field nor the hash template uses, probably a typing error. */
function unusedName(
  columns: ReadonlyMap<string, string | null>,
  template: Template | undefined,
): string | undefined {
  const used = new Set<string>(FIELDS);
  for (const part of template?.parts ?? []) if (typeof part !== 'string') used.add(part.name);
  return [...columns].find(([name]) => !used.has(name) && providerOf(name) === undefined)?.[0];
}
