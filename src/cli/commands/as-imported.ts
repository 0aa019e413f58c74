import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { Prepared } from '../plan/prepare.ts';

/**
 * Converts an answer of the verify endpoint to what an import would do. The endpoint also tries algorithms
 * that an import uses only if --algorithm names them; such a match becomes a failure.
 * @param named the algorithm that was sent to the endpoint, if any
 */
export function asImported(answer: JsonObject, named: unknown, prepared: Prepared): JsonObject {
  const matches = (Array.isArray(answer.matches) ? answer.matches : []).filter(isJsonObject);
  const taken = matches.find(({ mustBeNamed }) => mustBeNamed !== true);
  const [first] = matches;
  if (named !== undefined || first === undefined) return withFlag(answer, first, prepared);
  if (taken !== undefined) return { ...answer, ...readAs(taken) };
  const algorithm = String(first.hashingAlgorithm);
  const mistake = {
    code: 'ALGORITHM_NOT_NAMED',
    message: `The password matches as ${algorithm}, and an import would take the hash for another family or refuse it. ${flagFor(algorithm, prepared)}`,
  };
  return { ...answer, match: false, likelyMistakes: [mistake] };
}

const readAs = ({ hashingAlgorithm, parameters, cost }: JsonObject) => ({
  hashingAlgorithm,
  parameters,
  cost,
});

function withFlag(answer: JsonObject, right: JsonObject | undefined, prepared: Prepared): JsonObject {
  const { likelyMistakes } = answer;
  if (answer.match === true || !Array.isArray(likelyMistakes)) return answer;
  const isTemplate = prepared.plan.source.name === 'generic';
  const flagOf = (code: unknown) => {
    if (right !== undefined) return ` ${flagFor(String(right.hashingAlgorithm), prepared)}`;
    return isTemplate ? (TEMPLATE_STEPS[String(code)] ?? '') : '';
  };
  return {
    ...answer,
    likelyMistakes: likelyMistakes.map((one) =>
      isJsonObject(one) ? { ...one, message: `${one.message}${flagOf(one.code)}` } : one,
    ),
  };
}

/** Changes to the template of the hash (`--hash`), by the code of the mistake. */
const TEMPLATE_STEPS: Readonly<Record<string, string>> = {
  BASE64_INSTEAD_OF_HEX: ' In --hash, write {COLUMN|base64|to-hex}.',
  HASH_AND_SALT_SWAPPED: ' Swap the two columns in --hash.',
  HEX_INSTEAD_OF_BASE64: ' In --hash, write {COLUMN|hex}.',
  SALT_AS_TEXT: ' In --hash, write {COLUMN|hex} or {COLUMN|base64} for the salt.',
  SALT_DECODED: ' In --hash, write {COLUMN|utf8} for the salt.',
  URL_SAFE_OR_UNPADDED_BASE64: ' In --hash, write {COLUMN|base64}.',
};

function flagFor(algorithm: string, { plan: { source } }: Prepared): string {
  const flag = `--algorithm ${algorithm}`;
  return Object.hasOwn(source.settings ?? {}, 'algorithm')
    ? `Add ${flag}.`
    : `--from ${source.name} has no option for it. Read the files by their columns instead: --from generic ${flag}.`;
}
